import { morph } from '../live.ts'
import { PageChanges, removedIn, showAfter } from '../page-changes.ts'

export class BoardChanges extends PageChanges {
  constructor(private readonly board: HTMLElement) {
    super()
  }

  protected show(fetched: Document, changes: HTMLElement): boolean {
    if (changes.dataset.movable !== this.board.dataset.movable) return false
    const focused = document.activeElement
    for (const id of removedIn(changes)) document.getElementById(id)?.remove()
    const columns = [...changes.querySelectorAll<HTMLElement>('ol')]
    const isWhole = columns.every((column) => this.showColumn(column))
    if (!isWhole) return false
    for (const next of fetched.querySelectorAll<HTMLElement>('header[id], #first-card')) {
      const existing = document.getElementById(next.id)
      if (existing) morph(existing, next)
    }
    // A moved element loses the focus.
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
    return columns.every((column) => this.isComplete(column))
  }

  private listOf({ dataset }: HTMLElement): HTMLElement | null {
    return this.board.querySelector(`.cards[data-column="${dataset.column}"]`)
  }

  private showColumn(column: HTMLElement): boolean {
    const list = this.listOf(column)
    if (!list) return false
    const { first } = column.dataset
    for (const insertion of column.querySelectorAll<HTMLElement>('[data-after]')) {
      const next = insertion.querySelector<HTMLElement>('.card')!
      const { after = '' } = insertion.dataset
      const above = after === '' ? null : document.getElementById(after)
      if (after !== '' && above?.parentElement !== list) return false
      const existing = document.getElementById(next.id)
      // Cards above the first one may no longer be shown; they are removed below.
      if (existing?.parentElement === list && next.id === first) morph(existing, next)
      else showAfter(list, next, above)
    }
    while (first !== undefined && list.firstElementChild && list.firstElementChild.id !== first)
      list.firstElementChild.remove()
    return true
  }

  private isComplete(column: HTMLElement): boolean {
    return this.listOf(column)?.childElementCount === Number(column.dataset.count)
  }
}
