import { diffArrays } from 'diff'

/** Lines `from` to `to` (exclusive, from 0) are replaced with `lines`. */
export interface Hunk {
  from: number
  to: number
  lines: string[]
}

/** After this, the difference is coarse. */
const diffTimeoutMs = 300

/** Returns the changes in order; no two are adjacent. */
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
  // The types omit undefined, which means a timeout.
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
