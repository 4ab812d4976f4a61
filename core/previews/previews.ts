import type { Database } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import { Signal } from '../../data/signal.ts'
import type { LinkPreviewRow, LinkPreviewsTable, PageSummary } from '../../data/tables/link-previews.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { decodePage } from './decode.ts'
import { fetchPage } from './fetch-page.ts'
import { summaryOf } from './summary.ts'

/** Plain text that the caller must escape; `''` for what the page does not declare. */
export interface LinkPreview extends PageSummary {
  url: string
}

interface PreviewsDeps {
  database: Database
  linkPreviews: LinkPreviewsTable
  outbound: Outbound
  clock: Clock
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

const freshMs = 7 * 24 * 60 * 60 * 1000

const failedRetryMs = 60 * 60 * 1000

const maxConcurrentReads = 4

/** Fetches linked pages in the background; no write waits (`docs/operations.md#outgoing-requests`). */
export class Previews {
  private readonly deps: PreviewsDeps
  private readonly timer: DueTimer
  private readonly fetched = new Signal<string>()
  private readonly abortController = new AbortController()

  constructor(deps: PreviewsDeps) {
    this.deps = deps
    this.timer = new DueTimer(
      deps.clock,
      () => this.readQueue(),
      (error) => deps.onProblem('Link previews could not be stored; this is tried again', error),
    )
  }

  start(): void {
    this.timer.dueAt(this.deps.clock.now())
  }

  async stop(): Promise<void> {
    this.abortController.abort()
    await this.timer.stop()
  }

  onFetched(listener: (link: string) => void): void {
    this.fetched.listen(listener)
  }

  /** Skips pages with a current preview. Must be called inside a commit. */
  enqueue(links: readonly string[]): void {
    const { clock, linkPreviews, pageUrl } = this.deps
    const nowMs = clock.now()
    const staleLinks = links.filter(
      (link) => !link.startsWith(pageUrl('/')) && this.isStale(linkPreviews.find(link)),
    )
    for (const link of staleLinks) linkPreviews.enqueue(link, nowMs)
    // The timer fires in a later turn, after the commit.
    if (staleLinks.length > 0) this.timer.dueAt(nowMs)
  }

  /** In the order of the links. Returns stale previews, and fetches them again. */
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
    if (row.queuedMs !== null || row.triedMs === null) return false
    const ageMs = this.deps.clock.now() - row.triedMs
    return ageMs < 0 || ageMs >= (row.failure === null ? freshMs : failedRetryMs)
  }

  private async readQueue(): Promise<null> {
    const { linkPreviews } = this.deps
    while (!this.abortController.signal.aborted) {
      const links = linkPreviews.queued(maxConcurrentReads)
      if (links.length === 0) break
      await Promise.all(links.map((link) => this.read(link)))
    }
    return null
  }

  private async read(link: string): Promise<void> {
    const summary = await this.fetchSummary(link)
    const { clock, database, linkPreviews } = this.deps
    if (summary === null) return
    await database.commit(() => {
      if (typeof summary === 'string') linkPreviews.storeFailure(link, summary, clock.now())
      else linkPreviews.storeSummary(link, summary, clock.now())
    })
    if (typeof summary !== 'string') this.fetched.emit(link)
  }

  private async fetchSummary(link: string): Promise<PageSummary | string | null> {
    const { outbound, onProblem } = this.deps
    const { signal } = this.abortController
    try {
      const page = await fetchPage(outbound, link, signal)
      if (typeof page === 'string') return page
      return await summaryOf(decodePage(page.body, page.contentType), page.url)
    } catch (error) {
      if (signal.aborted) return null
      onProblem('A page could not be read for its preview', error)
      // Counts as read, so that a page that triggers a bug does not do so repeatedly.
      return 'fault'
    }
  }
}
