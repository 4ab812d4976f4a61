import type { AskDetails } from '../asks/ask-details.ts'
import type { PlannedCard } from '../documents/model/types.ts'

export type PlanEntry = { kind: 'card'; card: PlannedCard } | { kind: 'ask'; ask: AskDetails }

export interface PlanData {
  projectName: string
  /** Markdown; `''` if none is set. */
  goal: string
  /** Answered questions and finished work, newest first. */
  decided: PlanEntry[]
  open: PlanEntry[]
  inFlight: PlanEntry[]
  lacks: string[]
}

interface PlanSources {
  projectName: string
  goal: string
  /** Sorted as in their columns; null if the key may not read them. */
  cards: readonly PlannedCard[] | null
  /** Null if the key may not read them. */
  asks: {
    open: readonly AskDetails[]
    claimed: readonly AskDetails[]
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
    decided: decided.sort((one, other) => lastActivityMs(other) - lastActivityMs(one)),
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

const lastActivityMs = (entry: PlanEntry): number =>
  entry.kind === 'card' ? entry.card.lastActivityAt : entry.ask.updatedMs
