import { call, errorText } from '../api.ts'
import { showToast } from '../feedback.ts'
import { pauseUpdates } from '../live.ts'
import { offerUndo } from '../undo.ts'

/** Before another card, or (null) at the end of the column. */
interface CardPosition {
  list: HTMLElement
  before: Element | null
}

export interface LiftedCard {
  card: HTMLElement
  from: CardPosition
  release: () => void
}

export const lists = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.board .cards')]

export const cardsIn = (list: HTMLElement): HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>(':scope > .card:not([hidden])'),
]

export const listOf = (card: HTMLElement): HTMLElement => card.closest<HTMLElement>('.cards')!

export function lift(card: HTMLElement): LiftedCard {
  card.classList.add('lifted')
  return { card, from: { list: listOf(card), before: card.nextElementSibling }, release: pauseUpdates() }
}

export function insertCard(card: HTMLElement, { list, before }: CardPosition): void {
  if (listOf(card) !== list || card.nextElementSibling !== before) list.insertBefore(card, before)
}

export function cancelMove({ card, from, release }: LiftedCard): void {
  card.classList.remove('lifted')
  insertCard(card, from)
  release()
}

/** Saves the card's position; reverts it with a message if that fails. @returns whether it was saved */
export async function drop({ card, from, release }: LiftedCard): Promise<boolean> {
  card.classList.remove('lifted')
  const list = listOf(card)
  const former = formerNeighbour(from, card)
  try {
    if (list === from.list && card.nextElementSibling === from.before) return true
    const json = { toColumn: list.dataset.column, ...neighbour(card, list) }
    const response = await call('POST', `${card.dataset.path}/_move`, { json })
    card.dataset.path = String(response.json.path)
    offerUndo({
      message: `Card ${card.dataset.number} moved to ${list.dataset.title}.`,
      requests: [
        {
          line: `POST ${card.dataset.path}/_move`,
          json: { toColumn: from.list.dataset.column, ...former },
        },
      ],
    })
    return true
  } catch (error) {
    insertCard(card, from)
    showToast(errorText(error))
    return false
  } finally {
    release()
  }
}

/** A neighbour that the card had before. */
function formerNeighbour(
  { list, before }: CardPosition,
  card: HTMLElement,
): { after?: number; before?: number } {
  if (before instanceof HTMLElement) return { before: Number(before.dataset.number) }
  const last = cardsIn(list).findLast((other) => other !== card)
  return last ? { after: Number(last.dataset.number) } : {}
}

/** The neighbour visible now, if there is one. */
function neighbour(card: HTMLElement, list: HTMLElement): { after?: number; before?: number } {
  const cards = cardsIn(list)
  const index = cards.indexOf(card)
  const [above, below] = [cards[index - 1], cards[index + 1]]
  if (above) return { after: Number(above.dataset.number) }
  return below ? { before: Number(below.dataset.number) } : {}
}
