import type { Connection } from '../database.ts'

export interface DeliveryRow {
  id: string
  memberId: string // the agent
  event: 'mention' | 'message.created' | 'reply' | 'comment' | 'assigned'
  messageId: string | null // exactly one of these four is set
  documentId: string | null
  commentId: string | null
  askId: string | null
  state: 'pending' | 'delivered' | 'failed' | 'cancelled' | 'held'
  attempts: number // begun ones
  nextAttemptMs: number | null // Unix time, milliseconds; set while it is pending
  lastStatus: number | null
  lastError: string | null
  replyId: string | null // the message or comment of the reply
  createdMs: number
  endedMs: number | null // set unless it is pending
}

type NewDeliveryRow = Pick<
  DeliveryRow,
  'id' | 'memberId' | 'event' | 'messageId' | 'documentId' | 'commentId' | 'askId' | 'createdMs'
> & {
  state: 'pending' | 'held'
  contentId: number
  tail: string // the end of the body, after the beginning of the content
}

export type DeliveryOutcome = Pick<
  DeliveryRow,
  'id' | 'state' | 'nextAttemptMs' | 'lastStatus' | 'lastError' | 'replyId' | 'endedMs'
>

interface WaitingAgent {
  memberId: string
  url: string
  dueMs: number // of the first delivery; Unix time, milliseconds
}

const columns = `id, member_id AS memberId, event, message_id AS messageId, document_id AS documentId,
  comment_id AS commentId, ask_id AS askId, state, attempts, next_attempt_ms AS nextAttemptMs, last_status AS lastStatus,
  last_error AS lastError, reply_id AS replyId, created_ms AS createdMs, ended_ms AS endedMs`

