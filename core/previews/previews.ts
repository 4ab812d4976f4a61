import type { Database } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import type { LinkPreviewRow, LinkPreviewsTable, PageSummary } from '../../data/tables/link-previews.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { decodePage } from './decode.ts'
import { fetchPage } from './fetch-page.ts'
import { summaryOf } from './summary.ts'

/** Plain text, which must be escaped; `''` where the page has none. */
export interface LinkPreview extends PageSummary {
  url: string
}

interface PreviewsDeps {
  database: Database
  linkPreviews: LinkPreviewsTable
  outbound: Outbound
  clock: Clock
  /** From a path. */
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

/** After this time a page is read again. */
const freshMs = 7 * 24 * 60 * 60 * 1000

/** After this time a failed page is tried again. */
const retryAfterMs = 60 * 60 * 1000

/** Concurrent reads. */
const maxConcurrentReads = 4

/**
 * Previews of pages linked by posts (`docs/operations.md#outgoing-requests`). The commit that publishes a post
 * queues pages; they are read later, and no write waits for them.
 */
export class Previews {
  private readonly deps: PreviewsDeps
  private readonly reading: DueTimer
  private readonly ending = new AbortController()

  constructor(deps: PreviewsDeps) {
    this.deps = deps
    this.reading = new DueTimer(
      deps.clock,
      () => this.readQueue(),
      (error) => deps.onProblem('Link previews could not be kept; this is tried again', error),
    )
  }

  /** Continues with queued pages. Not awaited. */
  start(): void {
    this.reading.dueAt(this.deps.clock.now())
  }

  /** Aborts running reads, which stay queued. */
  async stop(): Promise<void> {
    this.ending.abort()
    await this.reading.stop()
  }

  /**
   * Queues pages without a fresh preview. Must be called inside a commit.
   * @param links as in `ParsedContent.links`
   */
  enqueue(links: readonly string[]): void {
    const { clock, linkPreviews, pageUrl } = this.deps
    const nowMs = clock.now()
    const wanted = links.filter(
      (link) => !link.startsWith(pageUrl('/')) && this.isStale(linkPreviews.find(link)),
    )
    for (const link of wanted) linkPreviews.want(link, nowMs)
    // The timer fires in a later turn, after the commit.
    if (wanted.length > 0) this.reading.dueAt(nowMs)
  }

  /**
   * Known previews, in the order of the links. One older than seven days is returned, and read again.
   * @param links as in `ParsedContent.links`
   */
  previewsFor(links: readonly string[]): LinkPreview[] {
    const rows = links.map((link) => this.deps.linkPreviews.find(link)).filter((row) => row !== undefined)
    const stale = rows.filter((row) => this.isStale(row)).map(({ url }) => url)
    if (stale.length > 0) this.requeueStale(stale)
    return rows
      .filter(({ title }) => title !== '')
      .map(({ url, title, description, imageUrl }) => ({ url, title, description, imageUrl }))
  }

  private requeueStale(links: readonly string[]): void {
    const { database, onProblem } = this.deps
    database
      .commit(() => this.enqueue(links))
      .catch((error) => onProblem('Old link previews could not be marked for reading', error))
  }

  private isStale(row: LinkPreviewRow | undefined): boolean {
    if (!row) return true
    if (row.wantedMs !== null || row.triedMs === null) return false
    const ageMs = this.deps.clock.now() - row.triedMs
    return ageMs < 0 || ageMs >= (row.failure === null ? freshMs : retryAfterMs)
  }

  private async readQueue(): Promise<null> {
    const { linkPreviews } = this.deps
    while (!this.ending.signal.aborted) {
      const links = linkPreviews.wanted(maxConcurrentReads)
      if (links.length === 0) break
      await Promise.all(links.map((link) => this.read(link)))
    }
    return null
  }

  private async read(link: string): Promise<void> {
    const learnt = await this.save(link)
    const { clock, database, linkPreviews } = this.deps
    if (learnt === null) return
    await database.commit(() => {
      if (typeof learnt === 'string') linkPreviews.fail(link, learnt, clock.now())
      else linkPreviews.learn(link, learnt, clock.now())
    })
  }

  /** @returns the summary, or the reason in one word; null if the workspace closes */
  private async save(link: string): Promise<PageSummary | string | null> {
    const { outbound, onProblem } = this.deps
    const { signal } = this.ending
    try {
      const page = await fetchPage(outbound, link, signal)
      if (typeof page === 'string') return page
      return await summaryOf(decodePage(page.body, page.contentType), page.url)
    } catch (error) {
      if (signal.aborted) return null
      onProblem('A page could not be read for its preview', error)
      // Counts as read: a page that triggers a bug must not do so repeatedly.
      return 'fault'
    }
  }
}
