import { setImmediate } from 'node:timers/promises'
import type { SearchFilter, SearchHit, SearchReader } from '../../data/tables/search.ts'
import { readableText } from '../markdown/readable-text.ts'
import { isAscii, type SearchQuery } from './search-query.ts'
import { snippetOf } from './snippet.ts'

export interface EntrySearch {
  query: SearchQuery
  filter: SearchFilter
  limit: number
}

export interface FoundEntry extends Pick<SearchHit, 'type' | 'subjectId' | 'containerId'> {
  snippet: string
}

/** How much is ranked in one turn. */
const batchSize = { entries: 5000, bytes: 4 * 1024 * 1024 }

/** Ranks title matches and the newest `enough` others; up to `most` if a reader may see few of them. */
const rankedEntries = { enough: 5000, most: 100_000 }

const maxSnippetLength = 300

export async function findEntries(
  reader: SearchReader,
  { query, filter, limit }: EntrySearch,
): Promise<FoundEntry[]> {
  const found: FoundEntry[] = []
  const words = isWholeWord(reader, query) ? query.wholeMatch : query.match
  for (const { type, subjectId, containerId } of await bestHits(reader, words, filter, limit)) {
    const stored = reader.body(subjectId)
    const text = type === 'document' || stored === undefined ? stored : readableText(stored)
    if (text !== undefined) found.push({ type, subjectId, containerId, snippet: shortSnippet(text, query) })
    await setImmediate()
  }
  return found
}

/** Outside ASCII, the index may fold letters differently from the query. */
const isWholeWord = (reader: SearchReader, { prefix }: SearchQuery): boolean =>
  prefix !== null && isAscii(prefix) && !reader.hasLongerWord(prefix)

async function bestHits(
  reader: SearchReader,
  words: string,
  filter: SearchFilter,
  limit: number,
): Promise<SearchHit[]> {
  const { hits, isWhole } = await newestHits(reader, words, filter, limit)
  if (isWhole || words === '') return hits
  const inTitles = (await newestHits(reader, `title : (${words})`, filter, limit)).hits
  const ids = new Set(inTitles.map(({ entryId }) => entryId))
  return [...inTitles, ...hits.filter(({ entryId }) => !ids.has(entryId))].slice(0, limit)
}

/** `isWhole`: all entries with the words were ranked. */
async function newestHits(
  reader: SearchReader,
  words: string,
  filter: SearchFilter,
  limit: number,
): Promise<{ hits: SearchHit[]; isWhole: boolean }> {
  let hits: SearchHit[] = []
  let before = Number.MAX_SAFE_INTEGER
  for (let ranked = 0; ranked < rankedEntries.most; ) {
    if (ranked >= rankedEntries.enough && hits.length === limit) return { hits, isWhole: false }
    const { first, count, isLast } = reader.portion(words, before, batchSize)
    if (first === null) return { hits, isWhole: true }
    await setImmediate()
    const batch = reader.best(words, { first, before }, filter, limit)
    hits = [...hits, ...batch].sort((one, other) => one.score - other.score).slice(0, limit)
    if (isLast) return { hits, isWhole: true }
    before = first
    ranked += count
    await setImmediate()
  }
  return { hits, isWhole: false }
}

/** Drops a token that is cut off at the end. */
function shortSnippet(text: string, query: SearchQuery): string {
  const snippet = [...snippetOf(text, query).replace(/\s+/g, ' ').trim()]
  const short = snippet.slice(0, maxSnippetLength).join('')
  return snippet.length > maxSnippetLength ? short.replace(/!?\[\[[^[\]]*\]?$/, '') : short
}
