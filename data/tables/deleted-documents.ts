import type { Connection } from '../database.ts'
import { columns, type DocumentRecord, fromStored, type Stored } from './document-rows.ts'

export function deletedDocuments(db: Connection) {
  const deleted = db.prepare<[string], Stored>(`
    SELECT ${columns} FROM documents WHERE project_id = ? AND deleted_ms IS NOT NULL ORDER BY deleted_ms DESC, id DESC`)
  const restorable = db.prepare<[string], Stored>(`
    SELECT ${columns} FROM documents WHERE project_id = ? AND deleted_ms IS NOT NULL
      AND EXISTS (SELECT 1 FROM revisions WHERE document_id = documents.id)
    ORDER BY deleted_ms DESC, id DESC`)
  const lastDeletedAt = db.prepare<[string, string, string], Stored>(`
    SELECT ${columns} FROM documents
    WHERE project_id = ? AND path = ? AND revision = ? AND deleted_ms IS NOT NULL
      AND EXISTS (SELECT 1 FROM revisions WHERE document_id = documents.id)
    ORDER BY deleted_ms DESC LIMIT 1`)
  const lastRemovedFrom = db.prepare<[string, number, string], Stored>(`
    SELECT ${columns} FROM documents
    WHERE project_id = ? AND deleted_ms >= ? AND path = ? ORDER BY deleted_ms DESC LIMIT 1`)
  const deletedBefore = db.prepare<[number], Stored>(`
    SELECT ${columns} FROM documents WHERE deleted_ms < ?
      AND EXISTS (SELECT 1 FROM revisions WHERE document_id = documents.id)
    ORDER BY deleted_ms LIMIT 500`)
  const firstDeleted = db
    .prepare<[], number | null>(`
    SELECT min(deleted_ms) FROM documents WHERE deleted_ms IS NOT NULL
      AND EXISTS (SELECT 1 FROM revisions WHERE document_id = documents.id)`)
    .pluck()
  const deletedAfter = db
    .prepare<[number], number>('SELECT 1 FROM documents WHERE deleted_ms > ? LIMIT 1')
    .pluck()
  const restampDeleted = db.prepare<[number, number]>(
    'UPDATE documents SET deleted_ms = ? WHERE deleted_ms > ?',
  )
  const forget = db.prepare<[string]>(
    'UPDATE documents SET trash_path = NULL, attachments = NULL WHERE id = ?',
  )

  return {
    deleted: (projectId: string): DocumentRecord[] => deleted.all(projectId).map(fromStored),
    /** Newest deletion first. */
    restorable: (projectId: string): DocumentRecord[] => restorable.all(projectId).map(fromStored),
    lastDeletedAt: (projectId: string, path: string, revision: string): DocumentRecord | undefined => {
      const row = lastDeletedAt.get(projectId, path, revision)
      return row && fromStored(row)
    },
    /** The last document that was deleted from this path, at this time or later. */
    lastRemovedFrom: (projectId: string, path: string, sinceMs: number): DocumentRecord | undefined => {
      const row = lastRemovedFrom.get(projectId, sinceMs, path)
      return row && fromStored(row)
    },
    /** Restorable documents: at most 500, oldest first. */
    deletedBefore: (timeMs: number): DocumentRecord[] => deletedBefore.all(timeMs).map(fromStored),
    hasDeletedAfter: (timeMs: number): boolean => deletedAfter.get(timeMs) === 1,
    /** Changes the time of deletions after `afterMs`. */
    restampDeleted: (afterMs: number, atMs: number): void => void restampDeleted.run(atMs, afterMs),
    firstDeletedMs: (): number | null => firstDeleted.get() ?? null,
    /** Marks a file in the trash, and its attachments, as purged. */
    forgetTrashFile: (id: string): boolean => forget.run(id).changes === 1,
  }
}
