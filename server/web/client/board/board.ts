import { onRender, setPartialUpdate, untilResumed } from '../live.ts'
import { BoardChanges } from './changes.ts'
import { dragCards } from './dragging.ts'
import { filterCards } from './filtering.ts'
import { moveByKeys } from './keyboard-moves.ts'
import { makeQuickCards } from './quick-card.ts'

export function start(board: HTMLElement): void {
  followCards(board)
  filterCards(board)
  if (board.dataset.movable === undefined) return
  dragCards(board)
  moveByKeys(board)
  makeQuickCards(board)
}

function followCards(board: HTMLElement): void {
  const changes = new BoardChanges(board)
  // A card that was dropped meanwhile would be put back.
  const waited = async () => {
    const waiting = untilResumed()
    await waiting
    return waiting !== undefined
  }
  const update = () => changes.update(`${location.pathname}?${location.search.slice(1)}`, waited)
  setPartialUpdate((_, __, sequence) => (changes.hasShown(sequence) ? Promise.resolve(true) : update()))
  onRender((within) => {
    if (within === board && changes.wholeShown()) void update()
  })
}
