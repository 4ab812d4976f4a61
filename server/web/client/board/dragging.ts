import { cancelMove, cardsIn, drop, insertCard, type LiftedCard, lift, lists } from './moving.ts'

/** A mouse that has moved so far, in pixels, drags; a finger that has moved so far scrolls. */
const dragThreshold = 6
/** How long a touch has to last to lift a card; its handle lifts it at once. */
const longPressMs = 350
/** Distance from an edge, in pixels, at which the board or the page scrolls, and the most that it scrolls in a frame. */
const edge = 56
const maxScrollSpeed = 16

interface Press {
  card: HTMLElement
  pointer: number
  x: number
  y: number
  timer: ReturnType<typeof setTimeout> | undefined
}

interface Drag {
  lifted: LiftedCard
  pointer: number
  ghost: HTMLElement
  grip: { x: number; y: number }
  x: number
  y: number
}

/** Cards follow the mouse, and the finger that has rested on them. */
export function dragCards(board: HTMLElement): void {
  let press: Press | null = null
  let drag: Drag | null = null

  const forget = () => {
    clearTimeout(press?.timer)
    press = null
  }

  const begin = ({ card, pointer, x, y }: Press) => {
    forget()
    getSelection()?.removeAllRanges()
    const { left, top, width } = card.getBoundingClientRect()
    const ghost = card.cloneNode(true) as HTMLElement
    ghost.removeAttribute('id')
    ghost.classList.add('ghost')
    ghost.style.width = `${width}px`
    document.body.append(ghost)
    drag = { lifted: lift(card), pointer, ghost, grip: { x: x - left, y: y - top }, x, y }
    board.classList.add('moving')
    if (board.isConnected) board.setPointerCapture(pointer)
    follow(drag)
    requestAnimationFrame(scroll)
  }

  const follow = ({ ghost, grip, x, y, lifted }: Drag) => {
    ghost.style.transform = `translate(${x - grip.x}px, ${y - grip.y}px)`
    insertCard(lifted.card, placeAt(x, y, lifted.card))
  }

  const scroll = () => {
    if (!drag) return
    const { left, right } = board.getBoundingClientRect()
    board.scrollLeft += speed(drag.x, left, Math.min(right, innerWidth))
    scrollBy({ top: speed(drag.y, 0, innerHeight), behavior: 'instant' })
    follow(drag)
    requestAnimationFrame(scroll)
  }

  const end = (isDropped: boolean) => {
    if (!drag) return
    const { lifted, ghost, pointer } = drag
    drag = null
    ghost.remove()
    board.classList.remove('moving')
    if (board.hasPointerCapture(pointer)) board.releasePointerCapture(pointer)
    ignoreClick()
    if (isDropped) void drop(lifted)
    else cancelMove(lifted)
  }

  board.addEventListener('pointerdown', (event) => {
    const target = event.target as Element
    const card = target.closest<HTMLElement>('.card')
    if (!card || event.button !== 0 || press || drag) return
    const { pointerId: pointer, clientX: x, clientY: y, pointerType } = event
    const here: Press = { card, pointer, x, y, timer: undefined }
    press = here
    if (pointerType === 'mouse') return
    if (target.closest('.handle')) begin(here)
    else here.timer = setTimeout(() => begin(here), longPressMs)
  })
  document.addEventListener('pointermove', (event) => {
    const { pointerId, clientX: x, clientY: y, pointerType } = event
    if (drag?.pointer === pointerId) {
      Object.assign(drag, { x, y })
      return
    }
    if (press?.pointer !== pointerId || Math.hypot(x - press.x, y - press.y) < dragThreshold) return
    if (pointerType === 'mouse') begin(press)
    else forget()
  })
  document.addEventListener('pointerup', ({ pointerId, clientX: x, clientY: y }) => {
    if (press?.pointer === pointerId) forget()
    if (drag?.pointer !== pointerId) return
    follow(Object.assign(drag, { x, y }))
    end(true)
  })
  document.addEventListener('pointercancel', ({ pointerId }) => {
    if (press?.pointer === pointerId) forget()
    if (drag?.pointer === pointerId) end(false)
  })
  document.addEventListener('keydown', (event) => {
    if (!drag || event.key !== 'Escape') return
    event.preventDefault()
    end(false)
  })
  // The browser's own dragging, scrolling and menus would take the pointer away.
  board.addEventListener('dragstart', (event) => event.preventDefault())
  board.addEventListener('touchmove', (event) => drag && event.preventDefault(), { passive: false })
  board.addEventListener('contextmenu', (event) => (drag || press?.timer) && event.preventDefault())
}

/** In the column under a point, or nearest to it. */
function placeAt(x: number, y: number, card: HTMLElement) {
  const distance = (list: HTMLElement) => {
    const { left, right } = list.getBoundingClientRect()
    return Math.max(left - x, x - right, 0)
  }
  const list = lists().reduce((near, other) => (distance(other) < distance(near) ? other : near))
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

/** The click that ends a drag follows no link. */
function ignoreClick(): void {
  const ignore = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  addEventListener('click', ignore, { capture: true, once: true })
  setTimeout(() => removeEventListener('click', ignore, { capture: true }))
}
