import { diffLines, diffWordsWithSpace } from 'diff'
import { decode } from './analyse.ts'
import type { CollapsedLines, DifferencesRequest, DiffLine, LinePart, TextDiff } from './types.ts'

const contextLines = 3

const maxLines = 5000
const maxCharacters = 500_000

/** Words of longer lines are not compared. */
const maxWordDiffLength = 4000

const lineDiffTimeoutMs = 500
const wordDiffTimeoutMs = 200

/** Slow for very different texts: for workers. Returns null if it takes too long. */
export function diffTexts({ before, after }: DifferencesRequest): TextDiff | null {
  const changes = diffLines(linesOf(before), linesOf(after), { timeout: lineDiffTimeoutMs })
  if (!changes) return null
  const untilMs = performance.now() + wordDiffTimeoutMs
  const lines: DiffLine[] = []
  const lineNumbers = { before: 1, after: 1 }
  let removed: string[] = []
  for (const [index, change] of changes.entries()) {
    const texts = change.value.split('\n').slice(0, -1)
    if (change.removed && changes[index + 1]?.added) removed = texts
    else if (change.removed) lines.push(...texts.map((text) => removedLine(text, lineNumbers)))
    else if (change.added) {
      lines.push(...changedLines(removed, texts, lineNumbers, untilMs))
      removed = []
    } else lines.push(...texts.map((text) => equalLine(text, lineNumbers)))
  }
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { ...truncate(collapseEqual(lines)), added: count('added'), removed: count('removed') }
}

/** Line endings, and a missing last one, are no differences. */
function linesOf(bytes: Uint8Array): string {
  const text = decode(bytes).replace(/\r\n?/g, '\n')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

interface LineNumbers {
  before: number
  after: number
}

const whole = (text: string): LinePart[] => [{ text, isChanged: false }]

const equalLine = (text: string, lineNumbers: LineNumbers): DiffLine => ({
  kind: 'same',
  before: lineNumbers.before++,
  after: lineNumbers.after++,
  parts: whole(text),
})

const removedLine = (text: string, lineNumbers: LineNumbers, parts = whole(text)): DiffLine => ({
  kind: 'removed',
  before: lineNumbers.before++,
  after: null,
  parts,
})

const addedLine = (text: string, lineNumbers: LineNumbers, parts = whole(text)): DiffLine => ({
  kind: 'added',
  before: null,
  after: lineNumbers.after++,
  parts,
})

function changedLines(
  removed: string[],
  added: string[],
  lineNumbers: LineNumbers,
  untilMs: number,
): DiffLine[] {
  const pairs = removed.map((text, index) => wordsOf(text, added[index], untilMs))
  return [
    ...removed.map((text, index) => removedLine(text, lineNumbers, pairs[index]?.removed)),
    ...added.map((text, index) => addedLine(text, lineNumbers, pairs[index]?.added)),
  ]
}

function wordsOf(
  removed: string,
  added: string | undefined,
  untilMs: number,
): { removed: LinePart[]; added: LinePart[] } | null {
  const timeout = untilMs - performance.now()
  if (added === undefined || timeout <= 0 || Math.max(removed.length, added.length) > maxWordDiffLength)
    return null
  const changes = diffWordsWithSpace(removed, added, { timeout })
  const common = changes?.filter((change) => !change.added && !change.removed) ?? []
  const commonLength = common.reduce((total, { value }) => total + value.trim().length, 0)
  if (!changes || commonLength * 3 < Math.min(removed.trim().length, added.trim().length)) return null
  const side = (other: 'added' | 'removed', own: 'added' | 'removed'): LinePart[] =>
    changes
      .filter((change) => !change[other])
      .map((change) => ({ text: change.value, isChanged: change[own] }))
  return { removed: side('added', 'removed'), added: side('removed', 'added') }
}

function collapseEqual(lines: DiffLine[]): (DiffLine | CollapsedLines)[] {
  const isShown = new Uint8Array(lines.length)
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') isShown.fill(1, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const collapsed: (DiffLine | CollapsedLines)[] = []
  let count = 0
  const fold = () => {
    if (count > 0) collapsed.push({ kind: 'equal', count })
    count = 0
  }
  for (const [index, line] of lines.entries()) {
    if (isShown[index] === 0) {
      count++
      continue
    }
    fold()
    collapsed.push(line)
  }
  fold()
  return collapsed
}

function truncate(lines: (DiffLine | CollapsedLines)[]): Pick<TextDiff, 'lines' | 'isCut'> {
  let characters = 0
  const end = lines.findIndex((line, index) => {
    if (line.kind !== 'equal') characters += line.parts.reduce((total, { text }) => total + text.length, 0)
    return index >= maxLines || characters > maxCharacters
  })
  return end === -1 ? { lines, isCut: false } : { lines: lines.slice(0, end), isCut: true }
}
