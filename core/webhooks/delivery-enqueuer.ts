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
import type { Conversation, LoopGuard, LoopNotice } from './loop-guard.ts'
import { type Org, type PayloadContent, payloadHead, payloadTail } from './payloads.ts'
import { commentThread, messageThread } from './threads.ts'
import type { WebhookEvent } from './types.ts'

export interface DeliveryEnqueuerDeps {
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

type PostedMessage = Pick<NewMessageRow, 'id' | 'threadId' | 'authorId' | 'body' | 'sentMs'>
type PostedComment = Pick<CommentRow, 'id' | 'parentId' | 'authorId' | 'body' | 'createdMs'>

type Subject = Partial<Pick<DeliveryRow, 'messageId' | 'documentId' | 'commentId' | 'askId'>>

const noSubject = { messageId: null, documentId: null, commentId: null, askId: null }

interface MessageRecipients {
  notified: readonly string[]
  repliedTo: readonly string[]
  isNew: boolean
}

/** Decides which agents receive a delivery (`docs/webhooks.md`), inside the commit of the change. */
export class DeliveryEnqueuer {
  private readonly due = new Signal()

  constructor(private readonly deps: DeliveryEnqueuerDeps) {}

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
  enqueueForMessage(message: PostedMessage, room: RoomRow, recipients: MessageRecipients): LoopNotice | null {
    const { clock, members } = this.deps
    const author = members.find(message.authorId)!
    const atMs = clock.now()
    const conversation: Conversation = { id: room.id, kind: 'room' }
    const { isNew } = recipients
    const candidates = this.notificationsForMessage(message, room, recipients)
    const { notifications, notice } = this.applyLoopGuard(candidates, conversation, { author, atMs, isNew })
    if (notifications.length === 0) return null
    const { body, sentMs: createdMs } = message
    const bodyText = plainText(body, members.names())
    const payloadMessage = { id: message.id, threadId: message.threadId, body, bodyText, author, createdMs }
    const thread = messageThread(message, this.deps)
    const content = { org: this.deps.org, atMs, room, message: payloadMessage, thread }
    this.insertDeliveries(notifications, { messageId: message.id }, mentionedIds(body), content)
    return notice
  }

