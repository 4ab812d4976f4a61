import type { AskDetails } from '../asks/ask-details.ts'
import type { PlannedCard } from '../documents/model/types.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import { noGoal, renderGoal, sections } from './goal-text.ts'
import type { PlanData, PlanEntry } from './plan-data.ts'

const maxSectionLines = 100
const maxAnswerLength = 280

export function planMarkdown({ projectName, goal, decided, open, inFlight, lacks }: PlanData): string {
  const parts = [
    `# ${escapeMarkdown(projectName)}: the plan`,
    ...(lacks.length > 0 ? [`Your key lacks ${lacks.join(' and ')}: those entries are omitted.`] : []),
    `## ${sections.goal}\n\n${goal === '' ? noGoal : renderGoal(goal)}`,
    `## ${sections.decided}\n\n${formatList(decided.map(decidedLine))}`,
    `## ${sections.open}\n\n${formatList(open.map(openLine))}`,
    `## ${sections.inFlight}\n\n${formatList(inFlight.map(inFlightLine))}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function formatList(lines: readonly string[]): string {
  if (lines.length === 0) return 'Nothing.'
  const omittedCount = lines.length - maxSectionLines
  return (
    lines.slice(0, maxSectionLines).join('\n') + (omittedCount > 0 ? `\n\nAnd ${omittedCount} more.` : '')
  )
}

const cardLine = ({ title, path }: PlannedCard) => `- *${escapeMarkdown(title)}* · \`${path}\``
const askLine = ({ id, title }: AskDetails) => `- *${escapeMarkdown(title)}* · \`${id}\``

const decidedLine = (entry: PlanEntry) =>
  entry.kind === 'card' ? decidedCard(entry.card) : decidedAsk(entry.ask)
const openLine = (entry: PlanEntry) => (entry.kind === 'card' ? cardLine(entry.card) : openAsk(entry.ask))
const inFlightLine = (entry: PlanEntry) =>
  entry.kind === 'card'
    ? cardInFlight(entry.card)
    : `${askLine(entry.ask)} · ${escapeMarkdown(entry.ask.claimedBy!)}`

const decidedCard = (card: PlannedCard) =>
  `${cardLine(card)}${card.resolution === null ? '' : ` · **${truncateAnswer(card.resolution)}**`}`

function decidedAsk(ask: AskDetails): string {
  const answer = ask.answer.length > 0 ? ` · **${ask.answer.map(truncateAnswer).join(': ')}**` : ''
  return `${askLine(ask)}${answer} · ${escapeMarkdown(ask.resolvedBy!)}`
}

function openAsk(ask: AskDetails): string {
  const options = ask.options.length > 0 ? ` · ${ask.options.map(escapeMarkdown).join(' / ')}` : ''
  return `${askLine(ask)} · asked by ${escapeMarkdown(ask.askedBy)}${options}`
}

function cardInFlight(card: PlannedCard): string {
  const assigneeNames = card.assignees.length > 0 ? card.assignees.map(escapeMarkdown).join(', ') : 'nobody'
  return `${cardLine(card)} · ${assigneeNames}`
}

export function truncateAnswer(text: string): string {
  const characters = [...text.slice(0, 2 * maxAnswerLength)]
  const start = characters.slice(0, maxAnswerLength).join('')
  return escapeMarkdown(start) + (start.length < text.length ? ' …' : '')
}
