import {
  fetchPage,
  insert,
  keepScrollPosition,
  morph,
  onRender,
  setPartialUpdate,
  untilResumed,
} from './live.ts'

/** Fetches the changes of a page instead of the whole page. */
export abstract class PageChanges {
  /** The change sequence that the page shows. */
  private shownSequence = 0
  private lastUpdate: Promise<unknown> = Promise.resolve()

  /** Shows changes in a part of the page from now on. */
  follow(part: HTMLElement): void {
    // Changes would move what the reader is dragging.
    const waitUntilResumed = async () => {
      const resumed = untilResumed()
      await resumed
      return resumed !== undefined
    }
    const update = () => this.update(`${location.pathname}?${location.search.slice(1)}`, waitUntilResumed)
    setPartialUpdate((_, __, sequence) => (this.hasShown(sequence) ? Promise.resolve(true) : update()))
    onRender((within) => {
      if (within === part && this.noteFullPage()) void update()
    })
  }

  hasShown(sequence: number): boolean {
    return sequence <= this.sequence
  }

  /** To be called after the whole page was shown. @returns whether that was older than the changes before */
  noteFullPage(): boolean {
    const touched = Number(document.body.dataset.touched)
    const isOlder = touched < this.shownSequence
    this.shownSequence = touched
    return isOlder
  }

  /** The whole page may have been fetched since. */
  private get sequence(): number {
    return Math.max(this.shownSequence, Number(document.body.dataset.touched))
  }

  /** @param beforeShowing returns whether to fetch again @returns false if the whole page must be fetched */
  update(address: string, beforeShowing: () => Promise<boolean>): Promise<boolean> {
    const updated = this.lastUpdate.then(() => this.fetchAndShow(address, beforeShowing))
    this.lastUpdate = updated.catch(() => {})
    return updated
  }

  private async fetchAndShow(address: string, beforeShowing: () => Promise<boolean>): Promise<boolean> {
    const page = await fetchPage(`${address}&part=changes&since=${this.sequence}`)
    const changes = page?.fetched.getElementById('changes')
    if (!page || page.isGone || !changes || changes.dataset.whole !== undefined) return false
    if (await beforeShowing()) return this.fetchAndShow(address, beforeShowing)
    // A newer whole page was shown meanwhile.
    if (Number(changes.dataset.sequence) < this.sequence) return true
    const restore = keepScrollPosition()
    const isComplete = this.show(page.fetched, changes)
    restore()
    if (isComplete) this.shownSequence = Number(changes.dataset.sequence)
    return isComplete
  }

  /** Returns false if the whole page must be fetched. */
  protected abstract show(fetched: Document, changes: HTMLElement): boolean
}

export const removedIn = ({ dataset }: HTMLElement): string[] =>
  (dataset.removed ?? '').split(' ').filter((id) => id !== '')

/** Inserts, updates or moves a row. @param above null: first in the list */
export function showAfter(list: HTMLElement, next: HTMLElement, above: Element | null): void {
  const before = above ? above.nextElementSibling : list.firstElementChild
  const existing = document.getElementById(next.id)
  if (!existing) {
    insert(list, next, before)
    return
  }
  morph(existing, next)
  const row = document.getElementById(next.id)!
  if (row !== before && (row.parentElement !== list || row.previousElementSibling !== above))
    list.insertBefore(row, before)
}
