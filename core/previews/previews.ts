import type { Database } from '../../data/database.ts'
import type { Outbound } from '../../data/outbound/http.ts'
import type { LinkPreviewRow, LinkPreviewsTable, PageSummary } from '../../data/tables/link-previews.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { decodePage } from './decode.ts'
import { fetchPage } from './fetch-page.ts'
import { summaryOf } from './summary.ts'

/** What a page says of itself; `''` where it says nothing of that kind. Plain text: whoever shows it escapes it. */
export interface LinkPreview extends PageSummary {
  url: string
}

interface PreviewsDeps {
  database: Database
  linkPreviews: LinkPreviewsTable
  outbound: Outbound
  clock: Clock
  /** Absolute address of a page of ours, from its path. */
  pageUrl: (path: string) => string
  onProblem: (message: string, error?: unknown) => void
}

/** After this long a page may say something else. */
const freshMs = 7 * 24 * 60 * 60 * 1000

/** After this long a page that could not be read may be there. */
const retryAfterMs = 60 * 60 * 1000

/** How many pages are asked for side by side. */
const maxConcurrentReads = 4

/**
 * Previews of the pages that posts link to (`docs/operations.md#outgoing-requests`). The commit that publishes a post
 * says which pages are wanted; they are read later, one look each, and no write waits for one.
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

  /** Goes on with the pages that were wanted when the workspace was closed. Not to be waited for. */
  start(): void {
    this.reading.dueAt(this.deps.clock.now())
  }

  /** Ends what is under way; it is still wanted at the next start. */
  async stop(): Promise<void> {
    this.ending.abort()
    await this.reading.stop()
  }

  /**
   * Has pages read, those that are known well enough left out; to be called inside a commit.
   * @param links as `Digest.links` has them
   */
  enqueue(links: readonly string[]): void {
    const { clock, linkPreviews, pageUrl } = this.deps
    const nowMs = clock.now()
    const wanted = links.filter(
      (link) => !link.startsWith(pageUrl('/')) && this.isStale(linkPreviews.find(link)),
    )
    for (const link of wanted) linkPreviews.want(link, nowMs)
    // The alarm rings in a later turn of the event loop, when the commit is done.
    if (wanted.length > 0) this.reading.dueAt(nowMs)
  }

  /**
   * What is known of pages, in the order of the links; those of which nothing is known are left out. What is older than
   * seven days is shown once more, and read again meanwhile.
   * @param links as `Digest.links` has them
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

  /** @returns what the page says, or in one word why that is not known; null when the workspace closes meanwhile */
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
      // It counts as read: a page that brings out a fault of ours must not do so for ever.
      return 'fault'
    }
  }
}
