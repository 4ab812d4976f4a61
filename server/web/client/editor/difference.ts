import { ChangeSet, type Text } from '@codemirror/state'
import { diffChars } from 'diff'
import { hunksBetween } from './hunks.ts'

/** Longer it is not looked for the least difference: then it is coarse. */
const diffTimeoutMs = 100

interface Change {
  from: number
  to: number
  insert: string
}

/** The changes, letter by letter, that make one text the other. */
export function difference(before: Text, after: Text): ChangeSet {
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
  // The lines are the text's own: strings that hold line ends are not split in another way.
  return ChangeSet.of(changes, before.length, '\n')
}

/** Each with its line end. */
const linesOf = (text: Text): string[] => text.toString().split(/(?<=\n)/)

/** @param start where the replaced part is */
function changesWithin(removed: string, inserted: string, start: number): Change[] {
  const whole = [{ from: start, to: start + removed.length, insert: inserted }]
  if (removed === '' || inserted === '') return whole
  const parts = diffChars(removed, inserted, { timeout: diffTimeoutMs })
  // Typed as if there always were one.
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
