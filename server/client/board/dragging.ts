import { CardDrag, type PressedCard } from './card-drag.ts'

/** In pixels: from here on, a mouse drags and a finger scrolls. */
const dragThreshold = 6
/** How long a touch takes to lift a card. A touch of its handle lifts it immediately. */
const longPressMs = 350

interface Press extends PressedCard {
  timer: ReturnType<typeof setTimeout> | undefined
}

export function dragCards(board: HTMLElement): void {
  let press: Press | null = null
  let drag: CardDrag | null = null

  const forget = () => {
    clearTimeout(press?.timer)
    press = null
  }

  const begin = (pressed: PressedCard) => {
    forget()
    drag = new CardDrag(board, pressed)
  }

  const cancel = () => {
    drag?.cancel()
    drag = null
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
      drag.moveTo(x, y)
      return
    }
    if (press?.pointer !== pointerId || Math.hypot(x - press.x, y - press.y) < dragThreshold) return
    if (pointerType === 'mouse') begin(press)
    else forget()
  })
  document.addEventListener('pointerup', ({ pointerId, clientX: x, clientY: y }) => {
    if (press?.pointer === pointerId) forget()
    if (drag?.pointer !== pointerId) return
    drag.moveTo(x, y)
    drag.drop()
    drag = null
  })
  document.addEventListener('pointercancel', ({ pointerId }) => {
    if (press?.pointer === pointerId) forget()
    if (drag?.pointer === pointerId) cancel()
  })
  document.addEventListener('keydown', (event) => {
    if (!drag || event.key !== 'Escape') return
    event.preventDefault()
    cancel()
  })
  // The browser's own dragging, scrolling and menus would cancel the pointer.
  board.addEventListener('dragstart', (event) => event.preventDefault())
  board.addEventListener('touchmove', (event) => drag && event.preventDefault(), { passive: false })
  board.addEventListener('contextmenu', (event) => (drag || press?.timer) && event.preventDefault())
}
