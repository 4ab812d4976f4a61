import type { Connection } from '../database.ts'

/** `''` for what the page does not declare. */
export interface PageSummary {
  title: string
  description: string
  imageUrl: string // absolute http or https address
}

export interface LinkPreviewRow extends PageSummary {
  url: string
  triedMs: number | null // Unix time, milliseconds
  failure: string | null // why the last attempt failed
  queuedMs: number | null // when it was queued; null: not queued
}

export function linkPreviewsTable(db: Connection) {
  const find = db.prepare<[string], LinkPreviewRow>(`
    SELECT url, title, description, image_url AS imageUrl, tried_ms AS triedMs, failure, wanted_ms AS queuedMs
    FROM link_previews WHERE url = ?`)
  const enqueue = db.prepare<[string, number]>(`
    INSERT INTO link_previews (url, wanted_ms) VALUES (?, ?)
    ON CONFLICT DO UPDATE SET wanted_ms = coalesce(wanted_ms, excluded.wanted_ms)`)
  const queued = db
    .prepare<[number], string>(
      'SELECT url FROM link_previews WHERE wanted_ms IS NOT NULL ORDER BY wanted_ms, url LIMIT ?',
    )
    .pluck()
  const storeSummary = db.prepare<[PageSummary & { url: string; triedMs: number }]>(`
    UPDATE link_previews SET title = @title, description = @description, image_url = @imageUrl, tried_ms = @triedMs,
      failure = NULL, wanted_ms = NULL
    WHERE url = @url`)
  const storeFailure = db.prepare<[string, number, string]>(
    'UPDATE link_previews SET failure = ?, tried_ms = ?, wanted_ms = NULL WHERE url = ?',
  )
  return {
    find: (url: string): LinkPreviewRow | undefined => find.get(url),
    /** Keeps a known preview meanwhile. */
    enqueue: (url: string, nowMs: number): void => void enqueue.run(url, nowMs),
    queued: (limit: number): string[] => queued.all(limit),
    storeSummary: (url: string, summary: PageSummary, triedMs: number): void =>
      void storeSummary.run({ ...summary, url, triedMs }),
    /** Keeps a known preview. */
    storeFailure: (url: string, failure: string, triedMs: number): void =>
      void storeFailure.run(failure, triedMs, url),
  }
}
export type LinkPreviewsTable = ReturnType<typeof linkPreviewsTable>
