import { askStepPath, asksPath } from '../paths.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import type { AskDetails } from './ask-details.ts'

export interface AsksPageData {
  projectName: string
  open: readonly AskDetails[]
  claimed: readonly AskDetails[]
  openCount: number
  claimedCount: number
  address: (path: string) => string
}

export function asksPage({ projectName, address, ...asks }: AsksPageData): string {
  const sections = [
    `# Asks in ${escapeMarkdown(projectName)}`,
    instructions(address),
    `## Open\n\n${listOf(asks.open, asks.openCount)}`,
    `## Claimed\n\n${listOf(asks.claimed, asks.claimedCount)}`,
  ]
  return `${sections.join('\n\n')}\n`
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const instructions = (
  address: (path: string) => string,
) => `Claim an ask before you work on it; the first claim wins. Resolve it with the result. A question is answered by a
person, with one of its options. With your key in the variable \`WORKROOM_KEY\`, and an ask's id in place of \`ASK_ID\`:

\`\`\`sh
curl -sS -H "Authorization: Bearer $WORKROOM_KEY" -X POST ${shellQuoted(address(askStepPath('ASK_ID', 'claim')))}
\`\`\``

function listOf(asks: readonly AskDetails[], count: number): string {
  if (asks.length === 0) return 'None.'
  const left = count - asks.length
  const more = left === 0 ? '' : `\n\nAnd ${left} more, see \`GET ${asksPath}\`.`
  return asks.map(askEntry).join('\n\n') + more
}

function askEntry(ask: AskDetails): string {
  const call =
    ask.kind === 'question'
      ? `- answer: \`POST ${askStepPath(ask.id, 'resolve')}\` with \`{"chosenOption": "…"}\``
      : `- claim: \`POST ${askStepPath(ask.id, 'claim')}\``
  const lines = [
    `### ${escapeMarkdown(ask.title)}`,
    '',
    `- id: \`${ask.id}\``,
    `- kind: ${ask.kind}`,
    `- asked by: ${escapeMarkdown(ask.askedBy)}, ${new Date(ask.createdMs).toISOString()}`,
    ...(ask.options.length > 0 ? [`- options: ${escaped(ask.options)}`] : []),
    ...(ask.assignees.length > 0 ? [`- assignees: ${escaped(ask.assignees)}`] : []),
    ...(ask.state === 'claimed' ? [`- claimed by: ${escapeMarkdown(ask.claimedBy!)}`] : [call]),
    ...(ask.preview === '' ? [] : [`- text: ${escapeMarkdown(ask.preview)}`]),
  ]
  return lines.join('\n')
}

const escaped = (texts: readonly string[]) => texts.map(escapeMarkdown).join(', ')
