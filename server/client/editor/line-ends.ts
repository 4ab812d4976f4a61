import { hunksBetween } from './hunks.ts'

const lineEnd = /\r\n|\n|\r/g

export const normalizeLineEnds = (text: string): string => text.replace(lineEnd, '\n')

/** Keeps the ends of unchanged lines; new lines get the most frequent one. @param text with `\n` */
export function restoreLineEnds(before: string, text: string): string {
  if (!before.includes('\r')) return text
  const ends: string[] = before.match(lineEnd) ?? []
  const mostCommon = mostFrequent(ends)
  if (ends.every((end) => end === mostCommon)) return text.replaceAll('\n', mostCommon)
  const lines = text.split('\n')
  const linesBefore = before.split(lineEnd)
  const endings: (string | undefined)[] = []
  let at = 0
  for (const { from, to, lines: changed } of hunksBetween(linesBefore, lines)) {
    endings.push(...ends.slice(at, from), ...changed.map(() => undefined))
    at = to
  }
  endings.push(...ends.slice(at))
  let result = ''
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const end = endings[index] ?? mostCommon
    // `\r` followed by a bare `\n` would read as a single line end.
    const isHalf = line === '' && end === '\n' && result.endsWith('\r')
    result += line + (isHalf ? '\r' : end)
  }
  return result + lines.at(-1)!
}

function mostFrequent(ends: string[]): string {
  const count = (ending: string) => ends.filter((end) => end === ending).length
  return ['\n', '\r\n', '\r'].reduce((best, end) => (count(end) > count(best) ? end : best))
}
