import type { Connection } from '../database.ts'

interface SigninLinkRow {
  hash: Uint8Array // SHA-256 of the link's token
  memberId: string
  expiresMs: number // Unix time, milliseconds
}

export function signinLinksTable(db: Connection) {
  const insert = db.prepare<SigninLinkRow>(
    'INSERT INTO signin_links (hash, member_id, expires_ms) VALUES (@hash, @memberId, @expiresMs)',
  )
  const memberOf = db
    .prepare<[Uint8Array, number], string>(
      'SELECT member_id FROM signin_links WHERE hash = ? AND expires_ms > ?',
    )
    .pluck()
  const count = db
    .prepare<[string, number], number>(
      'SELECT count(*) FROM signin_links WHERE member_id = ? AND expires_ms > ?',
    )
    .pluck()
  const remove = db.prepare<[Uint8Array]>('DELETE FROM signin_links WHERE hash = ?')
  const removeAll = db.prepare('DELETE FROM signin_links')
  const removeOf = db.prepare<[string]>('DELETE FROM signin_links WHERE member_id = ?')
  const trim = db.prepare<[number]>('DELETE FROM signin_links WHERE expires_ms <= ?')
  return {
    insert: (row: SigninLinkRow): void => void insert.run(row),
    memberOf: (hash: Uint8Array, nowMs: number): string | undefined => memberOf.get(hash, nowMs),
    count: (memberId: string, nowMs: number): number => count.get(memberId, nowMs)!,
    remove: (hash: Uint8Array): void => void remove.run(hash),
    removeOf: (memberId: string): void => void removeOf.run(memberId),
    removeAll: (): void => void removeAll.run(),
    trim: (nowMs: number): void => void trim.run(nowMs),
  }
}
export type SigninLinksTable = ReturnType<typeof signinLinksTable>
