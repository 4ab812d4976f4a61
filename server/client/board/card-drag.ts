import { cancelMove, cardsIn, drop, insertCard, type LiftedCard, lift, lists } from './moving.ts'

/** In pixels: the distance from an edge at which it scrolls, and the maximum per frame. */
const edge = 56
const maxScrollSpeed = 16

export interface PressedCard {
  card: HTMLElement
  pointer: number
  x: number
  y: number
}

export class CardDrag {
  readonly pointer: number
  private readonly board: HTMLElement
  private readonly lifted: LiftedCard
  private readonly ghost: HTMLElement
  private readonly grip: { x: number; y: number }
  private x: number
  private y: number
  private isOver = false

  constructor(board: HTMLElement, { card, pointer, x, y }: PressedCard) {
    getSelection()?.removeAllRanges()
    const { left, top, width } = card.getBoundingClientRect()
    this.board = board
    this.pointer = pointer
    this.ghost = ghostOf(card, width)
    this.grip = { x: x - left, y: y - top }
    this.x = x
    this.y = y
    document.body.append(this.ghost)
    this.lifted = lift(card)
    board.classList.add('moving')
    if (board.isConnected) board.setPointerCapture(pointer)
    this.follow()
    requestAnimationFrame(() => this.scroll())
  }

  moveTo(x: number, y: number): void {
    this.x = x
    this.y = y
  }

  drop(): void {
    this.follow()
    this.end()
    void drop(this.lifted)
  }

  cancel(): void {
    this.end()
    cancelMove(this.lifted)
  }

  private follow(): void {
    const { ghost, grip, lifted, x, y } = this
    ghost.style.transform = `translate(${x - grip.x}px, ${y - grip.y}px)`
    insertCard(lifted.card, positionAt(x, y, lifted.card))
  }

  private scroll(): void {
    if (this.isOver) return
    const { left, right } = this.board.getBoundingClientRect()
    this.board.scrollLeft += speed(this.x, left, Math.min(right, innerWidth))
    scrollBy({ top: speed(this.y, 0, innerHeight), behavior: 'instant' })
    this.follow()
    requestAnimationFrame(() => this.scroll())
  }

  private end(): void {
    const { board, ghost, pointer } = this
    this.isOver = true
    ghost.remove()
    board.classList.remove('moving')
    if (board.hasPointerCapture(pointer)) board.releasePointerCapture(pointer)
    ignoreClick()
  }
}

function ghostOf(card: HTMLElement, width: number): HTMLElement {
  const ghost = card.cloneNode(true) as HTMLElement
  ghost.removeAttribute('id')
  ghost.classList.add('ghost')
  ghost.style.width = `${width}px`
  return ghost
}

function positionAt(x: number, y: number, card: HTMLElement) {
  const distance = (list: HTMLElement) => {
    const { left, right } = list.getBoundingClientRect()
    return Math.max(left - x, x - right, 0)
  }
  const list = lists().reduce((nearest, other) => (distance(other) < distance(nearest) ? other : nearest))
  const below = cardsIn(list).find((other) => {
    const { top, height } = other.getBoundingClientRect()
    return other !== card && y < top + height / 2
  })
  return { list, before: below ?? null }
}

function speed(at: number, start: number, end: number): number {
  const into = at < start + edge ? at - start - edge : at > end - edge ? at - end + edge : 0
  return Math.round((Math.max(-edge, Math.min(edge, into)) / edge) * maxScrollSpeed)
}

/** Keeps the click that ends a drag from following a link. */
function ignoreClick(): void {
  const ignore = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', ignore, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', ignore, { capture: true }))
}
