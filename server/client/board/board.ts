import { BoardChanges } from './changes.ts'
import { dragCards } from './dragging.ts'
import { filterCards } from './filtering.ts'
import { moveByKeys } from './keyboard-moves.ts'
import { makeQuickCards } from './quick-card.ts'

export function start(board: HTMLElement): void {
  new BoardChanges(board).follow(board)
  filterCards(board)
  if (board.dataset.movable === undefined) return
  dragCards(board)
  moveByKeys(board)
  makeQuickCards(board)
}
