import type { Connection } from '../database.ts'

export interface MessageRow {
  place: number // increases in commit order
  id: string
  roomId: string
  threadId: string | null // the root of its thread
  authorId: string
  body: string // mentions in canonical form
  sentVia: string | null
  sentMs: number // Unix time, milliseconds
  editedMs: number | null
  deletedMs: number | null
  replyCount: number // not counting deleted ones
  isPinned: 0 | 1
  hasReactions: 0 | 1
}

export type NewMessageRow = Pick<
  MessageRow,
  'id' | 'roomId' | 'threadId' | 'authorId' | 'body' | 'sentVia' | 'sentMs'
>

const columns = `place, id, room_id AS roomId, thread_id AS threadId, author_id AS authorId, body, sent_via AS sentVia,
  sent_ms AS sentMs, edited_ms AS editedMs, deleted_ms AS deletedMs, reply_count AS replyCount,
  EXISTS (SELECT 1 FROM pinned_messages WHERE message_id = messages.id) AS isPinned,
  EXISTS (SELECT 1 FROM reactions WHERE message_id = messages.id) AS hasReactions`

/** A row as an array, in the order of `columns`: reading a page as objects would take twice as long. */
type MessageValues = [
  place: MessageRow['place'],
  id: MessageRow['id'],
  roomId: MessageRow['roomId'],
  threadId: MessageRow['threadId'],
  authorId: MessageRow['authorId'],
  body: MessageRow['body'],
  sentVia: MessageRow['sentVia'],
  sentMs: MessageRow['sentMs'],
  editedMs: MessageRow['editedMs'],
  deletedMs: MessageRow['deletedMs'],
  replyCount: MessageRow['replyCount'],
  isPinned: MessageRow['isPinned'],
  hasReactions: MessageRow['hasReactions'],
]

const afterAll = Number.MAX_SAFE_INTEGER

export function messagesTable(db: Connection) {
  const find = db.prepare<[string], MessageRow>(`SELECT ${columns} FROM messages WHERE id = ?`)
  const insert = db.prepare<NewMessageRow>(`
    INSERT INTO messages (id, room_id, thread_id, author_id, body, sent_via, sent_ms)
    VALUES (@id, @roomId, @threadId, @authorId, @body, @sentVia, @sentMs)`)
  const countReply = db.prepare<[number, string]>(
    'UPDATE messages SET reply_count = reply_count + ? WHERE id = ?',
  )
  const edit = db.prepare<[string, number, string]>(
    'UPDATE messages SET body = ?, edited_ms = ? WHERE id = ?',
  )
  const remove = db.prepare<[number, string, string]>(
    'UPDATE messages SET deleted_ms = ?, deleted_by = ? WHERE id = ? AND deleted_ms IS NULL',
  )
  const inRoom = db
    .prepare<[string, number, number], MessageValues>(`
    SELECT ${columns} FROM messages
    WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND place < ? ORDER BY place DESC LIMIT ?`)
    .raw()
  const inThread = db
    .prepare<[string, number, number], MessageValues>(`
    SELECT ${columns} FROM messages
    WHERE thread_id = ? AND deleted_ms IS NULL AND place < ? ORDER BY place DESC LIMIT ?`)
    .raw()
  const inRoomFrom = db
    .prepare<[string, number, number], MessageValues>(`
    SELECT ${columns} FROM messages
    WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND place >= ? ORDER BY place LIMIT ?`)
    .raw()
  const inThreadFrom = db
    .prepare<[string, number, number], MessageValues>(`
    SELECT ${columns} FROM messages
    WHERE thread_id = ? AND deleted_ms IS NULL AND place >= ? ORDER BY place LIMIT ?`)
    .raw()
  const firstSince = db
    .prepare<[string, number], string>(`
    SELECT id FROM messages
    WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND sent_ms >= ? ORDER BY sent_ms, place LIMIT 1`)
    .pluck()
  // Limited, so that many messages by the reader are not scanned.
  const unread = `
    SELECT place FROM (
      SELECT place, author_id FROM messages
      WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND place > ? ORDER BY place DESC LIMIT 300)
    WHERE author_id <> ?`
  const countUnread = db
    .prepare<[string, number, string, number], number>(`SELECT count(*) FROM (${unread} LIMIT ?)`)
    .pluck()
  const firstUnread = db
    .prepare<[string, number, string], string>(
      `SELECT id FROM messages WHERE place = (SELECT min(place) FROM (${unread}))`,
    )
    .pluck()
  const undeleted = db.prepare<[number, number, string], MessageRow>(`
    SELECT ${columns} FROM messages WHERE place > ? AND place <= ? AND room_id = ? AND deleted_ms IS NULL`)
  const lastPlace = db.prepare<[], number>('SELECT ifnull(max(place), 0) FROM messages').pluck()
  return {
    find: (id: string): MessageRow | undefined => find.get(id),
    insert: (row: NewMessageRow): void => void insert.run(row),
    countReply: (id: string, by: 1 | -1): boolean => countReply.run(by, id).changes === 1,
    edit: (id: string, body: string, editedMs: number): boolean => edit.run(body, editedMs, id).changes === 1,
    remove: (id: string, deletedMs: number, deletedBy: string): boolean =>
      remove.run(deletedMs, deletedBy, id).changes === 1,
    /** Outside of threads, newest first, below a place. */
    inRoom: (roomId: string, limit: number, before: number = afterAll): MessageRow[] =>
      inRoom.all(roomId, before, limit).map(fromValues),
    /** Counts messages by others outside of threads after a place, among the last 300, up to `limit`. */
    countUnread: (roomId: string, after: number, readerId: string, limit: number): number =>
      countUnread.get(roomId, after, readerId, limit)!,
    /** The first message that `countUnread` counts. */
    firstUnread: (roomId: string, after: number, readerId: string): string | null =>
      firstUnread.get(roomId, after, readerId) ?? null,
    /** Newest first, below a place. */
    inThread: (threadId: string, limit: number, before: number = afterAll): MessageRow[] =>
      inThread.all(threadId, before, limit).map(fromValues),
    /** The first message outside of threads since a time. */
    firstSince: (roomId: string, sentMs: number): string | null => firstSince.get(roomId, sentMs) ?? null,
    /** Outside of threads, oldest first, from a place on. */
    inRoomFrom: (roomId: string, limit: number, from: number): MessageRow[] =>
      inRoomFrom.all(roomId, from, limit).map(fromValues),
    /** Oldest first, from a place on. */
    inThreadFrom: (threadId: string, limit: number, from: number): MessageRow[] =>
      inThreadFrom.all(threadId, from, limit).map(fromValues),
    /** Includes threads. */
    undeleted: (roomId: string, { after, upTo }: { after: number; upTo: number }): MessageRow[] =>
      undeleted.all(after, upTo, roomId),
    /** Among all messages; 0 if there is none. */
    lastPlace: (): number => lastPlace.get()!,
  }
}

function fromValues([
  place,
  id,
  roomId,
  threadId,
  authorId,
  body,
  sentVia,
  sentMs,
  editedMs,
  deletedMs,
  replyCount,
  isPinned,
  hasReactions,
]: MessageValues): MessageRow {
  return {
    place,
    id,
    roomId,
    threadId,
    authorId,
    body,
    sentVia,
    sentMs,
    editedMs,
    deletedMs,
    replyCount,
    isPinned,
    hasReactions,
  }
}

export type MessagesTable = ReturnType<typeof messagesTable>
