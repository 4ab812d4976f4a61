import type { AskDetails } from '../asks/ask-details.ts'
import type { PlannedCard } from '../documents/model/types.ts'

export type PlanEntry = { kind: 'card'; card: PlannedCard } | { kind: 'ask'; ask: AskDetails }

export interface PlanData {
  projectName: string
  /** Markdown; `''` if there is none. */
  goal: string
  /** Answered questions and finished work, the last first. */
  decided: PlanEntry[]
  open: PlanEntry[]
  inFlight: PlanEntry[]
  /** Scopes that the reader's key lacks: what they would show is omitted. */
  lacks: string[]
}

interface PlanSources {
  projectName: string
  goal: string
  /** By position within their columns; null without the scope. */
  cards: readonly PlannedCard[] | null
  /** Null without the scope. */
  asks: {
    /** Newest first, like `claimed`. */
    open: readonly AskDetails[]
    claimed: readonly AskDetails[]
    /** The last first. */
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

/** Time of the last activity, Unix milliseconds. */
const lastOf = (entry: PlanEntry): number =>
  entry.kind === 'card' ? entry.card.lastActivityAt : entry.ask.updatedMs
