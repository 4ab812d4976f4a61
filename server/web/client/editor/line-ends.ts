import { hunksBetween } from './hunks.ts'

const lineEnd = /\r\n|\n|\r/g

export const withPlainEnds = (text: string): string => text.replace(lineEnd, '\n')

/** Keeps the ends of unchanged lines; new lines get the most frequent one. @param text with `\n` */
export function withEndsOf(before: string, text: string): string {
  if (!before.includes('\r')) return text
  const ends: string[] = before.match(lineEnd) ?? []
  const usual = mostFrequent(ends)
  if (ends.every((end) => end === usual)) return text.replaceAll('\n', usual)
  const lines = text.split('\n')
  const linesBefore = before.split(lineEnd)
  const known: (string | undefined)[] = []
  let at = 0
  for (const { from, to, lines: changed } of hunksBetween(linesBefore, lines)) {
    known.push(...ends.slice(at, from), ...changed.map(() => undefined))
    at = to
  }
  known.push(...ends.slice(at))
  let ended = ''
  for (const [place, line] of lines.slice(0, -1).entries()) {
    const end = known[place] ?? usual
    // `\r` followed by a bare `\n` would read as a single line end.
    const isHalf = line === '' && end === '\n' && ended.endsWith('\r')
    ended += line + (isHalf ? '\r' : end)
  }
  return ended + lines.at(-1)!
}

function mostFrequent(ends: string[]): string {
  const count = (wanted: string) => ends.filter((end) => end === wanted).length
  return ['\n', '\r\n', '\r'].reduce((most, end) => (count(end) > count(most) ? end : most))
}
