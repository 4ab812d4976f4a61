import type { Connection } from '../database.ts'

/** The workspace's secrets, by purpose. */
export function secretsTable(db: Connection) {
  const find = db.prepare<[string], Buffer>('SELECT value FROM secrets WHERE name = ?').pluck()
  const insert = db.prepare<[string, Uint8Array]>('INSERT INTO secrets (name, value) VALUES (?, ?)')
  return {
    find: (name: string): Uint8Array | undefined => find.get(name),
    /** @throws SqliteError if the name is taken */
    insert: (name: string, value: Uint8Array): void => void insert.run(name, value),
  }
}
export type SecretsTable = ReturnType<typeof secretsTable>
