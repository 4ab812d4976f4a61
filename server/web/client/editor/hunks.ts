import { diffArrays } from 'diff'

/** Lines of one text that are replaced in another one. Numbers count lines from 0, `to` is not among them. */
export interface Hunk {
  from: number
  to: number
  lines: string[]
}

/** Longer it is not looked for the least difference: then it is coarse. */
const diffTimeoutMs = 300

/** What has to be done to the lines of one text for those of another. In order, and never one beside another. */
export function hunksBetween(before: readonly string[], after: readonly string[]): Hunk[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let tail = 0
  while (tail < shorter - start && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const [from, to] = [start, before.length - tail]
  const inserted = after.slice(start, after.length - tail)
  if (from === to && inserted.length === 0) return []
  const parts = diffArrays(before.slice(from, to), inserted, { timeout: diffTimeoutMs })
  // Typed as if there always were one.
  if (parts === undefined) return [{ from, to, lines: inserted }]
  const hunks: Hunk[] = []
  let at = from
  let isOpen = false
  for (const { added, removed, value } of parts) {
    if (added || removed) {
      if (!isOpen) hunks.push({ from: at, to: at, lines: [] })
      const hunk = hunks.at(-1)!
      if (removed) hunk.to += value.length
      else hunk.lines.push(...value)
    }
    isOpen = added || removed
    if (!added) at += value.length
  }
  return hunks
}
