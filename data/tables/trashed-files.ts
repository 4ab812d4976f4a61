import type { Connection } from '../database.ts'

export interface TrashedFile {
  id: string
  projectId: string
  path: string
  trashPath: string
  bytes: number
  deletedMs: number
  deletedBy: string
}

const columns = `id, project_id AS projectId, path, trash_path AS trashPath, bytes, deleted_ms AS deletedMs,
  deleted_by AS deletedBy`

export type TrashedFilesTable = ReturnType<typeof trashedFilesTable>

export function trashedFilesTable(db: Connection) {
  const find = db.prepare<[string], TrashedFile>(`SELECT ${columns} FROM trashed_files WHERE id = ?`)
  const newest = db.prepare<[string, number], TrashedFile>(
    `SELECT ${columns} FROM trashed_files WHERE project_id = ? ORDER BY deleted_ms DESC, id DESC LIMIT ?`,
  )
  const oldest = db.prepare<[string], TrashedFile>(
    `SELECT ${columns} FROM trashed_files WHERE project_id = ? ORDER BY deleted_ms, id LIMIT 1`,
  )
  const total = db.prepare<[string], { count: number; bytes: number }>(
    'SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM trashed_files WHERE project_id = ?',
  )
  const deletedBefore = db.prepare<[number, number], TrashedFile>(
    `SELECT ${columns} FROM trashed_files WHERE deleted_ms <= ? ORDER BY deleted_ms LIMIT ?`,
  )
  const deletedAfter = db
    .prepare<[number], number>('SELECT 1 FROM trashed_files WHERE deleted_ms > ? LIMIT 1')
    .pluck()
  const restampDeleted = db.prepare<[number, number]>(
    'UPDATE trashed_files SET deleted_ms = ? WHERE deleted_ms > ?',
  )
  const firstDeletedMs = db.prepare<[], number | null>('SELECT min(deleted_ms) FROM trashed_files').pluck()
  const put = db.prepare<[TrashedFile]>(`
    INSERT INTO trashed_files (id, project_id, path, trash_path, bytes, deleted_ms, deleted_by)
    VALUES (@id, @projectId, @path, @trashPath, @bytes, @deletedMs, @deletedBy)`)
  const remove = db.prepare<[string]>('DELETE FROM trashed_files WHERE id = ?')

  return {
    find: (id: string): TrashedFile | null => find.get(id) ?? null,
    newest: (projectId: string, limit: number): TrashedFile[] => newest.all(projectId, limit),
    oldest: (projectId: string): TrashedFile | null => oldest.get(projectId) ?? null,
    total: (projectId: string): { count: number; bytes: number } => total.get(projectId)!,
    deletedBefore: (timeMs: number, limit: number): TrashedFile[] => deletedBefore.all(timeMs, limit),
    hasDeletedAfter: (timeMs: number): boolean => deletedAfter.get(timeMs) === 1,
    restampDeleted: (afterMs: number, atMs: number): void => void restampDeleted.run(atMs, afterMs),
    firstDeletedMs: (): number | null => firstDeletedMs.get() ?? null,
    put: (row: TrashedFile): void => void put.run(row),
    remove: (id: string): void => void remove.run(id),
  }
}
