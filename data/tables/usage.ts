import type { Connection } from '../database.ts'

interface WritesRow {
  memberId: string
  count: number
}

/** Uncompressed. */
interface RevisionSizeRow {
  documentId: string
  count: number
  bytes: number
}

interface FailingWebhookRow {
  memberId: string
  failures: number // consecutive failed deliveries
  failingSinceMs: number | null // when the first of these failed, Unix time, milliseconds
}

const writesBy = (member: string, table: string, time: string) => `
  SELECT ${member} AS memberId, count(*) AS count FROM ${table} WHERE ${time} >= ? AND ${time} < ? GROUP BY ${member}`

/** Each query is short: the report pauses between them. */
export function usageTables(db: Connection) {
  const writes = {
    documents: db.prepare<[number, number], WritesRow>(writesBy('author_id', 'revisions', 'at_ms')),
    messages: db.prepare<[number, number], WritesRow>(writesBy('author_id', 'messages', 'sent_ms')),
    comments: db.prepare<[number, number], WritesRow>(writesBy('author_id', 'comments', 'created_ms')),
  }
  const events = db.prepare<[number, number], { type: string; count: number }>(
    'SELECT type, count(*) AS count FROM events WHERE tick >= ? AND tick < ? GROUP BY type',
  )
  const revisionSizes = db.prepare<[string, number], RevisionSizeRow>(`
    SELECT document_id AS documentId, count(*) AS count, sum(bytes) AS bytes FROM revisions
    WHERE document_id > ? GROUP BY document_id ORDER BY document_id LIMIT ?`)
  const deliveries = db.prepare<[string], { state: string; count: number }>(
    'SELECT state, count(*) AS count FROM deliveries WHERE member_id = ? GROUP BY state',
  )
  const webhooks = db.prepare<[], FailingWebhookRow>(
    'SELECT member_id AS memberId, failures, failing_since_ms AS failingSinceMs FROM webhooks ORDER BY member_id',
  )
  const outbox = db.prepare<[], { waiting: number; failed: number }>(
    'SELECT count(*) AS waiting, count(*) FILTER (WHERE attempts > 0) AS failed FROM mail_outbox',
  )
  const projectOf = db.prepare<[string], string>('SELECT project_id FROM documents WHERE id = ?').pluck()
  return {
    writes: (kind: keyof typeof writes, fromMs: number, untilMs: number): WritesRow[] =>
      writes[kind].all(fromMs, untilMs),
    events: (fromTick: number, untilTick: number): { type: string; count: number }[] =>
      events.all(fromTick, untilTick),
    revisionSizes: (afterId: string, limit: number): RevisionSizeRow[] => revisionSizes.all(afterId, limit),
    projectOf: (documentId: string): string => projectOf.get(documentId)!,
    deliveries: (memberId: string): { state: string; count: number }[] => deliveries.all(memberId),
    webhooks: (): FailingWebhookRow[] => webhooks.all(),
    outbox: (): { waiting: number; failed: number } => outbox.get()!,
    databaseBytes: (): number =>
      (db.pragma('page_count', { simple: true }) as number) *
      (db.pragma('page_size', { simple: true }) as number),
  }
}
export type UsageTables = ReturnType<typeof usageTables>
