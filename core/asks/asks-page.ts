import { askStepPath, asksPath } from '../paths.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'
import type { AskDetails } from './ask-details.ts'

export interface AsksPageData {
  projectName: string
  open: readonly AskDetails[]
  claimed: readonly AskDetails[]
  openCount: number
  claimedCount: number
  pageUrl: (path: string) => string
}

export function asksPage({ projectName, pageUrl, ...asks }: AsksPageData): string {
  const sections = [
    `# Asks in ${escapeMarkdown(projectName)}`,
    instructions(pageUrl),
    `## Open\n\n${formatList(asks.open, asks.openCount)}`,
    `## Claimed\n\n${formatList(asks.claimed, asks.claimedCount)}`,
  ]
  return `${sections.join('\n\n')}\n`
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const instructions = (
  pageUrl: (path: string) => string,
) => `Claim an ask before you work on it; the first claim wins. Resolve it with the result. A question is answered by a
person, with one of its options. With your key in the variable \`WORKROOM_KEY\`, and an ask's id in place of \`ASK_ID\`:

\`\`\`sh
curl -sS -H "Authorization: Bearer $WORKROOM_KEY" -X POST ${quoteForShell(pageUrl(askStepPath('ASK_ID', 'claim')))}
\`\`\``

function formatList(asks: readonly AskDetails[], count: number): string {
  if (asks.length === 0) return 'None.'
  const remaining = count - asks.length
  const omittedText = remaining === 0 ? '' : `\n\nAnd ${remaining} more, see \`GET ${asksPath}\`.`
  return asks.map(askEntry).join('\n\n') + omittedText
}

function askEntry(ask: AskDetails): string {
  const actionLine =
    ask.kind === 'question'
      ? `- answer: \`POST ${askStepPath(ask.id, 'resolve')}\` with \`{"chosenOption": "…"}\``
      : `- claim: \`POST ${askStepPath(ask.id, 'claim')}\``
  const lines = [
    `### ${escapeMarkdown(ask.title)}`,
    '',
    `- id: \`${ask.id}\``,
    `- kind: ${ask.kind}`,
    `- asked by: ${escapeMarkdown(ask.askedBy)}, ${new Date(ask.createdMs).toISOString()}`,
    ...(ask.options.length > 0 ? [`- options: ${escapeAll(ask.options)}`] : []),
    ...(ask.assignees.length > 0 ? [`- assignees: ${escapeAll(ask.assignees)}`] : []),
    ...(ask.state === 'claimed' ? [`- claimed by: ${escapeMarkdown(ask.claimedBy!)}`] : [actionLine]),
    ...(ask.preview === '' ? [] : [`- text: ${escapeMarkdown(ask.preview)}`]),
  ]
  return lines.join('\n')
}

const escapeAll = (texts: readonly string[]) => texts.map(escapeMarkdown).join(', ')
