import { dragCards } from './dragging.ts'
import { filterCards } from './filtering.ts'
import { moveByKeys } from './keyboard-moves.ts'
import { makeQuickCards } from './quick-card.ts'

export function start(board: HTMLElement): void {
  filterCards(board)
  if (board.dataset.movable === undefined) return
  dragCards(board)
  moveByKeys(board)
  makeQuickCards(board)
}
