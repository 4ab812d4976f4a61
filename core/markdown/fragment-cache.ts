import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ParsedBlock } from './parsed-block.ts'

/**
 * Of one thread, in bytes: a thousand documents of 4 kB take 10 MB. As JSON, which holds nothing of the text that it was
 * learnt from, and whose size is known.
 */
const maxBytes = 24 * 1024 * 1024

/** What an entry takes besides its JSON. */
const entryBytes = 250

const known = new LRUCache<string, string>({
  maxSize: maxBytes,
  sizeCalculation: (json) => entryBytes + 2 * json.length,
})

/** What is known of a fragment, for another thread. */
export type KnownFragment = [key: string, json: string]

/** Since `takeLearnt` was called last, and whether that is all. */
let learnt: KnownFragment[] = []
let learntLength = 0

/** More is not handed to another thread, in UTF-16 code units of JSON. */
const maxLearntLength = 128 * 1024

/** @param isLast whether the body ends with it: a list in which a fence is open then ends elsewhere */
export function fragmentKey(text: string, isLast: boolean): string {
  return hash('sha256', text, 'base64') + (isLast ? '.' : '')
}

/** The blocks of a fragment, with places counted from its beginning. */
export function knownFragment(key: string): ParsedBlock[] | undefined {
  const json = known.get(key)
  return json === undefined ? undefined : JSON.parse(json)
}

export function keepFragment(key: string, blocks: ParsedBlock[]): void {
  const json = JSON.stringify(blocks)
  known.set(key, json)
  learntLength += json.length
  if (learntLength <= maxLearntLength) learnt.push([key, json])
}

/** What was kept since this was called last; nothing where that is much. */
export function takeLearnt(): KnownFragment[] {
  const taken = learntLength <= maxLearntLength ? learnt : []
  learnt = []
  learntLength = 0
  return taken
}

export function keepLearnt(fragments: KnownFragment[]): void {
  for (const [key, json] of fragments) known.set(key, json)
}

/** Forgets everything, for tests and measurements. */
export function forgetFragments(): void {
  known.clear()
}
