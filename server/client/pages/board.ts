import { BoardChanges } from '../board/changes.ts'
import { dragCards } from '../board/dragging.ts'
import { filterCards } from '../board/filtering.ts'
import { moveByKeys } from '../board/keyboard-moves.ts'
import { makeQuickCards } from '../board/quick-card.ts'

export function start(): void {
  const board = document.getElementById('board')!
  new BoardChanges(board).follow(board)
  filterCards(board)
  if (board.dataset.movable === undefined) return
  dragCards(board)
  moveByKeys(board)
  makeQuickCards(board)
}
