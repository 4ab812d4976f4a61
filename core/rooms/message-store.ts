import type { Database } from '../../data/database.ts'
import type { MessageRow, MessagesTable, NewMessageRow } from '../../data/tables/messages.ts'
import type { PinnedMessagesTable } from '../../data/tables/pinned-messages.ts'
import type { ReactionsTable } from '../../data/tables/reactions.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import type { NewId } from '../ids.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Notices } from '../inbox/notices.ts'
import { type Unreached, unreachedInRoom } from '../inbox/unreached.ts'
import { mentionedIds, mentionsIn, plainText } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { RoomAttachmentStore } from '../room-attachments/room-attachment-store.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { requireMessageText } from '../text/message-text.ts'
import type { Clock } from '../time/clock.ts'
import type { DeliveryEnqueuer } from '../webhooks/index.ts'
import type { LoopNotice } from '../webhooks/loop-guard.ts'
import type { MessagePreviews } from './message-previews.ts'
import { messageView } from './message-view.ts'
import { requireMessageIn } from './require-message.ts'
import type { MessagePage, MessagePageRequest, NewMessage } from './types.ts'
import type { TypingSignals } from './typing.ts'

interface MessageStoreDeps {
  database: Database
  clock: Clock
  newId: NewId
  messages: MessagesTable
  reactions: ReactionsTable
  pinnedMessages: PinnedMessagesTable
  search: SearchTable
  members: MemberStore
  memberships: Memberships
  inbox: Inbox
  noticeStore: Notices
  deliveryEnqueuer: DeliveryEnqueuer
  events: Events
  typing: TypingSignals
  attachments: Pick<RoomAttachmentStore, 'followLinks' | 'removeOfMessage'>
  messagePreviews: Pick<MessagePreviews, 'enqueue'>
}

type NewMessageText = Omit<NewMessage, 'idempotencyKey'>

const maxPageSize = 100

/** `docs/interface.md#limits` */
export const editWindowMs = 5 * 60 * 1000

const ownClient = 'workroom'

export class MessageStore {
  constructor(private readonly deps: MessageStoreDeps) {}

  /** This and the next two methods find deleted messages, too. */
  find(messageId: string): MessageRow | null {
    return this.deps.messages.find(messageId) ?? null
  }

  findIn(room: RoomRow, messageId: string): MessageRow | null {
    const message = this.find(messageId)
    return message?.roomId === room.id ? message : null
  }

  require(room: RoomRow, messageId: string): MessageRow {
    return requireMessageIn(room, messageId, this.deps.messages)
  }

  page(room: RoomRow, request: MessagePageRequest): MessagePage {
    const { messages } = this.deps
    const { cursor = '', threadId } = request
    if (!Number.isInteger(request.limit) || request.limit < 1) {
      throw new WorkspaceError('bad_request', 'The limit must be a whole number from 1 to 100.')
    }
    if (threadId !== undefined) this.require(room, threadId)
    const before = cursor === '' ? undefined : this.positionOf(cursor, room, threadId ?? null)
    const limit = Math.min(request.limit, maxPageSize)
    // One row more than requested shows whether there is another list page.
    const rows =
      threadId === undefined
        ? messages.inRoom(room.id, limit + 1, before)
        : messages.inThread(threadId, limit + 1, before)
    const page = rows.slice(0, limit)
    return {
      page: page.map((row) => messageView(row, this.deps)),
      continueCursor: page.at(-1)?.id ?? cursor,
      isDone: rows.length <= limit,
    }
  }

  /** @throws WorkspaceError `bad_request` for the text or thread; `conflict` in an archived room */
  add(
    room: RoomRow,
    authorId: string,
    request: NewMessageText,
  ): { id: string; roomId: string; notified: string[] } {
    const { inbox, messages, noticeStore, deliveryEnqueuer } = this.deps
    const { body, threadId = null, sentVia = null } = request
    requireUnarchived(room)
    requireMessageText(body, 'message')
    if (threadId !== null) this.requireThreadRoot(room, threadId)
    const message = this.insert(room, { threadId, authorId, body, sentVia })
    if (threadId !== null) messages.countReply(threadId, 1)
    const notified = inbox.addForMessage(message, room, mentionedIds(body), message.sentMs)
    const repliedTo = noticeStore.addForMessage(message, room, notified)
    const recipients = { notified, repliedTo, isNew: true }
    const notice = deliveryEnqueuer.enqueueForMessage(message, room, recipients)
    if (notice) this.addNotice(room, notice)
    return { id: message.id, roomId: room.id, notified }
  }

