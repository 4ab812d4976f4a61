import type { AskFacts } from '../asks/ask-facts.ts'
import type { CardFacts } from '../documents/types.ts'
import { escapeMarkdown } from '../escape-markdown.ts'
import { noGoal, sections, shownGoal } from './goal-text.ts'

export interface PlanFacts {
  projectName: string
  /** `''` where nobody has set one. */
  goal: string
  /** In the order that they have within their columns; null where the key may not see them. */
  cards: readonly CardFacts[] | null
  /** Null where the key may not see them. */
  asks: {
    /** Newest first, as `claimed`. */
    open: readonly AskFacts[]
    claimed: readonly AskFacts[]
    /** The last one first. */
    resolved: readonly AskFacts[]
  } | null
}

/** The most lines of a section. */
const mostLines = 100
/** How much of an answer a line shows, in characters (code points). */
const longestAnswer = 280

interface Entry {
  line: string
  atMs: number
}

/** The text of `plan.md`: what the project is for, and where it stands. */
export function planPage({ projectName, goal, cards, asks }: PlanFacts): string {
  const decided: Entry[] = [
    ...(cards ?? []).filter(({ isQuestion, isClosed }) => isQuestion && isClosed).map(decidedCard),
    ...(asks?.resolved ?? []).map(decidedAsk),
  ]
  const open = [
    ...(cards ?? []).filter(({ isQuestion, isClosed }) => isQuestion && !isClosed).map(cardLine),
    ...(asks?.open ?? []).map(openAsk),
  ]
  const inFlight = [
    ...(cards ?? []).filter(({ column }) => column === '03-in-progress').map(cardInFlight),
    ...(asks?.claimed ?? []).map((ask) => `${askLine(ask)} · ${escapeMarkdown(ask.claimedBy!)}`),
  ]
  const newestFirst = decided.toSorted((one, other) => other.atMs - one.atMs).map(({ line }) => line)
  const hidden = [...(cards ? [] : ['cards:read']), ...(asks ? [] : ['asks:read'])]
  const parts = [
    `# ${escapeMarkdown(projectName)}: the plan`,
    ...(hidden.length > 0 ? [`Your key lacks ${hidden.join(' and ')}: what it would show is left out.`] : []),
    `## ${sections.goal}\n\n${goal === '' ? noGoal : shownGoal(goal)}`,
    `## ${sections.decided}\n\n${listOf(newestFirst)}`,
    `## ${sections.open}\n\n${listOf(open)}`,
    `## ${sections.inFlight}\n\n${listOf(inFlight)}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function listOf(lines: readonly string[]): string {
  if (lines.length === 0) return 'Nothing.'
  const left = lines.length - mostLines
  return lines.slice(0, mostLines).join('\n') + (left > 0 ? `\n\nAnd ${left} more.` : '')
}

const cardLine = ({ title, path }: CardFacts) => `- *${escapeMarkdown(title)}* · \`${path}\``
const askLine = ({ id, title }: AskFacts) => `- *${escapeMarkdown(title)}* · \`${id}\``

function decidedCard(card: CardFacts): Entry {
  const answer = card.resolution === null ? '' : ` · **${shortened(card.resolution)}**`
  return { line: `${cardLine(card)}${answer}`, atMs: card.lastActivityAt }
}

function decidedAsk(ask: AskFacts): Entry {
  const answer = ask.answer.length > 0 ? ` · **${ask.answer.map(shortened).join(': ')}**` : ''
  return { line: `${askLine(ask)}${answer} · ${escapeMarkdown(ask.resolvedBy!)}`, atMs: ask.updatedMs }
}

function openAsk(ask: AskFacts): string {
  const options = ask.options.length > 0 ? ` · ${ask.options.map(escapeMarkdown).join(' / ')}` : ''
  return `${askLine(ask)} · asked by ${escapeMarkdown(ask.askedBy)}${options}`
}

function cardInFlight(card: CardFacts): string {
  const who = card.assignees.length > 0 ? card.assignees.map(escapeMarkdown).join(', ') : 'nobody'
  return `${cardLine(card)} · ${who}`
}

/** How a text begins, on one line. */
export function shortened(text: string): string {
  const characters = [...text.slice(0, 2 * longestAnswer)]
  const start = characters.slice(0, longestAnswer).join('')
  return escapeMarkdown(start) + (start.length < text.length ? ' …' : '')
}
