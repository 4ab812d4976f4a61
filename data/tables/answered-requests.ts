import type { Connection } from '../database.ts'

/** What the first request with an `Idempotency-Key` was answered, by member and key. */
export function answeredRequestsTable(db: Connection) {
  const find = db
    .prepare<[string, string], string>('SELECT answer FROM answered_requests WHERE member_id = ? AND key = ?')
    .pluck()
  const insert = db.prepare<[string, string, number, string]>(
    'INSERT INTO answered_requests (member_id, key, at_ms, answer) VALUES (?, ?, ?, ?)',
  )
  const trim = db.prepare<[number]>('DELETE FROM answered_requests WHERE at_ms <= ?')
  return {
    /** The answer, as JSON. */
    find: (memberId: string, key: string): string | undefined => find.get(memberId, key),
    /** @throws SqliteError where there is one of this member and key already */
    insert: (memberId: string, key: string, atMs: number, answer: string): void =>
      void insert.run(memberId, key, atMs, answer),
    /** Drops those that came at this time or before. */
    trim: (untilMs: number): number => trim.run(untilMs).changes,
  }
}
export type AnsweredRequestsTable = ReturnType<typeof answeredRequestsTable>
