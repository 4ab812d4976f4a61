import type { Connection } from '../database.ts'

export interface WorkspaceRow {
  id: string
  name: string
  slug: string
  createdMs: number // Unix time, milliseconds
}

/** The one row that says which workspace this is. */
export function workspaceTable(db: Connection) {
  const find = db.prepare<[], WorkspaceRow>('SELECT id, name, slug, created_ms AS createdMs FROM workspace')
  const insert = db.prepare<WorkspaceRow>(`
    INSERT INTO workspace (id, name, slug, created_ms) VALUES (@id, @name, @slug, @createdMs)`)
  return {
    find: (): WorkspaceRow | undefined => find.get(),
    insert: (row: WorkspaceRow): void => void insert.run(row),
  }
}
export type WorkspaceTable = ReturnType<typeof workspaceTable>
