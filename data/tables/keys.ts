import type { Connection } from '../database.ts'

export interface KeyRow {
  id: string
  memberId: string
  hash: Uint8Array // SHA-256 of the key, which is stored nowhere
  label: string
  scopes: string[]
  createdMs: number // Unix time, milliseconds
  lastUsedMs: number | null
  expiresMs: number | null // null: never
}

type StoredRow = Omit<KeyRow, 'scopes'> & { scopes: string }

const columns = `id, member_id AS memberId, hash, label, scopes, created_ms AS createdMs, last_used_ms AS lastUsedMs,
  expires_ms AS expiresMs`

const fromStored = (row: StoredRow): KeyRow => ({ ...row, scopes: JSON.parse(row.scopes) as string[] })

export function keysTable(db: Connection) {
  const all = db.prepare<[], StoredRow>(`SELECT ${columns} FROM keys ORDER BY created_ms, id`)
  const find = db.prepare<[string], StoredRow>(`SELECT ${columns} FROM keys WHERE id = ?`)
  const insert = db.prepare<StoredRow>(`
    INSERT INTO keys (id, member_id, hash, label, scopes, created_ms, last_used_ms, expires_ms)
    VALUES (@id, @memberId, @hash, @label, @scopes, @createdMs, @lastUsedMs, @expiresMs)`)
  const count = db.prepare<[string], number>('SELECT count(*) FROM keys WHERE member_id = ?').pluck()
  const trim = db.prepare<[number]>('DELETE FROM keys WHERE expires_ms <= ?')
  const remove = db.prepare<[string]>('DELETE FROM keys WHERE id = ?')
  const touch = db.prepare<[number, string]>('UPDATE keys SET last_used_ms = ? WHERE id = ?')
  return {
    all: (): KeyRow[] => all.all().map(fromStored),
    find(id: string): KeyRow | undefined {
      const row = find.get(id)
      return row && fromStored(row)
    },
    insert: (row: KeyRow): void => void insert.run({ ...row, scopes: JSON.stringify(row.scopes) }),
    count: (memberId: string): number => count.get(memberId)!,
    trim: (expiredMs: number): void => void trim.run(expiredMs),
    remove: (id: string): boolean => remove.run(id).changes === 1,
    touch: (id: string, usedMs: number): boolean => touch.run(usedMs, id).changes === 1,
  }
}
export type KeysTable = ReturnType<typeof keysTable>
