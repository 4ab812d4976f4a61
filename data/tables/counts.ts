import type { Connection } from '../database.ts'

export function countsQueries(db: Connection) {
  const pages = db.prepare<[], number>('PRAGMA page_count').pluck()
  const pageBytes = db.prepare<[], number>('PRAGMA page_size').pluck()
  const deliveries = db.prepare<[], { state: string; count: number }>(
    'SELECT state, count(*) AS count FROM deliveries GROUP BY state',
  )
  const queuedMail = db.prepare<[], number>('SELECT count(*) FROM mail_outbox').pluck()
  return {
    databaseBytes: (): number => pages.get()! * pageBytes.get()!,
    deliveries: (): Map<string, number> =>
      new Map(deliveries.all().map(({ state, count }) => [state, count])),
    queuedMail: (): number => queuedMail.get()!,
  }
}
export type CountsQueries = ReturnType<typeof countsQueries>
