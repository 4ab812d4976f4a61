import { ChangeSet, type Text } from '@codemirror/state'
import { diffChars } from 'diff'
import { hunksBetween } from './hunks.ts'

/** After this, the difference is coarse. */
const diffTimeoutMs = 100

interface Change {
  from: number
  to: number
  insert: string
}

/** Returns character-level changes from one text to the other. */
export function diffTexts(before: Text, after: Text): ChangeSet {
  if (before.eq(after)) return ChangeSet.empty(before.length)
  const lines = linesOf(before)
  const changes: Change[] = []
  let line = 0
  let at = 0
  for (const hunk of hunksBetween(lines, linesOf(after))) {
    for (; line < hunk.from; line++) at += lines[line]!.length
    const removed = lines.slice(hunk.from, hunk.to).join('')
    changes.push(...changesWithin(removed, hunk.lines.join(''), at))
  }
  // Inserted strings keep the text's own line ends.
  return ChangeSet.of(changes, before.length, '\n')
}

const linesOf = (text: Text): string[] => text.toString().split(/(?<=\n)/)

/** @param start where the replaced part begins */
function changesWithin(removed: string, inserted: string, start: number): Change[] {
  const whole = [{ from: start, to: start + removed.length, insert: inserted }]
  if (removed === '' || inserted === '') return whole
  const parts = diffChars(removed, inserted, { timeout: diffTimeoutMs })
  // The types omit undefined, which means a timeout.
  if (parts === undefined) return whole
  const changes: Change[] = []
  let at = start
  for (const { added, removed: isRemoved, value } of parts) {
    if (added) changes.push({ from: at, to: at, insert: value })
    else if (isRemoved) changes.push({ from: at, to: at + value.length, insert: '' })
    if (!added) at += value.length
  }
  return changes
}
