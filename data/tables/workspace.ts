import type { Connection } from '../database.ts'

export interface WorkspaceRow {
  id: string
  name: string
  slug: string
  createdMs: number // Unix time, milliseconds
}

export function workspaceTable(db: Connection) {
  const find = db.prepare<[], WorkspaceRow>('SELECT id, name, slug, created_ms AS createdMs FROM workspace')
  const insert = db.prepare<WorkspaceRow>(`
    INSERT INTO workspace (id, name, slug, created_ms) VALUES (@id, @name, @slug, @createdMs)`)
  const address = db.prepare<[], string | null>('SELECT address FROM workspace').pluck()
  const setAddress = db.prepare<[string]>('UPDATE workspace SET address = ?')
  const outboundAllow = db.prepare<[], string | null>('SELECT outbound_allow FROM workspace').pluck()
  const setOutboundAllow = db.prepare<[string]>('UPDATE workspace SET outbound_allow = ?')
  const rename = db.prepare<[string]>('UPDATE workspace SET name = ?')
  return {
    find: (): WorkspaceRow | undefined => find.get(),
    insert: (row: WorkspaceRow): void => void insert.run(row),
    /** The base URL of the last run; null if it was never served. */
    address: (): string | null => address.get() ?? null,
    setAddress: (url: string): void => void setAddress.run(url),
    outboundAllow: (): string[] | null => {
      const allow = outboundAllow.get() ?? null
      return allow === null ? null : (JSON.parse(allow) as string[])
    },
    setOutboundAllow: (allow: readonly string[]): void => void setOutboundAllow.run(JSON.stringify(allow)),
    rename: (name: string): void => void rename.run(name),
  }
}
export type WorkspaceTable = ReturnType<typeof workspaceTable>
