import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { messageView } from './message-view.ts'
import type { MessageView } from './types.ts'

interface PassagesDeps {
  messages: MessagesTable
  members: MemberStore
  memberships: Memberships
}

/** Which part of a room, or of a thread, is to be read. Messages are named by their ids; they may have been deleted. */
export type WindowRequest =
  /** What was said last. `count`: how many messages, at most 500; default 50 */
  | { at: 'end'; count?: number }
  /** A message, where there is one, and all behind it. */
  | { at: 'from'; messageId: string }
  /** What came before a message. */
  | { at: 'before'; messageId: string }
  /** A message among its neighbours. */
  | { at: 'around'; messageId: string }

/** What was said one after the other. */
export interface MessageWindow {
  /** Oldest first. */
  messages: MessageView[]
  /** From which message on a passage holds some more of what came before; null: there is nothing before. */
  earlier: string | null
  /** Whether anything was said behind it. */
  hasLater: boolean
}

/** How many messages a passage holds by itself, and at the most. */
const defaultCount = 50
const maxCount = 500

/** A room as people read it: any part of it, at any message. Throws as `Messages` does. */
export class RoomHistory {
  private readonly deps: PassagesDeps

  constructor(deps: PassagesDeps) {
    this.deps = deps
  }

  /**
   * @param threadId reads the replies to this message
   * @throws WorkspaceError `not_found` for a message that is not in the room, or not in the thread
   */
  read(
    caller: Caller,
    idOrSlug: string,
    stretch: WindowRequest,
    threadId: string | null = null,
  ): MessageWindow {
    const room = this.enter(caller, idOrSlug)
    if (threadId !== null) this.require(room, threadId)
    const { messages } = this.deps
    const before = (limit: number, place?: number) =>
      (threadId === null
        ? messages.inRoom(room.id, limit, place)
        : messages.inThread(threadId, limit, place)
      ).toReversed()
    const from = (limit: number, place: number) =>
      threadId === null
        ? messages.inRoomFrom(room.id, limit, place)
        : messages.inThreadFrom(threadId, limit, place)
    const rows = this.rowsOf(room, stretch, { before, from, threadId })
    const [first, last] = [rows[0], rows.at(-1)]
    return {
      messages: rows.map((row) => this.viewOf(row)),
      earlier: first ? (before(defaultCount, first.place)[0]?.id ?? null) : null,
      hasLater: last !== undefined && from(1, last.place + 1).length > 0,
    }
  }

  /** One message, and whether it was deleted. @throws WorkspaceError `not_found` */
  find(caller: Caller, idOrSlug: string, messageId: string): { message: MessageView; isDeleted: boolean } {
    const row = this.require(this.enter(caller, idOrSlug), messageId)
    return { message: this.viewOf(row), isDeleted: row.deletedMs !== null }
  }

  private rowsOf(
    room: RoomRow,
    stretch: WindowRequest,
    read: {
      before(limit: number, place?: number): MessageRow[]
      from(limit: number, place: number): MessageRow[]
      threadId: string | null
    },
  ): MessageRow[] {
    if (stretch.at === 'end') return read.before(Math.min(stretch.count ?? defaultCount, maxCount))
    const { place, threadId } = this.require(room, stretch.messageId)
    if (threadId !== read.threadId) throw noSuchMessageError(stretch.messageId)
    if (stretch.at === 'from') return read.from(maxCount, place)
    if (stretch.at === 'before') return read.before(defaultCount, place)
    return [...read.before(defaultCount / 2, place), ...read.from(defaultCount / 2, place)]
  }

  private enter(caller: Caller, idOrSlug: string): RoomRow {
    requireScope(caller, 'rooms:read')
    return this.deps.memberships.requireIn(caller.member, idOrSlug)
  }

  private require(room: RoomRow, messageId: string): MessageRow {
    const row = this.deps.messages.find(messageId)
    if (row?.roomId === room.id) return row
    throw noSuchMessageError(messageId)
  }

  private viewOf(row: MessageRow): MessageView {
    return messageView(row, this.deps.members.find(row.authorId)!)
  }
}

const noSuchMessageError = (messageId: string) =>
  new WorkspaceError('not_found', `There is no message ${messageId.slice(0, 60)} here.`)
