import type { Connection } from '../database.ts'

export interface RoomAttachmentRow {
  id: string
  roomId: string
  name: string
  type: string // media type, without parameters
  size: number // bytes
  uploadedBy: string
  messageId: string | null // the first message that links to it
  unusedMs: number | null // since when no message links to it, Unix milliseconds
  deletedMs: number | null // Unix milliseconds; its file is removed soon
}

const columns = `id, room_id AS roomId, name, type, size, uploaded_by AS uploadedBy, message_id AS messageId,
  unused_ms AS unusedMs, deleted_ms AS deletedMs`

export function roomAttachmentsTable(db: Connection) {
  const find = db.prepare<[string], RoomAttachmentRow>(`SELECT ${columns} FROM room_attachments WHERE id = ?`)
  const all = db.prepare<[], RoomAttachmentRow>(`SELECT ${columns} FROM room_attachments ORDER BY id`)
  const ofMessage = db.prepare<[string], RoomAttachmentRow>(
    `SELECT ${columns} FROM room_attachments WHERE message_id = ? AND deleted_ms IS NULL`,
  )
  const insert = db.prepare<RoomAttachmentRow>(`
    INSERT INTO room_attachments (id, room_id, name, type, size, uploaded_by, message_id, unused_ms, deleted_ms)
    VALUES (@id, @roomId, @name, @type, @size, @uploadedBy, @messageId, @unusedMs, @deletedMs)`)
  const countUnused = db
    .prepare<[string, string], number>(`
    SELECT count(*) FROM room_attachments
    WHERE room_id = ? AND uploaded_by = ? AND unused_ms IS NOT NULL AND deleted_ms IS NULL`)
    .pluck()
  const link = db.prepare<[string, string]>(
    'UPDATE room_attachments SET message_id = ?, unused_ms = NULL WHERE id = ?',
  )
  const unlink = db.prepare<[number, string]>(
    'UPDATE room_attachments SET message_id = NULL, unused_ms = ? WHERE id = ?',
  )
  const markDeleted = db.prepare<[number, string]>(
    'UPDATE room_attachments SET deleted_ms = ? WHERE id = ? AND deleted_ms IS NULL',
  )
  const markDeletedOfMessage = db.prepare<[number, string]>(
    'UPDATE room_attachments SET deleted_ms = ? WHERE message_id = ? AND deleted_ms IS NULL',
  )
  const markDeletedOfRoom = db.prepare<[number, string]>(
    'UPDATE room_attachments SET deleted_ms = ? WHERE room_id = ? AND deleted_ms IS NULL',
  )
  const markDeletedOfProject = db.prepare<[number, string]>(`
    UPDATE room_attachments SET deleted_ms = ?
    WHERE room_id IN (SELECT id FROM rooms WHERE project_id = ?) AND deleted_ms IS NULL`)
  const markDeletedUnused = db.prepare<[number, number]>(
    'UPDATE room_attachments SET deleted_ms = ? WHERE unused_ms < ? AND deleted_ms IS NULL',
  )
  const deleted = db.prepare<[string, number], RoomAttachmentRow>(`
    SELECT ${columns} FROM room_attachments WHERE deleted_ms IS NOT NULL AND id > ? ORDER BY id LIMIT ?`)
  const firstUnused = db
    .prepare<[], number | null>(
      'SELECT min(unused_ms) FROM room_attachments WHERE unused_ms IS NOT NULL AND deleted_ms IS NULL',
    )
    .pluck()
  const remove = db.prepare<[string]>('DELETE FROM room_attachments WHERE id = ?')
  const total = db.prepare<[], { count: number; bytes: number }>(
    'SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM room_attachments WHERE deleted_ms IS NULL',
  )
  return {
    /** Also finds a deleted attachment. */
    find: (id: string): RoomAttachmentRow | undefined => find.get(id),
    all: (): RoomAttachmentRow[] => all.all(),
    ofMessage: (messageId: string): RoomAttachmentRow[] => ofMessage.all(messageId),
    insert: (row: RoomAttachmentRow): void => void insert.run(row),
    countUnused: (roomId: string, uploadedBy: string): number => countUnused.get(roomId, uploadedBy)!,
    link: (id: string, messageId: string): void => void link.run(messageId, id),
    unlink: (id: string, unusedMs: number): void => void unlink.run(unusedMs, id),
    markDeleted: (id: string, deletedMs: number): number => markDeleted.run(deletedMs, id).changes,
    markDeletedOfMessage: (messageId: string, deletedMs: number): number =>
      markDeletedOfMessage.run(deletedMs, messageId).changes,
    markDeletedOfRoom: (roomId: string, deletedMs: number): number =>
      markDeletedOfRoom.run(deletedMs, roomId).changes,
    markDeletedOfProject: (projectId: string, deletedMs: number): number =>
      markDeletedOfProject.run(deletedMs, projectId).changes,
    /** Those that no message has linked to since `beforeMs`. */
    markDeletedUnused: (beforeMs: number, deletedMs: number): number =>
      markDeletedUnused.run(deletedMs, beforeMs).changes,
    /** Those whose files are not removed yet, by id after `after`. */
    deleted: (after: string, limit: number): RoomAttachmentRow[] => deleted.all(after, limit),
    /** Of the attachment that is unused longest. */
    firstUnusedMs: (): number | null => firstUnused.get() ?? null,
    remove: (id: string): void => void remove.run(id),
    total: (): { count: number; bytes: number } => total.get()!,
  }
}
export type RoomAttachmentsTable = ReturnType<typeof roomAttachmentsTable>
