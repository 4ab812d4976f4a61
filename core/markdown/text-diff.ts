import { diffLines, diffWordsWithSpace } from 'diff'
import { decode } from './analyse.ts'
import type { CollapsedLines, DifferencesRequest, DiffLine, LinePart, TextDiff } from './types.ts'

/** Equal lines that are shown before and behind a change. */
const contextLines = 3

/** What is shown at most: lines, and their characters (UTF-16 code units). */
const maxLines = 5000
const maxCharacters = 500_000

/** The longest line in which single words are compared, in UTF-16 code units. */
const maxWordDiffLength = 4000

/** For how long lines, and then words, are compared, in milliseconds; within the budget that a file has. */
const lineDiffTimeoutMs = 500
const wordDiffTimeoutMs = 200

/**
 * Compares two texts by their lines, and the lines that have come in the place of others by their words. Slow where much
 * is different: for worker threads.
 * @returns null where it cannot be told in time
 */
export function diffTexts({ before, after }: DifferencesRequest): TextDiff | null {
  const changes = diffLines(linesOf(before), linesOf(after), { timeout: lineDiffTimeoutMs })
  if (!changes) return null
  const untilMs = performance.now() + wordDiffTimeoutMs
  const lines: DiffLine[] = []
  const place = { before: 1, after: 1 }
  let removed: string[] = []
  for (const [index, change] of changes.entries()) {
    const texts = change.value.split('\n').slice(0, -1)
    if (change.removed && changes[index + 1]?.added) removed = texts
    else if (change.removed) lines.push(...texts.map((text) => removedLine(text, place)))
    else if (change.added) {
      lines.push(...changedLines(removed, texts, place, untilMs))
      removed = []
    } else lines.push(...texts.map((text) => equalLine(text, place)))
  }
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return { ...truncate(collapseEqual(lines)), added: count('added'), removed: count('removed') }
}

/** Whether the last line ends is no difference that a person looks for, nor by which characters lines end. */
function linesOf(bytes: Uint8Array): string {
  const text = decode(bytes).replace(/\r\n?/g, '\n')
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}

interface Place {
  before: number
  after: number
}

const whole = (text: string): LinePart[] => [{ text, isChanged: false }]

const equalLine = (text: string, place: Place): DiffLine => ({
  kind: 'same',
  before: place.before++,
  after: place.after++,
  parts: whole(text),
})

const removedLine = (text: string, place: Place, parts = whole(text)): DiffLine => ({
  kind: 'removed',
  before: place.before++,
  after: null,
  parts,
})

const addedLine = (text: string, place: Place, parts = whole(text)): DiffLine => ({
  kind: 'added',
  before: null,
  after: place.after++,
  parts,
})

/** Lines in the place of others: each is compared with the one that stood where it stands. */
function changedLines(removed: string[], added: string[], place: Place, untilMs: number): DiffLine[] {
  const pairs = removed.map((text, index) => wordsOf(text, added[index], untilMs))
  return [
    ...removed.map((text, index) => removedLine(text, place, pairs[index]?.removed)),
    ...added.map((text, index) => addedLine(text, place, pairs[index]?.added)),
  ]
}

/** Null where the lines have too little in common for their words to be told apart. */
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

/** Leaves out the equal lines that are far from every change. */
function collapseEqual(lines: DiffLine[]): (DiffLine | CollapsedLines)[] {
  const isShown = new Uint8Array(lines.length)
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') isShown.fill(1, Math.max(0, index - contextLines), index + contextLines + 1)
  }
  const shown: (DiffLine | CollapsedLines)[] = []
  let count = 0
  const fold = () => {
    if (count > 0) shown.push({ kind: 'equal', count })
    count = 0
  }
  for (const [index, line] of lines.entries()) {
    if (isShown[index] === 0) {
      count++
      continue
    }
    fold()
    shown.push(line)
  }
  fold()
  return shown
}

function truncate(lines: (DiffLine | CollapsedLines)[]): Pick<TextDiff, 'lines' | 'isCut'> {
  let characters = 0
  const end = lines.findIndex((line, index) => {
    if (line.kind !== 'equal') characters += line.parts.reduce((total, { text }) => total + text.length, 0)
    return index >= maxLines || characters > maxCharacters
  })
  return end === -1 ? { lines, isCut: false } : { lines: lines.slice(0, end), isCut: true }
}
