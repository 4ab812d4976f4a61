import type { Database } from '../../data/database.ts'
import type { MessageRow, MessagesTable, NewMessageRow } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import type { Caller, Member } from '../access/member.ts'
import { isAdmin, requireAuthorship, requireDeletion, requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import { type IdempotencyKeys, requireIdempotencyKey } from '../idempotency.ts'
import type { NewId } from '../ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { type Unreached, unreachedInRoom } from '../inbox/unreached.ts'
import { mentionedIds, mentionsIn, plainText } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { requireMessageText } from '../text/message-text.ts'
import type { Clock } from '../time/clock.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import type { LoopNotice } from '../webhooks/loop-guard.ts'
import { messageView } from './message-view.ts'
import type { MessagePage, MessageView, NewMessage } from './types.ts'
import type { TypingSignals } from './typing.ts'

interface MessagesDeps {
  database: Database
  clock: Clock
  newId: NewId
  messages: MessagesTable
  search: SearchTable
  members: MemberStore
  memberships: Memberships
  inbox: Inbox
  webhookCalls: DeliveryEnqueuer
  events: Events
  idempotencyKeys: IdempotencyKeys
  typing: TypingSignals
}

/** The most messages of a page (`docs/interface.md#limits`). */
const maxPageSize = 100

/** For how long after it was sent a message can be changed, in milliseconds (`docs/interface.md#limits`). */
export const editWindowMs = 5 * 60 * 1000

/** The client that a message of Workroom's own names. */
const webClient = 'workroom'

/**
 * What is said in the rooms. A room is named by its id or slug. Every call throws WorkspaceError `forbidden` for those
 * who are not in the room, and `not_found` for a room or message that is not there.
 */
export class Messages {
  private readonly deps: MessagesDeps

  constructor(deps: MessagesDeps) {
    this.deps = deps
  }

  /**
   * A page of a room, or of the replies to one of its messages: newest first, without what was deleted.
   * @param options `limit`: how many; above 100 it is 100. `cursor`: the `continueCursor` of the page before
   * @throws WorkspaceError `bad_request` for a limit or cursor that is none
   */
  page(
    caller: Caller,
    idOrSlug: string,
    options: { limit: number; cursor?: string; threadId?: string },
  ): MessagePage {
    requireScope(caller, 'rooms:read')
    const { memberships, messages } = this.deps
    const { cursor = '', threadId } = options
    const room = memberships.requireIn(caller.member, idOrSlug)
    if (!Number.isInteger(options.limit) || options.limit < 1) {
      throw new WorkspaceError('bad_request', 'The limit must be a whole number from 1 to 100.')
    }
    if (threadId !== undefined) this.requireMessage(room, threadId)
    const before = cursor === '' ? undefined : this.placeOf(cursor, room, threadId ?? null)
    const limit = Math.min(options.limit, maxPageSize)
    // One more than the page holds tells whether there is another page.
    const rows =
      threadId === undefined
        ? messages.inRoom(room.id, limit + 1, before)
        : messages.inThread(threadId, limit + 1, before)
    const page = rows.slice(0, limit)
    return {
      page: page.map((row) => this.viewOf(row)),
      continueCursor: page.at(-1)?.id ?? cursor,
      isDone: rows.length <= limit,
    }
  }

  /**
   * Says something in a room, or in answer to a message. Everything that it brings about is in one commit.
   * @returns the message's id, and who of those whom it mentions does not hear of it
   * @throws WorkspaceError `bad_request` for a text, an answer or a key that cannot be
   */
  async post(
    caller: Caller,
    idOrSlug: string,
    request: NewMessage,
  ): Promise<{ messageId: string; unreached: Unreached[] }> {
    requireScope(caller, 'rooms:write')
    const { idempotencyKeys, database, memberships, typing } = this.deps
    const { member } = caller
    const key = request.idempotencyKey ?? null
    if (key !== null) requireIdempotencyKey(key)
    const { id, roomId } = await commitOrUnavailable(database, () =>
      idempotencyKeys.once(member.id, key, () =>
        this.add(memberships.requireIn(member, idOrSlug), member.id, request),
      ),
    )
    typing.end(roomId, member.id)
    const room = memberships.require(roomId)
    return { messageId: id, unreached: this.unreachedBy(this.requireMessage(room, id), room) }
  }

  /** Who of those whom a text mentions would not hear of it if the caller said it in the room. */
  unreached(caller: Caller, idOrSlug: string, body: string): Unreached[] {
    requireScope(caller, 'rooms:read')
    const room = this.deps.memberships.requireIn(caller.member, idOrSlug)
    return this.unreachedBy({ body, authorId: caller.member.id }, room)
  }

  /**
   * As `post`, in the name of a member whose scopes are not in question; to be called inside a commit.
   * @throws WorkspaceError `bad_request`, with nothing written
   */
  postAs(author: Member, idOrSlug: string, request: Omit<NewMessage, 'idempotencyKey'>): { id: string } {
    const room = this.deps.memberships.requireIn(author, idOrSlug)
    const { id } = this.add(room, author.id, request)
    this.deps.typing.end(room.id, author.id)
    return { id }
  }

  /**
   * Changes the text of the caller's own message, within five minutes. Whom it mentions now and did not before is told.
   * @returns who of those whom it mentions now does not hear of it
   * @throws WorkspaceError `forbidden` for a message of somebody else; `bad_request` once it was deleted, or is too old
   */
  async edit(caller: Caller, idOrSlug: string, messageId: string, body: string): Promise<Unreached[]> {
    requireScope(caller, 'rooms:write')
    const { clock, database, inbox, memberships, messages, webhookCalls } = this.deps
    return commitOrUnavailable(database, () => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      const message = this.requireMessage(room, messageId)
      requireAuthorship(caller.member, message.authorId)
      if (message.deletedMs !== null) throw new WorkspaceError('bad_request', 'This message was deleted.')
      const nowMs = clock.now()
      if (nowMs - message.sentMs > editWindowMs) {
        throw new WorkspaceError('bad_request', 'Edit window has expired')
      }
      requireMessageText(body, 'message')
      const unreached = this.unreachedBy({ ...message, body }, room)
      if (body === message.body) return unreached
      messages.edit(message.id, body, nowMs)
      this.deps.search.change(message.id, this.searchText(body))
      const told = inbox.updateForMessage(
        message,
        room,
        { before: mentionedIds(message.body), after: mentionedIds(body) },
        nowMs,
      )
      const notice = webhookCalls.enqueueForMessage({ ...message, body }, room, { told, isNew: false })
      if (notice) this.recordNotifications(room, notice)
      return unreached
    })
  }

  /**
   * Deletes a message; safe to repeat. Authors need not be in the room any more, owners and admins need not be in it.
   * @throws WorkspaceError `forbidden` for anyone else
   */
  async remove(caller: Caller, idOrSlug: string, messageId: string): Promise<void> {
    requireScope(caller, 'rooms:write')
    const { clock, database, inbox, memberships, messages, search } = this.deps
    const { member } = caller
    await commitOrUnavailable(database, () => {
      const room = memberships.require(idOrSlug)
      // Anyone else learns nothing of a room that they are not in, not even which messages it holds.
      const mayHaveLeft = isAdmin(member) || this.find(room, messageId)?.authorId === member.id
      if (!mayHaveLeft) memberships.requireIn(member, room.id)
      const { id, authorId, threadId } = this.requireMessage(room, messageId)
      requireDeletion(member, authorId, 'message')
      if (!messages.remove(id, clock.now(), member.id)) return
      if (threadId !== null) messages.countReply(threadId, -1)
      search.remove(id)
      inbox.removeForMessage(id)
    })
  }

  /** To be called inside a commit. */
  private add(room: RoomRow, authorId: string, request: NewMessage): { id: string; roomId: string } {
    const { inbox, messages, webhookCalls } = this.deps
    const { body, threadId = null, sentVia = null } = request
    requireMessageText(body, 'message')
    if (threadId !== null) this.requireThreadRoot(room, threadId)
    const message = this.insert(room, { threadId, authorId, body, sentVia })
    if (threadId !== null) messages.countReply(threadId, 1)
    const told = inbox.addForMessage(message, room, mentionedIds(body), message.sentMs)
    const notice = webhookCalls.enqueueForMessage(message, room, { told, isNew: true })
    if (notice) this.recordNotifications(room, notice)
    return { id: message.id, roomId: room.id }
  }

  private unreachedBy({ body, authorId }: Pick<MessageRow, 'body' | 'authorId'>, room: RoomRow): Unreached[] {
    return unreachedInRoom(mentionsIn(body), room, authorId, this.deps)
  }

  /** Says something of the room itself: it mentions and wakes nobody. */
  private recordNotifications(room: RoomRow, { author, body }: LoopNotice): void {
    this.insert(room, { threadId: null, authorId: author.id, body, sentVia: webClient })
  }

  private insert(
    { id: roomId }: RoomRow,
    said: Pick<NewMessageRow, 'threadId' | 'authorId' | 'body' | 'sentVia'>,
  ): NewMessageRow {
    const { clock, database, events, messages, newId, search } = this.deps
    const message = { ...said, id: newId('msg'), roomId, sentMs: clock.now() }
    messages.insert(message)
    database.atEnd(() => search.add('message', message.id, this.searchText(message.body)))
    events.append({ type: 'message', roomId, messageId: message.id, actorId: message.authorId })
    return message
  }

  private find(room: RoomRow, messageId: string): MessageRow | null {
    const message = this.deps.messages.find(messageId)
    return message?.roomId === room.id ? message : null
  }

  /** Also one that was deleted. */
  private requireMessage(room: RoomRow, messageId: string): MessageRow {
    const message = this.find(room, messageId)
    if (message) return message
    throw new WorkspaceError('not_found', `There is no message ${messageId} in this room.`)
  }

  private requireThreadRoot(room: RoomRow, messageId: string): void {
    const { threadId, deletedMs } = this.requireMessage(room, messageId)
    if (threadId !== null) {
      throw new WorkspaceError(
        'bad_request',
        `${messageId} is a reply itself. Reply to the message that it replies to: ${threadId}`,
      )
    }
    if (deletedMs !== null) {
      throw new WorkspaceError('bad_request', 'The message that this replies to was deleted.')
    }
  }

  private placeOf(cursor: string, room: RoomRow, threadId: string | null): number {
    const message = this.find(room, cursor)
    if (message && message.threadId === threadId) return message.place
    throw new WorkspaceError(
      'bad_request',
      'The cursor is none of these messages. Send the continueCursor of the page before, or none to begin.',
    )
  }

  private searchText(body: string) {
    return { title: '', body: plainText(body, this.deps.members.names()) }
  }

  private viewOf(row: MessageRow): MessageView {
    return messageView(row, this.deps.members.find(row.authorId)!)
  }
}
