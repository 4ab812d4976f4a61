import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { messageView } from './message-view.ts'
import type { MessageView } from './types.ts'

interface RoomHistoryDeps {
  messages: MessagesTable
  members: MemberStore
  memberships: Memberships
}

/** The part of a room or thread to read. The named message may have been deleted. */
export type WindowRequest =
  /** The last messages. `count`: default 50, maximum 500. */
  | { at: 'end'; count?: number }
  | { at: 'from'; messageId: string }
  | { at: 'before'; messageId: string }
  | { at: 'around'; messageId: string }

export interface MessageWindow {
  messages: MessageView[]
  /** The message from which the window of earlier messages begins; null if there are none. */
  earlier: string | null
  hasLater: boolean
}

const defaultCount = 50
const maxCount = 500

/** Any part of a room or thread. Throws as `Messages` does. */
export class RoomHistory {
  private readonly deps: RoomHistoryDeps

  constructor(deps: RoomHistoryDeps) {
    this.deps = deps
  }

  read(
    caller: Caller,
    idOrSlug: string,
    request: WindowRequest,
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
    const rows = this.rowsOf(room, request, { before, from, threadId })
    const [first, last] = [rows[0], rows.at(-1)]
    return {
      messages: rows.map((row) => this.viewOf(row)),
      earlier: first ? (before(defaultCount, first.place)[0]?.id ?? null) : null,
      hasLater: last !== undefined && from(1, last.place + 1).length > 0,
    }
  }

  find(caller: Caller, idOrSlug: string, messageId: string): { message: MessageView; isDeleted: boolean } {
    const row = this.require(this.enter(caller, idOrSlug), messageId)
    return { message: this.viewOf(row), isDeleted: row.deletedMs !== null }
  }

  private rowsOf(
    room: RoomRow,
    request: WindowRequest,
    read: {
      before(limit: number, place?: number): MessageRow[]
      from(limit: number, place: number): MessageRow[]
      threadId: string | null
    },
  ): MessageRow[] {
    if (request.at === 'end') return read.before(Math.min(request.count ?? defaultCount, maxCount))
    const { place, threadId } = this.require(room, request.messageId)
    if (threadId !== read.threadId) throw noSuchMessageError(request.messageId)
    if (request.at === 'from') return read.from(maxCount, place)
    if (request.at === 'before') return read.before(defaultCount, place)
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
