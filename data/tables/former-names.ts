import type { Connection } from '../database.ts'

export type FormerNamesTable = ReturnType<typeof formerNamesTable>

export function formerNamesTable(db: Connection) {
  const put = db.prepare<[string, string, string, number]>(`
    INSERT INTO former_names (project_id, path_key, document_id, until_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET document_id = excluded.document_id, until_ms = excluded.until_ms`)
  const find = db
    .prepare<[string, string, number], string>(`
    SELECT document_id FROM former_names WHERE project_id = ? AND path_key = ? AND until_ms > ?`)
    .pluck()
  const trim = db.prepare<[number]>('DELETE FROM former_names WHERE until_ms <= ?')

  return {
    put: (projectId: string, pathKey: string, documentId: string, untilMs: number): void => {
      put.run(projectId, pathKey, documentId, untilMs)
    },
    /** The id of the document that had this name, until the name expires. */
    find: (projectId: string, pathKey: string, nowMs: number): string | undefined =>
      find.get(projectId, pathKey, nowMs),
    trim: (nowMs: number): number => trim.run(nowMs).changes,
  }
}
