import type { Connection } from '../database.ts'

export interface MessageRow {
  place: number // rises in the order of the commits
  id: string
  roomId: string
  threadId: string | null // the message that it replies to
  authorId: string
  body: string // mentions in canonical form
  sentVia: string | null
  sentMs: number // Unix time, milliseconds
  editedMs: number | null
  deletedMs: number | null
  replyCount: number // of those that are not deleted
}

export type NewMessageRow = Pick<
  MessageRow,
  'id' | 'roomId' | 'threadId' | 'authorId' | 'body' | 'sentVia' | 'sentMs'
>

const columns = `place, id, room_id AS roomId, thread_id AS threadId, author_id AS authorId, body, sent_via AS sentVia,
  sent_ms AS sentMs, edited_ms AS editedMs, deleted_ms AS deletedMs, reply_count AS replyCount`

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
  const inRoom = db.prepare<[string, number, number], MessageRow>(`
    SELECT ${columns} FROM messages
    WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND place < ? ORDER BY place DESC LIMIT ?`)
  const inThread = db.prepare<[string, number, number], MessageRow>(`
    SELECT ${columns} FROM messages
    WHERE thread_id = ? AND deleted_ms IS NULL AND place < ? ORDER BY place DESC LIMIT ?`)
  const inRoomFrom = db.prepare<[string, number, number], MessageRow>(`
    SELECT ${columns} FROM messages
    WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND place >= ? ORDER BY place LIMIT ?`)
  const inThreadFrom = db.prepare<[string, number, number], MessageRow>(`
    SELECT ${columns} FROM messages
    WHERE thread_id = ? AND deleted_ms IS NULL AND place >= ? ORDER BY place LIMIT ?`)
  const firstSince = db
    .prepare<[string, number], string>(`
    SELECT id FROM messages
    WHERE room_id = ? AND thread_id IS NULL AND deleted_ms IS NULL AND sent_ms >= ? ORDER BY sent_ms, place LIMIT 1`)
    .pluck()
  // Counts at most this far, so that many messages by the reader are not scanned.
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
    /** Outside of threads, not deleted, newest first. @param before only those below this place */
    inRoom: (roomId: string, limit: number, before: number = afterAll): MessageRow[] =>
      inRoom.all(roomId, before, limit),
    /** Messages by others outside of threads after a place, among the last 300. @param most the count stops here */
    countUnread: (roomId: string, after: number, readerId: string, most: number): number =>
      countUnread.get(roomId, after, readerId, most)!,
    /** The id of the first such message; null if there is none. */
    firstUnread: (roomId: string, after: number, readerId: string): string | null =>
      firstUnread.get(roomId, after, readerId) ?? null,
    /** Replies that are not deleted, newest first. @param before only those below this place */
    inThread: (threadId: string, limit: number, before: number = afterAll): MessageRow[] =>
      inThread.all(threadId, before, limit),
    /** The first outside of threads that was sent at this time or later and is not deleted; null if there is none. */
    firstSince: (roomId: string, sentMs: number): string | null => firstSince.get(roomId, sentMs) ?? null,
    /** Outside of threads, not deleted, oldest first. @param from only those at this place and above */
    inRoomFrom: (roomId: string, limit: number, from: number): MessageRow[] =>
      inRoomFrom.all(roomId, from, limit),
    /** Replies that are not deleted, oldest first. @param from only those at this place and above */
    inThreadFrom: (threadId: string, limit: number, from: number): MessageRow[] =>
      inThreadFrom.all(threadId, from, limit),
    /** Of a room and its threads, above one place and up to another. */
    undeleted: (roomId: string, { after, upTo }: { after: number; upTo: number }): MessageRow[] =>
      undeleted.all(after, upTo, roomId),
    /** Of all messages; 0 if there is none. */
    lastPlace: (): number => lastPlace.get()!,
  }
}
export type MessagesTable = ReturnType<typeof messagesTable>
