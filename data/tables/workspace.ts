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
  const address = db.prepare<[], string | null>('SELECT address FROM workspace').pluck()
  const setAddress = db.prepare<[string]>('UPDATE workspace SET address = ?')
  return {
    find: (): WorkspaceRow | undefined => find.get(),
    insert: (row: WorkspaceRow): void => void insert.run(row),
    /** The base address at which it was served last; null where it never was. */
    address: (): string | null => address.get() ?? null,
    setAddress: (url: string): void => void setAddress.run(url),
  }
}
export type WorkspaceTable = ReturnType<typeof workspaceTable>