  /** @throws WorkspaceError as `add`; `not_found` or `forbidden` if the author is not in the room */
  postAs(author: Member, idOrSlug: string, request: NewMessageText): { id: string; notified: string[] } {
    const room = this.deps.memberships.requireIn(author, idOrSlug)
    const { id, notified } = this.add(room, author.id, request)
    this.deps.typing.end(room.id, author.id)
    return { id, notified }
  }

  /** @throws WorkspaceError `bad_request` for a deleted or old message; `conflict` in an archived room */
  edit(room: RoomRow, message: MessageRow, body: string): Unreached[] {
    const { attachments, clock, inbox, messagePreviews, messages, search, deliveryEnqueuer } = this.deps
    requireUnarchived(room)
    if (message.deletedMs !== null) throw new WorkspaceError('bad_request', 'This message was deleted.')
    const nowMs = clock.now()
    if (nowMs - message.sentMs > editWindowMs) {
      throw new WorkspaceError('bad_request', 'Edit window has expired')
    }
    requireMessageText(body, 'message')
    const unreached = this.unreached({ ...message, body }, room)
    if (body === message.body) return unreached
    messages.edit(message.id, body, nowMs)
    attachments.followLinks(message, body)
    messagePreviews.enqueue(message, body)
    search.change(message.id, this.searchText(body))
    const mentions = { before: mentionedIds(message.body), after: mentionedIds(body) }
    const notified = inbox.updateForMessage(message, room, mentions, nowMs)
    const notice = deliveryEnqueuer.enqueueForMessage({ ...message, body }, room, {
      notified,
      repliedTo: [],
      isNew: false,
    })
    if (notice) this.addNotice(room, notice)
    return unreached
  }

  remove({ id, threadId }: MessageRow, deletedBy: string): void {
    const { attachments, clock, inbox, messages, noticeStore, pinnedMessages, reactions, search } = this.deps
    if (!messages.remove(id, clock.now(), deletedBy)) return
    if (threadId !== null) messages.countReply(threadId, -1)
    search.remove(id)
    reactions.removeOf(id)
    pinnedMessages.remove(id)
    attachments.removeOfMessage(id)
    inbox.removeForMessage(id)
    noticeStore.removeForMessage(id)
  }

  unreached({ body, authorId }: Pick<MessageRow, 'body' | 'authorId'>, room: RoomRow): Unreached[] {
    return unreachedInRoom(mentionsIn(body), room, authorId, this.deps)
  }

  /** A notice notifies no member and triggers no webhook. */
  private addNotice(room: RoomRow, { author, body }: LoopNotice): void {
    this.insert(room, { threadId: null, authorId: author.id, body, sentVia: ownClient })
  }

  private insert(
    { id: roomId }: RoomRow,
    fields: Pick<NewMessageRow, 'threadId' | 'authorId' | 'body' | 'sentVia'>,
  ): NewMessageRow {
    const { attachments, clock, database, events, messagePreviews, messages, newId, search } = this.deps
    const message = { ...fields, id: newId('msg'), roomId, sentMs: clock.now() }
    messages.insert(message)
    attachments.followLinks(message, message.body)
    messagePreviews.enqueue(message, message.body)
    database.atEnd(() => search.add('message', message.id, this.searchText(message.body)))
    events.append({ type: 'message', roomId, messageId: message.id, actorId: message.authorId })
    return message
  }

  private requireThreadRoot(room: RoomRow, messageId: string): void {
    const { threadId, deletedMs } = this.require(room, messageId)
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

  private positionOf(cursor: string, room: RoomRow, threadId: string | null): number {
    const message = this.findIn(room, cursor)
    if (message && message.threadId === threadId) return message.place
    throw new WorkspaceError(
      'bad_request',
      'The cursor does not belong to this list. Send continueCursor of the previous page, or leave it out to start.',
    )
  }

  private searchText(body: string) {
    return { title: '', body: plainText(body, this.deps.members.names()) }
  }
}
