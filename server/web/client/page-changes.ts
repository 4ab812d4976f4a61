import {
  fetchPage,
  insert,
  morph,
  onRender,
  restorePositions,
  setPartialUpdate,
  untilResumed,
} from './live.ts'

/** Fetches what changed on a page since it was made, in place of the whole page. */
export abstract class PageChanges {
  /** Up to where the page shows what happened, as the server counts. */
  private shownSequence = 0
  private last: Promise<unknown> = Promise.resolve()

  /** Shows what happens in a part of the page from now on, in place of the whole page. */
  follow(part: HTMLElement): void {
    // What the reader holds meanwhile would be moved away.
    const waited = async () => {
      const waiting = untilResumed()
      await waiting
      return waiting !== undefined
    }
    const update = () => this.update(`${location.pathname}?${location.search.slice(1)}`, waited)
    setPartialUpdate((_, __, sequence) => (this.hasShown(sequence) ? Promise.resolve(true) : update()))
    onRender((within) => {
      if (within === part && this.wholeShown()) void update()
    })
  }

  hasShown(sequence: number): boolean {
    return sequence <= this.sequence
  }

  /**
   * To be called when the whole page was shown. @returns whether it was made before changes that were shown already, and
   * that it has taken away
   */
  wholeShown(): boolean {
    const touched = Number(document.body.dataset.touched)
    const isOlder = touched < this.shownSequence
    this.shownSequence = touched
    return isOlder
  }

  /** The whole page may have been fetched since. */
  private get sequence(): number {
    return Math.max(this.shownSequence, Number(document.body.dataset.touched))
  }

  /**
   * @param address of the page as it is shown, with a query
   * @param beforeShowing says whether what was fetched is outdated by then
   * @returns false if the whole page is to be fetched
   */
  update(address: string, beforeShowing: () => Promise<boolean>): Promise<boolean> {
    const updated = this.last.then(() => this.fetchAndShow(address, beforeShowing))
    this.last = updated.catch(() => {})
    return updated
  }

  private async fetchAndShow(address: string, beforeShowing: () => Promise<boolean>): Promise<boolean> {
    const answer = await fetchPage(`${address}&part=changes&since=${this.sequence}`)
    const changes = answer?.fetched.getElementById('changes')
    if (!answer || answer.isGone || !changes || changes.dataset.whole !== undefined) return false
    if (await beforeShowing()) return this.fetchAndShow(address, beforeShowing)
    // The whole page was shown meanwhile, as it was later.
    if (Number(changes.dataset.sequence) < this.sequence) return true
    const restore = restorePositions()
    const isWhole = this.show(answer.fetched, changes)
    restore()
    if (isWhole) this.shownSequence = Number(changes.dataset.sequence)
    return isWhole
  }

  /** @returns false if the whole page is to be fetched */
  protected abstract show(fetched: Document, changes: HTMLElement): boolean
}

/** The ids of what is gone. */
export const removedIn = ({ dataset }: HTMLElement): string[] =>
  (dataset.removed ?? '').split(' ').filter((id) => id !== '')

/** Shows a row of a list as it is now, below another. @param above null: as the first */
export function showAfter(list: HTMLElement, next: HTMLElement, above: Element | null): void {
  const before = above ? above.nextElementSibling : list.firstElementChild
  const shown = document.getElementById(next.id)
  if (!shown) {
    insert(list, next, before)
    return
  }
  morph(shown, next)
  const row = document.getElementById(next.id)!
  if (row !== before && (row.parentElement !== list || row.previousElementSibling !== above))
    list.insertBefore(row, before)
}
