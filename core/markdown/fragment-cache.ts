import { hash } from 'node:crypto'
import { isMainThread } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { ParsedBlock } from './parsed-block.ts'

/** A thousand documents of 4 kB take 16 MB. Workers cache less: their results go to the main thread. */
export const maxCachedBytes = (isMainThread ? 32 : 8) * 1024 * 1024

const entryBytes = 250

const cache = new LRUCache<string, string>({
  maxSize: maxCachedBytes,
  sizeCalculation: (json) => entryBytes + json.length * (/[^\0-\xFF]/.test(json) ? 2 : 1),
})

export type CachedFragment = [key: string, json: string]

/** Longer JSON is not sent to another thread, which does not parse long files. */
const maxUsedLength = 128 * 1024

interface Used {
  fragments: CachedFragment[]
  length: number
}

let used: Used | null = null

function recordUse(key: string, json: string): void {
  if (!used) return
  used.length += json.length
  if (used.length <= maxUsedLength) used.fragments.push([key, json])
}

/** Returns the fragments that a task looked up or stored, unless they are large. */
export function withUsedFragments<Result>(work: () => Result): {
  result: Result
  fragments: CachedFragment[]
} {
  const current: Used = { fragments: [], length: 0 }
  used = current
  try {
    const result = work()
    return { result, fragments: current.length <= maxUsedLength ? current.fragments : [] }
  } finally {
    used = null
  }
}

let isOff = false

export function withoutFragments<Result>(work: () => Result): Result {
  isOff = true
  try {
    return work()
  } finally {
    isOff = false
  }
}

export const isCachingFragments = (): boolean => !isOff

/** @param isLast whether the body ends with it: a list with an open fence ends elsewhere then */
export function fragmentKey(text: string, isLast: boolean): string {
  return hash('sha256', text, 'base64') + (isLast ? '.' : '')
}

export function cachedFragment(key: string): string | undefined {
  const json = cache.get(key)
  if (json !== undefined) recordUse(key, json)
  return json
}

/** Positions are relative to the fragment. */
export function parseCachedBlocks(json: string): ParsedBlock[] {
  return JSON.parse(json)
}

export function cacheFragment(key: string, blocks: ParsedBlock[]): void {
  const json = JSON.stringify(blocks)
  cache.set(key, json)
  recordUse(key, json)
}

export function cacheFragments(fragments: CachedFragment[]): void {
  for (const [key, json] of fragments) cache.set(key, json)
}

export function cachedBytes(): number {
  return cache.calculatedSize
}

export function clearFragments(): void {
  cache.clear()
}
