import { cancelMove, cardsIn, drop, insertCard, type LiftedCard, lift, listOf, lists } from './moving.ts'

export function moveByKeys(board: HTMLElement): void {
  let lifted: LiftedCard | null = null
  let focused: HTMLElement | null = null
  let isMoving = false

  const begin = (card: HTMLElement, from: HTMLElement) => {
    lifted = lift(card)
    focused = from
    announce(
      `Picked up ${nameOf(card)}, ${describePosition(card)}. Arrow keys move it, Space drops it, Escape puts it back.`,
    )
  }

  const move = (card: HTMLElement, act: () => void) => {
    isMoving = true
    act()
    focused?.focus()
    isMoving = false
    card.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }

  const end = async (isDropped: boolean) => {
    if (!lifted) return
    const { card } = lifted
    const ended = lifted
    lifted = null
    if (!isDropped) {
      move(card, () => cancelMove(ended))
      announce(`Move cancelled: ${nameOf(card)} is back at ${describePosition(card)}.`)
      return
    }
    const stays = await drop(ended)
    if (document.activeElement === document.body) focused?.focus()
    announce(stays ? `Dropped ${nameOf(card)}, ${describePosition(card)}.` : `${nameOf(card)} was not moved.`)
  }

  board.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement
    const card = target.closest<HTMLElement>('.card')
    if (!card || event.ctrlKey || event.metaKey || event.altKey) return
    if (!lifted) {
      if (event.key !== ' ') return
      event.preventDefault()
      begin(card, target)
      return
    }
    const act = actions[event.key]
    if (!act) return
    event.preventDefault()
    if (act === 'drop' || act === 'put back') void end(act === 'drop')
    else {
      move(card, () => act(card))
      announce(`${describePosition(card)}.`)
    }
  })
  // Screen readers click the handle.
  board.addEventListener('click', (event) => {
    const handle = (event.target as Element).closest<HTMLElement>('.handle')
    if (!handle) return
    event.preventDefault()
    if (lifted) void end(true)
    else begin(handle.closest<HTMLElement>('.card')!, handle)
    handle.focus()
  })
  board.addEventListener('focusout', ({ relatedTarget }) => {
    if (!lifted || isMoving || lifted.card.contains(relatedTarget as Node | null)) return
    void end(false)
  })
}

const actions: Record<string, 'drop' | 'put back' | ((card: HTMLElement) => void)> = {
  ' ': 'drop',
  Enter: 'drop',
  Escape: 'put back',
  ArrowUp: (card) => moveWithin(card, -1),
  ArrowDown: (card) => moveWithin(card, 1),
  ArrowLeft: (card) => moveAcross(card, -1),
  ArrowRight: (card) => moveAcross(card, 1),
}

function moveWithin(card: HTMLElement, step: 1 | -1): void {
  const list = listOf(card)
  const cards = cardsIn(list)
  const next = cards[cards.indexOf(card) + step]
  if (next) insertCard(card, { list, before: step < 0 ? next : next.nextElementSibling })
}

/** Moves to the same index in the next column. */
function moveAcross(card: HTMLElement, step: 1 | -1): void {
  const all = lists()
  const list = all[all.indexOf(listOf(card)) + step]
  if (list) insertCard(card, { list, before: cardsIn(list)[cardsIn(listOf(card)).indexOf(card)] ?? null })
}

const nameOf = (card: HTMLElement) => `card ${card.dataset.number}`

function describePosition(card: HTMLElement): string {
  const list = listOf(card)
  const cards = cardsIn(list)
  return `${list.dataset.title}, place ${cards.indexOf(card) + 1} of ${cards.length}`
}

function announce(text: string): void {
  document.getElementById('board-announcement')!.textContent = text[0]!.toUpperCase() + text.slice(1)
}
