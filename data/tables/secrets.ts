import type { Connection } from '../database.ts'

export function secretsTable(db: Connection) {
  const find = db.prepare<[string], Buffer>('SELECT value FROM secrets WHERE name = ?').pluck()
  const insert = db.prepare<[string, Uint8Array]>('INSERT INTO secrets (name, value) VALUES (?, ?)')
  return {
    find: (name: string): Uint8Array | undefined => find.get(name),
    insert: (name: string, value: Uint8Array): void => void insert.run(name, value),
  }
}
export type SecretsTable = ReturnType<typeof secretsTable>
