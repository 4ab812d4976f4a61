import type { Connection } from '../database.ts'

export interface SessionRow {
  id: string
  memberId: string
  hash: Uint8Array // SHA-256 of the cookie's token
  device: string // browser and system, for people
  createdMs: number // Unix time, milliseconds
  lastUsedMs: number
}

const columns = 'id, member_id AS memberId, hash, device, created_ms AS createdMs, last_used_ms AS lastUsedMs'

export function sessionsTable(db: Connection) {
  const find = db.prepare<[string], SessionRow>(`SELECT ${columns} FROM sessions WHERE id = ?`)
  const findByHash = db.prepare<[Uint8Array], SessionRow>(`SELECT ${columns} FROM sessions WHERE hash = ?`)
  const ofMember = db.prepare<[string], SessionRow>(
    `SELECT ${columns} FROM sessions WHERE member_id = ? ORDER BY last_used_ms DESC, id DESC`,
  )
  const insert = db.prepare<SessionRow>(`
    INSERT INTO sessions (id, member_id, hash, device, created_ms, last_used_ms)
    VALUES (@id, @memberId, @hash, @device, @createdMs, @lastUsedMs)`)
  const touch = db.prepare<[number, string]>('UPDATE sessions SET last_used_ms = ? WHERE id = ?')
  const remove = db.prepare<[string, string]>('DELETE FROM sessions WHERE id = ? AND member_id = ?')
  const removeByHash = db.prepare<[Uint8Array]>('DELETE FROM sessions WHERE hash = ?')
  const removeOf = db.prepare<[string]>('DELETE FROM sessions WHERE member_id = ?')
  const removeAll = db.prepare('DELETE FROM sessions')
  const removeBeyond = db.prepare<[string, number]>(`
    DELETE FROM sessions WHERE id IN (
      SELECT id FROM sessions WHERE member_id = ? ORDER BY last_used_ms DESC, id DESC LIMIT -1 OFFSET ?)`)
  const trim = db.prepare<[number]>('DELETE FROM sessions WHERE last_used_ms <= ?')
  return {
    find: (id: string): SessionRow | undefined => find.get(id),
    findByHash: (hash: Uint8Array): SessionRow | undefined => findByHash.get(hash),
    ofMember: (memberId: string): SessionRow[] => ofMember.all(memberId),
    insert: (row: SessionRow): void => void insert.run(row),
    touch: (id: string, usedMs: number): void => void touch.run(usedMs, id),
    remove: (id: string, memberId: string): boolean => remove.run(id, memberId).changes === 1,
    removeByHash: (hash: Uint8Array): void => void removeByHash.run(hash),
    removeOf: (memberId: string): void => void removeOf.run(memberId),
    removeAll: (): void => void removeAll.run(),
    removeBeyond: (memberId: string, limit: number): void => void removeBeyond.run(memberId, limit),
    trim: (usedMs: number): void => void trim.run(usedMs),
  }
}
export type SessionsTable = ReturnType<typeof sessionsTable>
