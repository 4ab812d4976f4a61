import type { MessageRow, MessagesTable } from '../../data/tables/messages.ts'
import type { ReactionsTable } from '../../data/tables/reactions.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { ChangeTopics } from '../change-topics/change-topics.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { isTimeZone, startOfDay } from '../time/calendar.ts'
import { messageView } from './message-view.ts'
import type { MessageView } from './types.ts'

interface RoomHistoryDeps {
  messages: MessagesTable
  reactions: ReactionsTable
  members: MemberStore
  memberships: Memberships
  changeTopics: Pick<ChangeTopics, 'messagesChangedSince'>
}

/** A message window to read. The named message may have been deleted. */
export type WindowRequest =
  /** The last messages. `count` defaults to 50 and is at most 500. */
  | { at: 'end'; count?: number }
  | { at: 'from'; messageId: string }
  | { at: 'before'; messageId: string }
  | { at: 'around'; messageId: string }

export interface MessageWindow {
  messages: MessageView[]
  /** The message from which the earlier window begins; null if there is none. */
  earlier: string | null
  hasLater: boolean
}

/** Each message comes with the one before it, which decides how it is displayed. */
export interface MessageChanges {
  shown: { message: MessageView; before: MessageView | null }[]
  removedIds: string[]
}

/** With more changes than this, reading the window again costs less. */
const maxChanges = 50
const defaultCount = 50
const maxCount = 500

/** Throws as `Messages` does. */
export class RoomHistory {
  constructor(private readonly deps: RoomHistoryDeps) {}

  read(
    caller: Caller,
    idOrSlug: string,
    request: WindowRequest,
    threadId: string | null = null,
  ): MessageWindow {
    const room = this.requireRoom(caller, idOrSlug)
    if (threadId !== null) this.requireMessage(room, threadId)
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

  /** Changed messages, and those that follow a deleted one, oldest first. Null if unknown or too many. */
  changes(
    caller: Caller,
    idOrSlug: string,
    { since, from, threadId }: { since: number; from: string | null; threadId: string | null },
  ): MessageChanges | null {
    const room = this.requireRoom(caller, idOrSlug)
    const { messages, changeTopics } = this.deps
    const ids = changeTopics.messagesChangedSince(since)
    if (ids === null || ids.length > maxChanges) return null
    const firstPlace = from === null ? 0 : this.requireMessage(room, from).place
    const changed = ids
      .map((id) => messages.find(id))
      .filter((row) => row?.roomId === room.id && row.threadId === threadId && row.place >= firstPlace)
      .map((row) => row!)
    const following = changed
      .filter(({ deletedMs }) => deletedMs !== null)
      .map(({ place }) => this.rowsFrom(room, threadId, place)[0])
      .filter((row) => row !== undefined)
    const shown = [...changed.filter(({ deletedMs }) => deletedMs === null), ...following]
    return {
      shown: [...new Map(shown.map((row) => [row.place, row])).values()]
        .sort((one, other) => one.place - other.place)
        .map((row) => ({ message: this.viewOf(row), before: this.viewBefore(room, row) })),
      removedIds: changed.filter(({ deletedMs }) => deletedMs !== null).map(({ id }) => id),
    }
  }

  /** The first message of a day, or after it. */
  firstFrom(
    caller: Caller,
    idOrSlug: string,
    { date, timeZone }: { date: string; timeZone: string },
  ): string | null {
    const room = this.requireRoom(caller, idOrSlug)
    if (!isTimeZone(timeZone)) {
      throw new WorkspaceError('bad_request', 'zone must be a time zone, such as Europe/Berlin.')
    }
    const fromMs = startOfDay(date, timeZone)
    if (fromMs === null) {
      throw new WorkspaceError('bad_request', 'on must be a date, such as 2026-06-18.')
    }
    return this.deps.messages.firstSince(room.id, fromMs)
  }

  find(caller: Caller, idOrSlug: string, messageId: string): { message: MessageView; isDeleted: boolean } {
    const row = this.requireMessage(this.requireRoom(caller, idOrSlug), messageId)
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
    const { place, threadId } = this.requireMessage(room, request.messageId)
    if (threadId !== read.threadId) throw noSuchMessageError(request.messageId)
    if (request.at === 'from') return read.from(maxCount, place)
    if (request.at === 'before') return read.before(defaultCount, place)
    return [...read.before(defaultCount / 2, place), ...read.from(defaultCount / 2, place)]
  }

  private rowsFrom(room: RoomRow, threadId: string | null, place: number): MessageRow[] {
    const { messages } = this.deps
    return threadId === null
      ? messages.inRoomFrom(room.id, 1, place)
      : messages.inThreadFrom(threadId, 1, place)
  }

  private viewBefore(room: RoomRow, { threadId, place }: MessageRow): MessageView | null {
    const { messages } = this.deps
    const [row] =
      threadId === null ? messages.inRoom(room.id, 1, place) : messages.inThread(threadId, 1, place)
    return row ? this.viewOf(row) : null
  }

  private requireRoom(caller: Caller, idOrSlug: string): RoomRow {
    requireScope(caller, 'rooms:read')
    return this.deps.memberships.requireIn(caller.member, idOrSlug)
  }

  private requireMessage(room: RoomRow, messageId: string): MessageRow {
    const row = this.deps.messages.find(messageId)
    if (row?.roomId === room.id) return row
    throw noSuchMessageError(messageId)
  }

  private viewOf(row: MessageRow): MessageView {
    return messageView(row, this.deps)
  }
}

const noSuchMessageError = (messageId: string) =>
  new WorkspaceError('not_found', `There is no message ${messageId.slice(0, 60)} here.`)
