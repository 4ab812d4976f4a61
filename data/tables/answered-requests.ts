import type { Connection } from '../database.ts'

export function answeredRequestsTable(db: Connection) {
  const find = db
    .prepare<[string, string], string>('SELECT answer FROM answered_requests WHERE member_id = ? AND key = ?')
    .pluck()
  const insert = db.prepare<[string, string, number, string]>(
    'INSERT INTO answered_requests (member_id, key, at_ms, answer) VALUES (?, ?, ?, ?)',
  )
  const trim = db.prepare<[number]>('DELETE FROM answered_requests WHERE at_ms <= ?')
  return {
    find: (memberId: string, key: string): string | undefined => find.get(memberId, key),
    insert: (memberId: string, key: string, atMs: number, answer: string): void =>
      void insert.run(memberId, key, atMs, answer),
    trim: (untilMs: number): number => trim.run(untilMs).changes,
  }
}
export type AnsweredRequestsTable = ReturnType<typeof answeredRequestsTable>
