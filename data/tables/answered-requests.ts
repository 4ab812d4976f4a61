import type { Connection } from '../database.ts'

/** Responses to requests with an `Idempotency-Key`, by member and key. */
export function answeredRequestsTable(db: Connection) {
  const find = db
    .prepare<[string, string], string>('SELECT answer FROM answered_requests WHERE member_id = ? AND key = ?')
    .pluck()
  const insert = db.prepare<[string, string, number, string]>(
    'INSERT INTO answered_requests (member_id, key, at_ms, answer) VALUES (?, ?, ?, ?)',
  )
  const trim = db.prepare<[number]>('DELETE FROM answered_requests WHERE at_ms <= ?')
  return {
    /** The response as JSON. */
    find: (memberId: string, key: string): string | undefined => find.get(memberId, key),
    /** @throws SqliteError if the member has used the key */
    insert: (memberId: string, key: string, atMs: number, answer: string): void =>
      void insert.run(memberId, key, atMs, answer),
    /** Removes those from this time or before. */
    trim: (untilMs: number): number => trim.run(untilMs).changes,
  }
}
export type AnsweredRequestsTable = ReturnType<typeof answeredRequestsTable>
