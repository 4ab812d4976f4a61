import type { DiffRow, PullRequestRow } from '../../data/tables/pull-requests.ts'
import { embedMarkdown } from '../text/embed-markdown.ts'
import { escapeMarkdown } from '../text/escape-markdown.ts'

export interface PullRequestDetails {
  pull: PullRequestRow
  /** Null if the reader's key may not read cards. `path` is `/v1/fs/…`. */
  cards: { number: number; title: string; path: string }[] | null
  diff: DiffRow | null
  /** Whether the diff is of another commit or base branch. */
  isDiffOld: boolean
  /** Null if the data is current. */
  problem: string | null
}

/** Escapes text from the forge, so that it cannot pass for a part of the page. */
export function pullRequestPage(details: PullRequestDetails & { nowMs: number }): string {
  const { pull, cards, problem, nowMs } = details
  const { number, title, state, isDraft, author, head, base, updatedMs, forgeUrl, description } = pull
  const lines = [
    `- State: ${state}${isDraft && state === 'open' ? ' (draft)' : ''}`,
    `- Author: ${escapeMarkdown(author)}`,
    `- Branches: ${escapeMarkdown(head) || '(gone)'} → ${escapeMarkdown(base)}`,
    `- Updated: ${new Date(updatedMs).toISOString()}`,
    ...(forgeUrl === '' ? [] : [`- At the forge: <${forgeUrl}>`]),
    ...(cards === null ? [] : [`- Linked cards: ${cards.map(cardLink).join(', ') || 'none'}`]),
  ]
  const stale =
    problem === null
      ? []
      : [
          `> Stale: this is the state of ${new Date(pull.checkedMs).toISOString()}, ` +
            `${ageOf(nowMs - pull.checkedMs)} ago; ${escapeMarkdown(problem)}.`,
        ]
  const text = description.trim() === '' ? '(none)' : embedMarkdown(description)
  const parts = [
    `# #${number} ${escapeMarkdown(title)}`,
    ...stale,
    lines.join('\n'),
    '## Description',
    text,
    '## Diff',
    ...diffParts(details),
  ]
  return `${parts.join('\n\n')}\n`
}

const cardLink = ({ number, title, path }: { number: number; title: string; path: string }) =>
  `[${number} ${escapeMarkdown(title)}](${path})`

function diffParts({ diff, isDiffOld, problem }: PullRequestDetails): string[] {
  if (diff === null) return [`(not known yet${problem === null ? '' : `: ${escapeMarkdown(problem)}`})`]
  if (diff.diff === null) return ['(The diff is too large for the forge to show.)']
  const fence = fenceFor(diff.diff)
  return [
    ...(isDiffOld ? ['(This diff is out of date; the current one could not be fetched.)'] : []),
    ...(diff.isCut ? ['(Truncated: the diff is longer than 1 MB.)'] : []),
    `${fence}diff\n${diff.diff}${diff.diff.endsWith('\n') || diff.diff === '' ? '' : '\n'}${fence}`,
  ]
}

/** One mark longer than any run inside, so that no line of the text closes the block. */
function fenceFor(text: string): string {
  let maxRun = 2
  for (const [run] of text.matchAll(/`{3,}/g)) maxRun = Math.max(maxRun, run.length)
  return '`'.repeat(maxRun + 1)
}

function ageOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}
