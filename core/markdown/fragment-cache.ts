import { hash } from 'node:crypto'
import { isMainThread } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { ParsedBlock } from './parsed-block.ts'

/**
 * In bytes: a thousand documents of 4 kB take 16 MB. The threads know least, since what they learn is handed to the one that
 * answers. As JSON, which holds nothing of the text that it was learnt from, and whose size is known.
 */
export const maxKnownBytes = (isMainThread ? 32 : 8) * 1024 * 1024

/** What an entry takes besides its JSON. */
const entryBytes = 250

const known = new LRUCache<string, string>({
  maxSize: maxKnownBytes,
  sizeCalculation: (json) => entryBytes + json.length * (/[^\0-\xFF]/.test(json) ? 2 : 1),
})

/** What is known of a fragment, for another thread. */
export type KnownFragment = [key: string, json: string]

/** More is not handed to another thread, in UTF-16 code units of JSON: long files are not parsed there. */
const maxUsedLength = 128 * 1024

interface Used {
  fragments: KnownFragment[]
  /** Of all together. */
  length: number
}

/** What is used meanwhile; null: nobody asks. */
let used: Used | null = null

function use(key: string, json: string): void {
  if (!used) return
  used.length += json.length
  if (used.length <= maxUsedLength) used.fragments.push([key, json])
}

/** Does something, and tells which fragments it looked up or kept; none where they are much. */
export function withUsedFragments<Result>(work: () => Result): {
  result: Result
  fragments: KnownFragment[]
} {
  const meanwhile: Used = { fragments: [], length: 0 }
  used = meanwhile
  try {
    const result = work()
    return { result, fragments: meanwhile.length <= maxUsedLength ? meanwhile.fragments : [] }
  } finally {
    used = null
  }
}

/** @param isLast whether the body ends with it: a list in which a fence is open then ends elsewhere */
export function fragmentKey(text: string, isLast: boolean): string {
  return hash('sha256', text, 'base64') + (isLast ? '.' : '')
}

/** What is known of a fragment, as `blocksOfKnown` reads it. */
export function knownFragment(key: string): string | undefined {
  const json = known.get(key)
  if (json !== undefined) use(key, json)
  return json
}

/** The blocks of a fragment, with places counted from its beginning. */
export function blocksOfKnown(json: string): ParsedBlock[] {
  return JSON.parse(json)
}

export function keepFragment(key: string, blocks: ParsedBlock[]): void {
  const json = JSON.stringify(blocks)
  known.set(key, json)
  use(key, json)
}

/** Keeps what another thread has used. */
export function keepUsed(fragments: KnownFragment[]): void {
  for (const [key, json] of fragments) known.set(key, json)
}

/** What everything that is known takes, in bytes. */
export function knownBytes(): number {
  return known.calculatedSize
}

/** Forgets everything, for tests and measurements. */
export function forgetFragments(): void {
  known.clear()
}
