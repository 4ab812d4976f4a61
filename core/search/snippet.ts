import { foldedWord, type SearchQuery } from './search-query.ts'

/** How many words of a text are shown around those that were found. */
const shownWords = 24

/** What the index takes for a word. */
const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

interface Place {
  start: number
  end: number
  /** Which of the words that are looked for stands here; null: none. */
  found: string | null
}

/**
 * The part of a text in which most of the words stand that are looked for, the first such part; its beginning where there
 * is none. Dots stand where the text goes on. It takes one pass, however often they stand there: SQLite's `snippet()`
 * compares all places with all others, half a minute for a long text of one word.
 */
export function snippetOf(text: string, sought: SearchQuery): string {
  const places: Place[] = []
  /** How often each stands in the last places, as many as are shown. */
  const near = new Map<string, number>()
  let best = { found: 0, first: 0, last: 0 }
  for (const { 0: written, index: start } of text.matchAll(word)) {
    const last = places.push({ start, end: start + written.length, found: matchesIn(written, sought) }) - 1
    add(near, places[last]!.found, 1)
    if (last >= shownWords) add(near, places[last - shownWords]!.found, -1)
    if (near.size > best.found) {
      const first = places.findIndex(({ found }, at) => at > last - shownWords && found !== null)
      best = { found: near.size, first, last }
    }
    // More there cannot be, and enough of what follows is known.
    if (best.found === countOf(sought) && last > best.last + shownWords) break
  }
  const room = shownWords - (best.last - best.first + 1)
  const from = Math.max(0, Math.min(best.first - Math.floor(room / 2), places.length - shownWords))
  const isCut = from + shownWords < places.length
  const start = from === 0 ? 0 : places[from]!.start
  const end = isCut ? places[from + shownWords - 1]!.end : text.length
  return `${from > 0 ? '…' : ''}${text.slice(start, end)}${isCut ? '…' : ''}`
}

const countOf = ({ whole, prefix: beginning }: SearchQuery) => whole.size + (beginning === null ? 0 : 1)

function matchesIn(written: string, { whole, prefix: beginning }: SearchQuery): string | null {
  const folded = foldedWord(written)
  if (whole.has(folded)) return folded
  return beginning !== null && folded.startsWith(beginning) ? `${beginning}*` : null
}

function add(near: Map<string, number>, found: string | null, change: 1 | -1): void {
  if (found === null) return
  const count = (near.get(found) ?? 0) + change
  if (count === 0) near.delete(found)
  else near.set(found, count)
}
