import { LRUCache } from 'lru-cache'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Clock } from '../core/time/clock.ts'
import { wholeSeconds } from './error-response.ts'

interface RateLimitOptions {
  limit: number
  windowMs: number
  /** The oldest names are forgotten beyond this, so that invented names cannot fill the memory. */
  maxKeys: number
  reason: string
  clock: Clock
}

/** Counts exactly, within a sliding window. */
export class RateLimit {
  /** By name: the last time of each thing in Unix milliseconds, latest last. At most `limit` each. */
  private readonly entries: LRUCache<string, Map<unknown, number>>

  constructor(private readonly options: RateLimitOptions) {
    // `max` would allocate room for all of them at once.
    this.entries = new LRUCache({ maxSize: options.maxKeys, sizeCalculation: () => 1 })
  }

  get size(): number {
    return this.entries.size
  }

  /** Returns 0 while the limit is not reached. */
  waitMs(name: string): number {
    const entries = this.entries.get(name)
    if (!entries) return 0
    const { clock, limit, windowMs } = this.options
    const nowMs = clock.now()
    for (const [item, atMs] of entries) {
      // A time in the future precedes a clock that was set back; it would block for longer than the window.
      if (atMs <= nowMs - windowMs || atMs > nowMs) entries.delete(item)
    }
    if (entries.size === 0) this.entries.delete(name)
    if (entries.size < limit) return 0
    const [oldestMs] = entries.values()
    return oldestMs! + windowMs - nowMs
  }

  /** @throws WorkspaceError `too_many_requests` while the limit is reached */
  require(name: string): void {
    const retryAfterMs = this.waitMs(name)
    if (retryAfterMs === 0) return
    const seconds = wholeSeconds(retryAfterMs)
    const wait = seconds === 1 ? '1 second' : `${seconds} seconds`
    throw new WorkspaceError('too_many_requests', `${this.options.reason} Try again in ${wait}.`, {
      retryAfterMs,
    })
  }

  /** Must not be called while the limit is reached. @param item counts once; by default every call counts */
  count(name: string, item: unknown = {}): void {
    const entries = this.entries.get(name) ?? new Map<unknown, number>()
    entries.delete(item)
    entries.set(item, this.options.clock.now())
    this.entries.set(name, entries)
  }

  /** @throws WorkspaceError `too_many_requests`, uncounted */
  admit(name: string): void {
    this.require(name)
    this.count(name)
  }
}
