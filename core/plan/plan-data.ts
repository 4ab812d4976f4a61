import type { AskDetails } from '../asks/ask-details.ts'
import type { PlannedCard } from '../documents/model/types.ts'

/** What stands in a plan: a card, or an ask. */
export type PlanEntry = { kind: 'card'; card: PlannedCard } | { kind: 'ask'; ask: AskDetails }

/** What a project is for, and where it stands. */
export interface PlanData {
  projectName: string
  /** Markdown; `''` where nobody has set one. */
  goal: string
  /** Questions that were answered and work that was done, the last one first. */
  decided: PlanEntry[]
  open: PlanEntry[]
  inFlight: PlanEntry[]
  /** The scopes that the reader's key lacks: what they would show is left out. */
  lacks: string[]
}

interface PlanSources {
  projectName: string
  goal: string
  /** In the order that they have within their columns; null where the key may not see them. */
  cards: readonly PlannedCard[] | null
  /** Null where the key may not see them. */
  asks: {
    /** Newest first, as `claimed`. */
    open: readonly AskDetails[]
    claimed: readonly AskDetails[]
    /** The last one first. */
    resolved: readonly AskDetails[]
  } | null
}

export function planData({ projectName, goal, cards, asks }: PlanSources): PlanData {
  const questions = (cards ?? []).filter(({ isQuestion }) => isQuestion)
  const decided = [
    ...questions.filter(({ isClosed }) => isClosed).map(ofCard),
    ...(asks?.resolved ?? []).map(ofAsk),
  ]
  return {
    projectName,
    goal,
    decided: decided.sort((one, other) => lastOf(other) - lastOf(one)),
    open: [...questions.filter(({ isClosed }) => !isClosed).map(ofCard), ...(asks?.open ?? []).map(ofAsk)],
    inFlight: [
      ...(cards ?? []).filter(({ column }) => column === '03-in-progress').map(ofCard),
      ...(asks?.claimed ?? []).map(ofAsk),
    ],
    lacks: [...(cards ? [] : ['cards:read']), ...(asks ? [] : ['asks:read'])],
  }
}

const ofCard = (card: PlannedCard): PlanEntry => ({ kind: 'card', card })
const ofAsk = (ask: AskDetails): PlanEntry => ({ kind: 'ask', ask })

/** When something last happened to it, Unix milliseconds. */
const lastOf = (entry: PlanEntry): number =>
  entry.kind === 'card' ? entry.card.lastActivityAt : entry.ask.updatedMs