  /** Includes agents with a heartbeat, which suppresses only deliveries for rooms. Returns a notice. */
  enqueueForComment(
    comment: PostedComment,
    post: DocumentRecord,
    notified: readonly string[],
    noticeKinds: ReadonlyMap<string, 'reply' | 'comment'> = new Map(),
  ): LoopNotice | null {
    const { members, org, projects } = this.deps
    const { id, parentId, body, createdMs } = comment
    const author = members.find(comment.authorId)!
    const kind = post.kind === 'card' || post.kind === 'document' ? post.kind : 'post'
    const conversation: Conversation = { id: post.id, kind }
    const scope = scopeFor(post.kind, 'read')
    const candidates = [
      ...this.mentionNotifications(notified, scope),
      ...[...noticeKinds].flatMap(([id, event]) => this.notificationsFor([id], event, scope)),
    ]
    const { notifications, notice } = this.applyLoopGuard(candidates, conversation, {
      author,
      atMs: createdMs,
      isNew: true,
    })
    if (notifications.length === 0) return null
    const bodyText = plainText(body, members.names())
    this.insertDeliveries(notifications, { commentId: id }, mentionedIds(body), {
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
  enqueueForPost(
    post: DocumentRecord,
    { stored, digest }: { stored: Uint8Array; digest: ParsedContent },
    notified: readonly string[],
    atMs: number,
  ): void {
    const { members, org, projects } = this.deps
    const notifications = this.mentionNotifications(notified)
    if (notifications.length === 0) return
    const body = Buffer.from(stored.subarray(bodyStart(stored, digest))).toString()
    const bodyText = Buffer.concat(renderBody(stored, digest, members.names()).parts).toString()
    const author = members.find(post.authorId)!
    const { id, title, publishedMs: createdMs } = post
    this.insertDeliveries(
      notifications,
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
    const conversation: Conversation = { id: card.id, kind: 'card' }
    const notifications = this.assignmentNotifications(assigned, 'cards:read', conversation, {
      actorId,
      atMs,
    })
    if (notifications.length === 0) return
    const { members, org, projects } = this.deps
    const project = projects.find(card.projectId)!
    const bodyText = Buffer.concat(renderBody(stored, digest, members.names()).parts).toString()
    const assigner = members.find(actorId)!
    this.insertDeliveries(notifications, { documentId: card.id }, [], {
      org,
      atMs,
      project,
      card,
      bodyText,
      assigner,
    })
  }

  enqueueForAsk(ask: NewAskRow, assigned: readonly string[], actorId: string): void {
    const { deliveries, members, org, projects } = this.deps
    const { messageId, updatedMs: atMs } = ask
    // The announcement already mentions those who are assigned from the beginning.
    const isNotified = (id: string) => messageId !== null && deliveries.hasDelivery(id, messageId, 'mention')
    const notYetNotified = assigned.filter((id) => !isNotified(id))
    const conversation: Conversation = { id: ask.id, kind: 'ask' }
    const notifications = this.assignmentNotifications(notYetNotified, 'asks:read', conversation, {
      actorId,
      atMs,
    })
    if (notifications.length === 0) return
    const project = projects.find(ask.projectId)!
    const bodyText = plainText(ask.body, members.names())
    const assigner = members.find(actorId)!
    this.insertDeliveries(notifications, { askId: ask.id }, [], {
      org,
      atMs,
      project,
      ask,
      bodyText,
      assigner,
    })
  }

  /** Drops the guard's notice, which could be posted nowhere. */
  private assignmentNotifications(
    assigned: readonly string[],
    scope: Scope,
    conversation: Conversation,
    { actorId, atMs }: { actorId: string; atMs: number },
  ): readonly AgentNotification[] {
    const candidates = this.notificationsFor(assigned, 'assigned', scope)
    if (candidates.length === 0) return []
    const author = this.deps.members.find(actorId)!
    return this.applyLoopGuard(candidates, conversation, { author, atMs, isNew: true }).notifications
  }

  /** Undoes the deliveries of one write of a post or card, before any was sent. */
  cancelForDocument(document: DocumentRecord, atMs: number): void {
    this.deps.deliveries.rollBack(document.id, atMs)
  }

  /** Excludes the author and agents that are present. */
  private notificationsForMessage(
    message: PostedMessage,
    room: RoomRow,
    { notified, repliedTo, isNew }: MessageRecipients,
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
        const isMentioned = notified.includes(memberId)
        const receivesAll = isNew && involvement === 'everything'
        const event =
          isMentioned && events.includes('mention')
            ? 'mention'
            : receivesAll && events.includes('message.created')
              ? 'message.created'
              : repliedTo.includes(memberId) && events.includes('reply')
                ? 'reply'
                : null
        if (event === null || (!isNew && deliveries.hasDelivery(memberId, message.id, event))) return []
        return [{ agent, event, isMentioned, isBlocked: false }]
      })
  }

  private mentionNotifications(
    notified: readonly string[],
    scope: Scope = 'posts:read',
  ): AgentNotification[] {
    return this.notificationsFor(notified, 'mention', scope)
  }

  private notificationsFor(ids: readonly string[], event: WebhookEvent, scope: Scope): AgentNotification[] {
    const { members, webhooks } = this.deps
    return ids.flatMap((id): AgentNotification[] => {
      const agent = members.find(id)
      const webhook = agent?.type === 'agent' ? webhooks.find(id) : undefined
      const isSubscribed = webhook?.events.includes(event) && webhookHasScope(webhook, scope)
      return agent && isSubscribed
        ? [{ agent, event, isMentioned: event === 'mention', isBlocked: false }]
        : []
    })
  }

  /** Blocks endless loops. Also returns the notice to be posted. */
  private applyLoopGuard(
    notifications: readonly AgentNotification[],
    conversation: Conversation,
    { author, atMs, isNew }: { author: Member; atMs: number; isNew: boolean },
  ): { notifications: readonly AgentNotification[]; notice: LoopNotice | null } {
    const { guard } = this.deps
    if (author.type === 'human') {
      if (isNew) guard.reset(conversation)
      return { notifications, notice: null }
    }
    const checked = notifications.map((notification) => ({
      notification,
      ...guard.check({ conversation, from: author, to: notification.agent, atMs }),
    }))
    return {
      notifications: checked.map(({ notification, isBlocked }) => ({ ...notification, isBlocked })),
      notice: checked.find(({ notice }) => notice !== null)?.notice ?? null,
    }
  }

  private insertDeliveries(
    notifications: readonly AgentNotification[],
    subject: Subject,
    mentioned: readonly string[],
    content: PayloadContent,
  ): void {
    const { deliveries, members, newId } = this.deps
    const byId = [...new Set(mentioned)].filter((id) => members.find(id) !== null)
    const contentId = deliveries.addContent(payloadHead(content))
    for (const { agent, event, isMentioned, isBlocked } of notifications) {
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
        createdMs: content.atMs,
      })
    }
    if (notifications.some(({ isBlocked }) => !isBlocked)) this.due.emit()
  }
}
