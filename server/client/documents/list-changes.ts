import { PageChanges, removedIn, showAfter } from '../page-changes.ts'

export class ListChanges extends PageChanges {
  constructor(private readonly list: HTMLElement) {
    super()
  }

  protected show(_: Document, changes: HTMLElement): boolean {
    if (changes.dataset.movable !== this.list.dataset.movable) return false
    const folders = this.foldersIn(changes)
    const lists = [...changes.querySelectorAll<HTMLElement>('ul[data-list]')]
    if (!this.hasFolders(folders) || lists.length !== this.lists.length) return false
    const focused = document.activeElement
    for (const id of removedIn(changes)) document.getElementById(id)?.remove()
    for (const [index, folder] of this.foldersIn(this.list).entries())
      folder.textContent = folders[index]!.textContent
    const isComplete = lists.every((list) => this.showList(list))
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true })
    return isComplete
  }

  private get lists(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>('ul.tree')]
  }

  private foldersIn(within: HTMLElement): HTMLElement[] {
    return [...within.querySelectorAll<HTMLElement>('[data-count-of]')]
  }

  private hasFolders(folders: readonly HTMLElement[]): boolean {
    const pathsOf = (counts: readonly HTMLElement[]) =>
      counts.map(({ dataset }) => dataset.countOf).join('\n')
    return pathsOf(folders) === pathsOf(this.foldersIn(this.list))
  }

  /** Returns whether the list is now complete. */
  private showList(next: HTMLElement): boolean {
    const list = this.lists.find(({ dataset }) => dataset.list === next.dataset.list)
    if (!list || !showRest(list, next)) return false
    for (const insertion of next.querySelectorAll<HTMLElement>('[data-after]')) {
      const { after = '' } = insertion.dataset
      const above: Element | null = after === '' ? lastFolderIn(list) : document.getElementById(after)
      if (after !== '' && above?.parentElement !== list) return false
      showAfter(list, insertion.querySelector<HTMLElement>('li')!, above)
    }
    const count = Number(next.dataset.count)
    for (const row of documentsIn(list).slice(count)) row.remove()
    return documentsIn(list).length === count
  }
}

const documentsIn = (list: HTMLElement): Element[] => [...list.children].filter((row) => row.id !== '')

const lastFolderIn = (list: HTMLElement): Element | null =>
  [...list.children].findLast((row) => row.id === '') ?? null

/** Updates the count of hidden items. @returns false if it appeared or disappeared */
function showRest(list: HTMLElement, next: HTMLElement): boolean {
  const [currentRest, nextRest] = [list, next].map(({ nextElementSibling: rest }) =>
    rest instanceof HTMLElement && rest.matches('.rest') ? rest : null,
  )
  if (currentRest && nextRest) currentRest.replaceWith(nextRest)
  return (currentRest === null) === (nextRest === null)
}
