import type { Connection } from '../database.ts'

/** A change that leaves the bytes as they are. Paths are in the folder of the project at the time. */
export interface DocumentMoveRow {
  documentId: string
  kind: 'moved' | 'published' | 'deleted' | 'restored'
  actorId: string
  via: 'api' | 'disk' | 'schedule'
  fromPath: string
  toPath: string
  fromProject: string | null // null: unchanged
  atMs: number // Unix time, milliseconds
}

export function documentMovesTable(db: Connection) {
  const add = db.prepare<DocumentMoveRow>(`
    INSERT INTO document_moves (document_id, kind, actor_id, via, from_path, to_path, from_project, at_ms)
    VALUES (@documentId, @kind, @actorId, @via, @fromPath, @toPath, @fromProject, @atMs)`)
  const newest = db.prepare<[string, number], DocumentMoveRow>(`
    SELECT document_id AS documentId, kind, actor_id AS actorId, via, from_path AS fromPath, to_path AS toPath,
      from_project AS fromProject, at_ms AS atMs
    FROM document_moves WHERE document_id = ? ORDER BY id DESC LIMIT ?`)
  const removeAt = db.prepare<[string, number]>(
    'DELETE FROM document_moves WHERE document_id = ? AND at_ms = ?',
  )
  const removeAll = db.prepare<[string]>('DELETE FROM document_moves WHERE document_id = ?')
  return {
    add: (row: DocumentMoveRow): void => void add.run(row),
    /** Newest first. */
    newest: (documentId: string, limit: number): DocumentMoveRow[] => newest.all(documentId, limit),
    removeAt: (documentId: string, atMs: number): void => void removeAt.run(documentId, atMs),
    removeAll: (documentId: string): void => void removeAll.run(documentId),
  }
}
export type DocumentMovesTable = ReturnType<typeof documentMovesTable>
