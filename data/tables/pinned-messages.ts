import type { Connection } from '../database.ts'

interface PinnedMessageRow {
  messageId: string
  roomId: string
  pinnedBy: string
  atMs: number // Unix time, milliseconds
}

export type PinnedMessagesTable = ReturnType<typeof pinnedMessagesTable>

export function pinnedMessagesTable(db: Connection) {
  const add = db.prepare<PinnedMessageRow>(`
    INSERT INTO pinned_messages (message_id, room_id, pinned_by, at_ms)
    VALUES (@messageId, @roomId, @pinnedBy, @atMs)`)
  const remove = db.prepare<[string]>('DELETE FROM pinned_messages WHERE message_id = ?')
  const includes = db.prepare<[string], 1>('SELECT 1 FROM pinned_messages WHERE message_id = ?').pluck()
  const count = db.prepare<[string], number>('SELECT count(*) FROM pinned_messages WHERE room_id = ?').pluck()
  const inRoom = db.prepare<[string], PinnedMessageRow>(`
    SELECT message_id AS messageId, room_id AS roomId, pinned_by AS pinnedBy, at_ms AS atMs
    FROM pinned_messages WHERE room_id = ? ORDER BY place DESC`)
  return {
    /** @throws SqliteError if the message is pinned */
    add: (row: PinnedMessageRow): void => void add.run(row),
    remove: (messageId: string): boolean => remove.run(messageId).changes === 1,
    includes: (messageId: string): boolean => includes.get(messageId) === 1,
    count: (roomId: string): number => count.get(roomId)!,
    /** The last pinned first. */
    inRoom: (roomId: string): PinnedMessageRow[] => inRoom.all(roomId),
  }
}
