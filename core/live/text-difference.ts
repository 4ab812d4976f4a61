import { ChangeSet, type Text } from '@codemirror/state'
import { type Change, diffChars, diffLines } from 'diff'

/** Longer differences are compared by lines first. */
const maxByCharacters = 4000
/** Larger differences are replaced as a whole. A limit in time would let the result depend on the load. */
const maxEdits = 500
const maxEditsInAll = 2000

interface Replacement {
  from: number
  to: number
  insert: string
}

/** Returns the changes that turn one text into the other, by characters where these are found soon. */
export function textDifference(before: Text, after: Text): ChangeSet {
  const [old, next] = [before.toString(), after.toString()]
  const start = commonStart(old, next)
  const end = commonEnd(old, next, start)
  const removed = old.slice(start, old.length - end)
  const inserted = next.slice(start, next.length - end)
  const effort = { left: maxEditsInAll }
  return ChangeSet.of(replacements(removed, inserted, start, effort), before.length, '\n')
}

interface Effort {
  left: number
}

function replacements(removed: string, inserted: string, start: number, effort: Effort): Replacement[] {
  const whole = { from: start, to: start + removed.length, insert: inserted }
  if (removed === '' && inserted === '') return []
  if (removed === '' || inserted === '') return [whole]
  const isShort = removed.length + inserted.length <= maxByCharacters
  const maxEditLength = Math.min(maxEdits, effort.left)
  const parts = isShort
    ? diffChars(removed, inserted, { maxEditLength })
    : diffLines(removed, inserted, { maxEditLength })
  effort.left -= parts ? editsIn(parts) : maxEditLength
  if (!parts) return [whole]
  return isShort ? replacementsOf(parts, start) : refine(parts, start, effort)
}

const editsIn = (parts: readonly Change[]): number =>
  parts.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0)

function replacementsOf(parts: readonly Change[], start: number): Replacement[] {
  const found: Replacement[] = []
  let at = start
  for (const { added, removed, value } of parts) {
    if (added) found.push({ from: at, to: at, insert: value })
    else if (removed) found.push({ from: at, to: at + value.length, insert: '' })
    if (!added) at += value.length
  }
  return found
}

/** Compares replaced lines by characters if they are short. */
function refine(parts: readonly Change[], start: number, effort: Effort): Replacement[] {
  const found: Replacement[] = []
  let at = start
  for (const [index, { added, removed, value }] of parts.entries()) {
    const next = parts[index + 1]
    if (removed && next?.added) {
      const isShort = value.length + next.value.length <= maxByCharacters
      if (isShort) found.push(...replacements(value, next.value, at, effort))
      else found.push({ from: at, to: at + value.length, insert: next.value })
    } else if (removed) found.push({ from: at, to: at + value.length, insert: '' })
    else if (added && !parts[index - 1]?.removed) found.push({ from: at, to: at, insert: value })
    if (!added) at += value.length
  }
  return found
}

function commonStart(one: string, other: string): number {
  const maxLength = Math.min(one.length, other.length)
  let length = 0
  while (length < maxLength && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length > 0 && isHighSurrogate(one.charCodeAt(length - 1)) ? length - 1 : length
}

function commonEnd(one: string, other: string, start: number): number {
  const maxLength = Math.min(one.length, other.length) - start
  let length = 0
  while (
    length < maxLength &&
    one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)
  )
    length++
  return length > 0 && isLowSurrogate(one.charCodeAt(one.length - length)) ? length - 1 : length
}

const isHighSurrogate = (unit: number) => unit >> 10 === 0x36
const isLowSurrogate = (unit: number) => unit >> 10 === 0x37
