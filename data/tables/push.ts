import type { Connection } from '../database.ts'

export interface PushSubscriptionRow {
  id: string
  memberId: string
  sessionId: string
  endpoint: string // the URL of the push service
  publicKey: string // of the browser, base64url
  auth: string // base64url
  device: string // browser and system, for people
  muted: string[] // kinds that are not pushed
  hasSound: boolean
  createdMs: number // Unix time, milliseconds
}

export interface QueuedPush {
  id: number
  subscriptionId: string
  kind: string
  subjectId: string
  attempts: number // failed ones
  nextMs: number
  untilMs: number
}

type Stored = Omit<PushSubscriptionRow, 'muted' | 'hasSound'> & { muted: string; hasSound: number }

const columns = `id, member_id AS memberId, session_id AS sessionId, endpoint, public_key AS publicKey, auth, device,
  muted, has_sound AS hasSound, created_ms AS createdMs`

const fromStored = (row: Stored): PushSubscriptionRow => ({
  ...row,
  muted: JSON.parse(row.muted) as string[],
  hasSound: row.hasSound === 1,
})

const toStored = (row: PushSubscriptionRow): Stored => ({
  ...row,
  muted: JSON.stringify(row.muted),
  hasSound: row.hasSound ? 1 : 0,
})

export type PushSubscriptionsTable = ReturnType<typeof pushSubscriptionsTable>

export function pushSubscriptionsTable(db: Connection) {
  const put = db.prepare<Stored>(`
    INSERT INTO push_subscriptions
      (id, member_id, session_id, endpoint, public_key, auth, device, muted, has_sound, created_ms)
    VALUES (@id, @memberId, @sessionId, @endpoint, @publicKey, @auth, @device, @muted, @hasSound, @createdMs)
    ON CONFLICT (id) DO UPDATE SET muted = excluded.muted, has_sound = excluded.has_sound`)
  const find = db.prepare<[string], Stored>(`SELECT ${columns} FROM push_subscriptions WHERE id = ?`)
  const ofMember = db.prepare<[string], Stored>(
    `SELECT ${columns} FROM push_subscriptions WHERE member_id = ? ORDER BY created_ms DESC, id DESC`,
  )
  const remove = db.prepare<[string]>('DELETE FROM push_subscriptions WHERE id = ?')
  const removeBySession = db.prepare<[string, string]>(
    'DELETE FROM push_subscriptions WHERE session_id = ? OR endpoint = ?',
  )
  return {
    put: (row: PushSubscriptionRow): void => void put.run(toStored(row)),
    find(id: string): PushSubscriptionRow | null {
      const row = find.get(id)
      return row ? fromStored(row) : null
    },
    ofMember: (memberId: string): PushSubscriptionRow[] => ofMember.all(memberId).map(fromStored),
    remove: (id: string): void => void remove.run(id),
    /** Removes the browser's former subscription. */
    removeFormer: (sessionId: string, endpoint: string): void =>
      void removeBySession.run(sessionId, endpoint),
  }
}

export type PushQueueTable = ReturnType<typeof pushQueueTable>

export function pushQueueTable(db: Connection) {
  const queueColumns =
    'id, subscription_id AS subscriptionId, kind, subject_id AS subjectId, attempts, next_ms AS nextMs, until_ms AS untilMs'
  const insert = db.prepare<Omit<QueuedPush, 'id' | 'attempts'>>(`
    INSERT INTO push_queue (subscription_id, kind, subject_id, next_ms, until_ms)
    VALUES (@subscriptionId, @kind, @subjectId, @nextMs, @untilMs)`)
  const removeBeyond = db.prepare<[string, number]>(`
    DELETE FROM push_queue WHERE id IN (
      SELECT id FROM push_queue WHERE subscription_id = ? ORDER BY id DESC LIMIT -1 OFFSET ?)`)
  const due = db.prepare<[number, number], QueuedPush>(
    `SELECT ${queueColumns} FROM push_queue WHERE next_ms <= ? ORDER BY next_ms, id LIMIT ?`,
  )
  const nextDue = db
    .prepare<[number], number | null>('SELECT min(next_ms) FROM push_queue WHERE next_ms > ?')
    .pluck()
  const hasten = db.prepare<{ latestMs: number }>(
    'UPDATE push_queue SET next_ms = @latestMs WHERE next_ms > @latestMs',
  )
  const postpone = db.prepare<[number, number, number]>(
    'UPDATE push_queue SET attempts = ?, next_ms = ? WHERE id = ?',
  )
  const remove = db.prepare<[number]>('DELETE FROM push_queue WHERE id = ?')
  return {
    insert: (row: Omit<QueuedPush, 'id' | 'attempts'>): void => void insert.run(row),
    /** Keeps the newest of a subscription. */
    removeBeyond: (subscriptionId: string, limit: number): void =>
      void removeBeyond.run(subscriptionId, limit),
    due: (nowMs: number, limit: number): QueuedPush[] => due.all(nowMs, limit),
    nextDueMs: (afterMs: number): number | null => nextDue.get(afterMs) ?? null,
    /** Lowers later times to `latestMs`. */
    hasten: (latestMs: number): void => void hasten.run({ latestMs }),
    /** @param attempts failed ones */
    postpone: (id: number, attempts: number, nextMs: number): void => void postpone.run(attempts, nextMs, id),
    remove: (id: number): void => void remove.run(id),
  }
}