export function deliveriesTable(db: Connection) {
  const find = db.prepare<[string], DeliveryRow>(`SELECT ${columns} FROM deliveries WHERE id = ?`)
  const body = db.prepare<[string], { head: Buffer; tail: string }>(`
    SELECT head, tail FROM deliveries JOIN delivery_contents ON delivery_contents.id = content_id
    WHERE deliveries.id = ?`)
  const newest = db.prepare<[string, number], DeliveryRow>(
    `SELECT ${columns} FROM deliveries WHERE member_id = ? ORDER BY place DESC LIMIT ?`,
  )
  const waiting = db.prepare<[], WaitingAgent>(`
    SELECT memberId, url, dueMs FROM (
      SELECT member_id AS memberId, url,
        (SELECT min(next_attempt_ms) FROM deliveries
         WHERE member_id = webhooks.member_id AND state = 'pending') AS dueMs
      FROM webhooks WHERE url <> '')
    WHERE dueMs IS NOT NULL ORDER BY dueMs, memberId`)
  const next = db.prepare<[string, number], DeliveryRow>(`
    SELECT ${columns} FROM deliveries WHERE member_id = ? AND state = 'pending' AND next_attempt_ms <= ?
    ORDER BY next_attempt_ms, place LIMIT 1`)
  const findDelivery = db
    .prepare<[string, string, string], number>(
      'SELECT 1 FROM deliveries WHERE member_id = ? AND message_id = ? AND event = ?',
    )
    .pluck()
  const insertContent = db.prepare<[Buffer]>('INSERT INTO delivery_contents (head) VALUES (?)')
  const insert = db.prepare<NewDeliveryRow & Pick<DeliveryRow, 'nextAttemptMs' | 'endedMs'>>(`
    INSERT INTO deliveries (id, member_id, event, message_id, document_id, comment_id, ask_id, content_id, tail,
      state, next_attempt_ms, created_ms, ended_ms)
    VALUES (@id, @memberId, @event, @messageId, @documentId, @commentId, @askId, @contentId, @tail, @state,
      @nextAttemptMs, @createdMs, @endedMs)`)
  const begin = db.prepare<[number, string]>(`
    UPDATE deliveries SET attempts = attempts + 1, next_attempt_ms = ?, last_status = NULL, last_error = 'no_outcome'
    WHERE id = ?`)
  const settle = db.prepare<DeliveryOutcome>(`
    UPDATE deliveries SET state = @state, next_attempt_ms = @nextAttemptMs, last_status = @lastStatus,
      last_error = @lastError, reply_id = @replyId, ended_ms = @endedMs
    WHERE id = @id`)
  const cancelAll = db.prepare<[number, string]>(`
    UPDATE deliveries SET state = 'cancelled', next_attempt_ms = NULL, ended_ms = ?
    WHERE member_id = ? AND state = 'pending'`)
  const restart = db.prepare<[number, string]>(`
    UPDATE deliveries SET state = 'pending', attempts = 0, next_attempt_ms = ?, last_status = NULL, last_error = NULL,
      ended_ms = NULL
    WHERE id = ?`)
  const hasten = db.prepare<{ latestMs: number }>(`
    UPDATE deliveries SET next_attempt_ms = @latestMs WHERE state = 'pending' AND next_attempt_ms > @latestMs`)
  const hastenFor = db.prepare<{ memberId: string; latestMs: number }>(`
    UPDATE deliveries SET next_attempt_ms = @latestMs
    WHERE member_id = @memberId AND state = 'pending' AND next_attempt_ms > @latestMs`)
  const rollBack = db.prepare<[string, number]>(
    'DELETE FROM deliveries WHERE document_id = ? AND created_ms = ?',
  )
  const firstEnded = db
    .prepare<[], number | null>('SELECT min(ended_ms) FROM deliveries WHERE ended_ms IS NOT NULL')
    .pluck()
  const trim = db.prepare<[number, number]>(`
    DELETE FROM deliveries WHERE place IN (SELECT place FROM deliveries WHERE ended_ms <= ? ORDER BY ended_ms LIMIT ?)`)
  return {
    find: (id: string): DeliveryRow | undefined => find.get(id),
    body: (id: string): Buffer => {
      const { head, tail } = body.get(id)!
      return Buffer.concat([head, Buffer.from(tail)])
    },
    newest: (memberId: string, limit: number): DeliveryRow[] => newest.all(memberId, limit),
    /** By when their deliveries are due. */
    waiting: (): WaitingAgent[] => waiting.all(),
    /** The delivery that is overdue longest; the oldest of several. */
    next: (memberId: string, nowMs: number): DeliveryRow | undefined => next.get(memberId, nowMs),
    hasDelivery: (memberId: string, messageId: string, event: DeliveryRow['event']): boolean =>
      findDelivery.get(memberId, messageId, event) === 1,
    /** Returns the content's id. */
    addContent: (head: Buffer): number => Number(insertContent.run(head).lastInsertRowid),
    /** Due at once, unless blocked. @throws SqliteError if the agent was notified by this event already */
    insert: (row: NewDeliveryRow): void => {
      const isDue = row.state === 'pending'
      insert.run({
        ...row,
        nextAttemptMs: isDue ? row.createdMs : null,
        endedMs: isDue ? null : row.createdMs,
      })
    },
    /** Counts an attempt before it is made. `nextAttemptMs` applies if it never ends. */
    begin: (id: string, nextAttemptMs: number): void => void begin.run(nextAttemptMs, id),
    settle: (outcome: DeliveryOutcome): void => void settle.run(outcome),
    cancelAll: (memberId: string, nowMs: number): number => cancelAll.run(nowMs, memberId).changes,
    restart: (id: string, nowMs: number): void => void restart.run(nowMs, id),
    /** Lowers later due times to `latestMs`. */
    hastenFor: (memberId: string, latestMs: number): void => void hastenFor.run({ memberId, latestMs }),
    /** Lowers later due times to `latestMs`. */
    hasten: (latestMs: number): void => void hasten.run({ latestMs }),
    /** Removes the deliveries of one write of a document. */
    rollBack: (documentId: string, createdMs: number): number => rollBack.run(documentId, createdMs).changes,
    firstEndedMs: (): number | null => firstEnded.get() ?? null,
    /** Removes the oldest that ended by then. Returns how many. */
    trim: (untilMs: number, limit: number): number => trim.run(untilMs, limit).changes,
  }
}
export type DeliveriesTable = ReturnType<typeof deliveriesTable>
