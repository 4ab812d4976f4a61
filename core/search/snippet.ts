import { maxTokenLength, token } from '../markdown/references.ts'
import { foldedWord, type SearchQuery } from './search-query.ts'

const maxWords = 24

/** As the index tokenizes them. */
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

interface WordMatch {
  start: number
  end: number
  found: string | null
}

/**
 * Returns the first part with the most query words, or the beginning; never cuts a token. SQLite's
 * `snippet()` takes half a minute for a long text of one word, this one pass.
 */
export function snippetOf(text: string, query: SearchQuery): string {
  const words: WordMatch[] = []
  /** Query words among the last `maxWords` words. */
  const counts = new Map<string, number>()
  let best = { found: 0, first: 0, last: 0 }
  for (const { 0: raw, index: start } of text.matchAll(word)) {
    const last = words.push({ start, end: start + raw.length, found: matchesIn(raw, query) }) - 1
    add(counts, words[last]!.found, 1)
    if (last >= maxWords) add(counts, words[last - maxWords]!.found, -1)
    if (counts.size > best.found) {
      const first = words.findIndex(({ found }, at) => at > last - maxWords && found !== null)
      best = { found: counts.size, first, last }
    }
    // No part has more, and enough of the text after this one is known.
    if (best.found === countOf(query) && last > best.last + maxWords) break
  }
  const spareWords = maxWords - (best.last - best.first + 1)
  const from = Math.max(0, Math.min(best.first - Math.floor(spareWords / 2), words.length - maxWords))
  const isCut = from + maxWords < words.length
  const [start, end] = aroundTokens(
    text,
    from === 0 ? 0 : words[from]!.start,
    isCut ? words[from + maxWords - 1]!.end : text.length,
  )
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`
}

/** Extends a part to whole tokens, since half a token could not be shown as what it names. */
function aroundTokens(text: string, start: number, end: number): [start: number, end: number] {
  let [first, last] = [start, end]
  const offset = Math.max(0, start - maxTokenLength)
  for (const { 0: raw, index } of text.slice(offset, end + maxTokenLength).matchAll(token)) {
    const [begin, stop] = [offset + index, offset + index + raw.length]
    if (begin < start && stop > start) first = begin
    if (begin < end && stop > end) last = stop
  }
  return [first, last]
}

const countOf = ({ whole, prefix }: SearchQuery) => whole.size + (prefix === null ? 0 : 1)

function matchesIn(raw: string, { whole, prefix }: SearchQuery): string | null {
  const folded = foldedWord(raw)
  if (whole.has(folded)) return folded
  return prefix !== null && folded.startsWith(prefix) ? `${prefix}*` : null
}

function add(counts: Map<string, number>, found: string | null, change: 1 | -1): void {
  if (found === null) return
  const count = (counts.get(found) ?? 0) + change
  if (count === 0) counts.delete(found)
  else counts.set(found, count)
}
