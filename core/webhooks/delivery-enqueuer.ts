import { Signal } from '../../data/signal.ts'
import type { NewAskRow } from '../../data/tables/asks.ts'
import type { CommentRow, CommentsTable } from '../../data/tables/comments.ts'
import type { DeliveriesTable, DeliveryRow } from '../../data/tables/deliveries.ts'
import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { MessagesTable, NewMessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { WebhooksTable } from '../../data/tables/webhooks.ts'
import type { Member, Scope } from '../access/member.ts'
import { webhookHasScope } from '../access/permissions.ts'
import { scopeFor } from '../documents/model/scopes.ts'
import type { NewId } from '../ids.ts'
import { mentionedIds, plainText } from '../markdown/canonical-mentions.ts'
import { bodyStart, type ParsedContent, renderBody } from '../markdown/index.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import type { LoopGuard, LoopNotice, WakePlace } from './loop-guard.ts'
import { type Org, type PayloadContent, payloadHead, payloadTail } from './payloads.ts'
import { commentThread, messageThread } from './threads.ts'
import type { WebhookEvent } from './types.ts'

export interface WebhookCallsDeps {
  org: Org
  clock: Clock
  newId: NewId
  webhooks: WebhooksTable
  deliveries: DeliveriesTable
  guard: LoopGuard
  members: MemberStore
  memberships: Memberships
  presence: OnlinePresence
  projects: ProjectStore
  messages: MessagesTable
  comments: CommentsTable
}

interface AgentNotification {
  agent: Member
  event: WebhookEvent
  isMentioned: boolean
  isBlocked: boolean
}

type Said = Pick<NewMessageRow, 'id' | 'threadId' | 'authorId' | 'body' | 'sentMs'>
type Commented = Pick<CommentRow, 'id' | 'parentId' | 'authorId' | 'body' | 'createdMs'>

type Subject = Partial<Pick<DeliveryRow, 'messageId' | 'documentId' | 'commentId' | 'askId'>>

const noSubject = { messageId: null, documentId: null, commentId: null, askId: null }

interface MessageListeners {
  told: readonly string[]
  repliedTo: readonly string[]
  isNew: boolean
}

/** Decides which agents receive a delivery (`docs/webhooks.md`), inside the commit of the change. */
export class DeliveryEnqueuer {
  private readonly deps: WebhookCallsDeps
  private readonly due = new Signal()

  constructor(deps: WebhookCallsDeps) {
    this.deps = deps
  }

  /** Calls `listener` inside each commit with a due delivery, and on `checkDue`. */
  onDue(listener: () => void): () => void {
    return this.due.listen(listener)
  }

  /** Another process may have made a delivery due. */
  checkDue(): void {
    const [first] = this.deps.deliveries.waiting()
    if (first && first.dueMs <= this.deps.clock.now()) this.due.emit()
  }

  /** Returns a notice for the room if agents would trigger each other endlessly. */
  enqueueForMessage(message: Said, room: RoomRow, listening: MessageListeners): LoopNotice | null {
    const { clock, members } = this.deps
    const author = members.find(message.authorId)!
    const atMs = clock.now()
    const place: WakePlace = { id: room.id, kind: 'room' }
    const { isNew } = listening
    const listeners = this.listeners(message, room, listening)
    const { calls, notice } = this.applyLoopGuard(listeners, place, { author, atMs, isNew })
    if (calls.length === 0) return null
    const { body, sentMs: createdMs } = message
    const bodyText = plainText(body, members.names())
    const said = { id: message.id, threadId: message.threadId, body, bodyText, author, createdMs }
    const thread = messageThread(message, this.deps)
    const telling = { org: this.deps.org, atMs, room, message: said, thread }
    this.insertDeliveries(calls, { messageId: message.id }, mentionedIds(body), telling)
    return notice
  }

  /** Includes agents with a heartbeat, which suppresses only deliveries for rooms. Returns a notice. */
  tellOfComment(
    comment: Commented,
    post: DocumentRecord,
    told: readonly string[],
    concerned: ReadonlyMap<string, 'reply' | 'comment'> = new Map(),
  ): LoopNotice | null {
    const { members, org, projects } = this.deps
    const { id, parentId, body, createdMs } = comment
    const author = members.find(comment.authorId)!
    const kind = post.kind === 'card' || post.kind === 'document' ? post.kind : 'post'
    const place: WakePlace = { id: post.id, kind }
    const scope = scopeFor(post.kind, 'read')
    const called = [
      ...this.mentioned(told, scope),
      ...[...concerned].flatMap(([id, event]) => this.called([id], event, scope)),
    ]
    const { calls, notice } = this.applyLoopGuard(called, place, { author, atMs: createdMs, isNew: true })
    if (calls.length === 0) return null
    const bodyText = plainText(body, members.names())
    this.insertDeliveries(calls, { commentId: id }, mentionedIds(body), {
      org,
      atMs: createdMs,
      project: projects.find(post.projectId)!,
      post,
      comment: { id, parentId, body, bodyText, author, createdMs },
      thread: commentThread(comment, this.deps),
    })
    return notice
  }

  /** Needs no loop guard, since posts are new each time. */
  tellOfPost(
    post: DocumentRecord,
    { stored, digest }: { stored: Uint8Array; digest: ParsedContent },
    told: readonly string[],
    atMs: number,
  ): void {
    const { members, org, projects } = this.deps
    const calls = this.mentioned(told)
    if (calls.length === 0) return
    const body = Buffer.from(stored.subarray(bodyStart(stored, digest))).toString()
    const bodyText = Buffer.concat(renderBody(stored, digest, members.names()).parts).toString()
    const author = members.find(post.authorId)!
    const { id, title, publishedMs: createdMs } = post
    this.insertDeliveries(
      calls,
      { documentId: id },
      digest.mentions.map((mention) => mention.id),
      {
        org,
        atMs,
        project: projects.find(post.projectId)!,
        post: { id, title, body, bodyText, author, createdMs },
      },
    )
  }

  enqueueForCard(
    card: DocumentRecord,
    { stored, digest }: { stored: Uint8Array; digest: ParsedContent },
    assigned: readonly string[],
    { actorId, atMs }: { actorId: string; atMs: number },
  ): void {
    const place: WakePlace = { id: card.id, kind: 'card' }
    const calls = this.assignedCalls(assigned, 'cards:read', place, { actorId, atMs })
    if (calls.length === 0) return
    const { members, org, projects } = this.deps
    const project = projects.find(card.projectId)!
    const bodyText = Buffer.concat(renderBody(stored, digest, members.names()).parts).toString()
    const by = members.find(actorId)!
    this.insertDeliveries(calls, { documentId: card.id }, [], { org, atMs, project, card, bodyText, by })
  }

  enqueueForAsk(ask: NewAskRow, assigned: readonly string[], actorId: string): void {
    const { deliveries, members, org, projects } = this.deps
    const { messageId, updatedMs: atMs } = ask
    // The announcement already mentions those who are assigned from the beginning.
    const isTold = (id: string) => messageId !== null && deliveries.isTold(id, messageId, 'mention')
    const untold = assigned.filter((id) => !isTold(id))
    const place: WakePlace = { id: ask.id, kind: 'ask' }
    const calls = this.assignedCalls(untold, 'asks:read', place, { actorId, atMs })
    if (calls.length === 0) return
    const project = projects.find(ask.projectId)!
    const bodyText = plainText(ask.body, members.names())
    const by = members.find(actorId)!
    this.insertDeliveries(calls, { askId: ask.id }, [], { org, atMs, project, ask, bodyText, by })
  }

  /** Drops the guard's notice, which could be posted nowhere. */
  private assignedCalls(
    assigned: readonly string[],
    scope: Scope,
    place: WakePlace,
    { actorId, atMs }: { actorId: string; atMs: number },
  ): readonly AgentNotification[] {
    const called = this.called(assigned, 'assigned', scope)
    if (called.length === 0) return []
    const author = this.deps.members.find(actorId)!
    return this.applyLoopGuard(called, place, { author, atMs, isNew: true }).calls
  }

  /** Undoes the deliveries of one write of a post or card, before any was sent. */
  cancelForDocument(document: DocumentRecord, atMs: number): void {
    this.deps.deliveries.retract(document.id, atMs)
  }

  /** Excludes the author and agents that are present. */
  private listeners(
    message: Said,
    room: RoomRow,
    { told, repliedTo, isNew }: MessageListeners,
  ): AgentNotification[] {
    const { deliveries, members, memberships, presence, webhooks } = this.deps
    return webhooks
      .inRoom(room.id)
      .flatMap(({ memberId, events, scopes, involvement }): AgentNotification[] => {
        const agent = members.find(memberId)!
        if (memberId === message.authorId || agent.status !== 'active' || presence.isOnline(memberId))
          return []
        if (!memberships.mayEnterProjectOf(room, agent) || !webhookHasScope({ scopes }, 'rooms:read'))
          return []
        const isMentioned = told.includes(memberId)
        const hearsAll = isNew && involvement === 'everything'
        const event =
          isMentioned && events.includes('mention')
            ? 'mention'
            : hearsAll && events.includes('message.created')
              ? 'message.created'
              : repliedTo.includes(memberId) && events.includes('reply')
                ? 'reply'
                : null
        if (event === null || (!isNew && deliveries.isTold(memberId, message.id, event))) return []
        return [{ agent, event, isMentioned, isBlocked: false }]
      })
  }

  private mentioned(told: readonly string[], scope: Scope = 'posts:read'): AgentNotification[] {
    return this.called(told, 'mention', scope)
  }

  private called(ids: readonly string[], event: WebhookEvent, scope: Scope): AgentNotification[] {
    const { members, webhooks } = this.deps
    return ids.flatMap((id): AgentNotification[] => {
      const agent = members.find(id)
      const webhook = agent?.type === 'agent' ? webhooks.find(id) : undefined
      const isCalled = webhook?.events.includes(event) && webhookHasScope(webhook, scope)
      return agent && isCalled ? [{ agent, event, isMentioned: event === 'mention', isBlocked: false }] : []
    })
  }

  /** Blocks endless loops. Also returns the notice to be posted. */
  private applyLoopGuard(
    calls: readonly AgentNotification[],
    place: WakePlace,
    { author, atMs, isNew }: { author: Member; atMs: number; isNew: boolean },
  ): { calls: readonly AgentNotification[]; notice: LoopNotice | null } {
    const { guard } = this.deps
    if (author.type === 'human') {
      if (isNew) guard.reset(place)
      return { calls, notice: null }
    }
    const judged = calls.map((call) => ({
      call,
      ...guard.check({ place, from: author, to: call.agent, atMs }),
    }))
    return {
      calls: judged.map(({ call, isBlocked }) => ({ ...call, isBlocked })),
      notice: judged.find(({ notice }) => notice !== null)?.notice ?? null,
    }
  }

  private insertDeliveries(
    calls: readonly AgentNotification[],
    subject: Subject,
    mentioned: readonly string[],
    telling: PayloadContent,
  ): void {
    const { deliveries, members, newId } = this.deps
    const byId = [...new Set(mentioned)].filter((id) => members.find(id) !== null)
    const contentId = deliveries.addContent(payloadHead(telling))
    for (const { agent, event, isMentioned, isBlocked } of calls) {
      const id = newId('wh')
      // A broadcast mentions all whom it reaches.
      const mentions = isMentioned && !byId.includes(agent.id) ? [...byId, agent.id] : byId
      deliveries.insert({
        ...noSubject,
        ...subject,
        id,
        event,
        contentId,
        memberId: agent.id,
        tail: payloadTail({ id, event }, mentions),
        state: isBlocked ? 'held' : 'pending',
        createdMs: telling.atMs,
      })
    }
    if (calls.some(({ isBlocked }) => !isBlocked)) this.due.emit()
  }
}
