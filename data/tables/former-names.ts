import type { Connection } from '../database.ts'

export type FormerNamesTable = ReturnType<typeof formerNamesTable>

/** `requested`: a new document was written to this name, and then named by its title. */
export type FormerNameKind = 'former' | 'requested'

export function formerNamesTable(db: Connection) {
  const put = db.prepare<[string, string, string, number, number]>(`
    INSERT INTO former_names (project_id, path_key, document_id, until_ms, is_requested) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET document_id = excluded.document_id, until_ms = excluded.until_ms,
      is_requested = excluded.is_requested`)
  const find = db.prepare<[string, string, number], { documentId: string; kind: FormerNameKind }>(`
    SELECT document_id AS documentId, iif(is_requested, 'requested', 'former') AS kind FROM former_names
    WHERE project_id = ? AND path_key = ? AND until_ms > ?`)
  const removeAll = db.prepare<[string]>('DELETE FROM former_names WHERE document_id = ?')
  const trim = db.prepare<[number]>('DELETE FROM former_names WHERE until_ms <= ?')

  return {
    put: (
      projectId: string,
      pathKey: string,
      documentId: string,
      untilMs: number,
      kind: FormerNameKind,
    ): void => {
      put.run(projectId, pathKey, documentId, untilMs, kind === 'requested' ? 1 : 0)
    },
    /** The document of a name that has not expired. */
    find: (
      projectId: string,
      pathKey: string,
      nowMs: number,
    ): { documentId: string; kind: FormerNameKind } | undefined => find.get(projectId, pathKey, nowMs),
    removeAll: (documentId: string): void => {
      removeAll.run(documentId)
    },
    trim: (nowMs: number): number => trim.run(nowMs).changes,
  }
}
