import type { Connection } from '../database.ts'

export interface OutgoingMailRow {
  id: string
  memberId: string // the recipient
  message: string // JSON
  attempts: number // failed ones
  nextMs: number // Unix time, milliseconds
  requestedUntilMs: number | null // when requested mail becomes useless; null: not requested
  address: string | null // null: the member's present address
}

const columns =
  'id, member_id AS memberId, letter AS message, attempts, next_ms AS nextMs, asked_until_ms AS requestedUntilMs, address'

export function mailOutboxTable(db: Connection) {
  const insert = db.prepare<OutgoingMailRow>(`
    INSERT INTO mail_outbox (id, member_id, letter, attempts, next_ms, asked_until_ms, address)
    VALUES (@id, @memberId, @message, @attempts, @nextMs, @requestedUntilMs, @address)`)
  const due = db.prepare<[number, number], OutgoingMailRow>(
    `SELECT ${columns} FROM mail_outbox WHERE next_ms <= ? ORDER BY next_ms, id LIMIT ?`,
  )
  const nextDue = db
    .prepare<[number], number | null>('SELECT min(next_ms) FROM mail_outbox WHERE next_ms > ?')
    .pluck()
  const lastDue = db.prepare<[], number | null>('SELECT max(next_ms) FROM mail_outbox').pluck()
  const hasten = db.prepare<{ latestMs: number }>(
    'UPDATE mail_outbox SET next_ms = @latestMs WHERE next_ms > @latestMs',
  )
  const postpone = db.prepare<[number, number, string]>(
    'UPDATE mail_outbox SET attempts = ?, next_ms = ? WHERE id = ?',
  )
  const remove = db.prepare<[string]>('DELETE FROM mail_outbox WHERE id = ?')
  return {
    insert: (row: OutgoingMailRow): void => void insert.run(row),
    due: (nowMs: number, limit: number): OutgoingMailRow[] => due.all(nowMs, limit),
    nextDueMs: (afterMs: number): number | null => nextDue.get(afterMs)!,
    lastDueMs: (): number | null => lastDue.get() ?? null,
    /** Lowers later times to `latestMs`. */
    hasten: (latestMs: number): void => void hasten.run({ latestMs }),
    /** @param attempts failed ones */
    postpone: (id: string, attempts: number, nextMs: number): void => void postpone.run(attempts, nextMs, id),
    remove: (id: string): boolean => remove.run(id).changes === 1,
  }
}
export type MailOutboxTable = ReturnType<typeof mailOutboxTable>
