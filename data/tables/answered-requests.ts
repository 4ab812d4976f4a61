import type { Connection } from '../database.ts'

/** What the first request with an `Idempotency-Key` was answered, by member and key. */
export function answeredRequestsTable(db: Connection) {
  const find = db
    .prepare<[string, string, number], string>(
      'SELECT answer FROM answered_requests WHERE member_id = ? AND key = ? AND at_ms > ?',
    )
    .pluck()
  const insert = db.prepare<[string, string, number, string]>(
    'INSERT INTO answered_requests (member_id, key, at_ms, answer) VALUES (?, ?, ?, ?)',
  )
  const trim = db.prepare<[number]>('DELETE FROM answered_requests WHERE at_ms <= ?')
  return {
    /** The answer, as JSON, to a request that came after `afterMs`. */
    find: (memberId: string, key: string, afterMs: number): string | undefined =>
      find.get(memberId, key, afterMs),
    /** @throws SqliteError where there is one of this member and key already */
    insert: (memberId: string, key: string, atMs: number, answer: string): void =>
      void insert.run(memberId, key, atMs, answer),
    /** Drops those that came at this time or before. */
    trim: (untilMs: number): number => trim.run(untilMs).changes,
  }
}
export type AnsweredRequestsTable = ReturnType<typeof answeredRequestsTable>
