import { LRUCache } from 'lru-cache'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Clock } from '../core/time/clock.ts'
import { wholeSeconds } from './error-response.ts'

interface RateLimitOptions {
  /** How many may come from one name within the window. */
  limit: number
  windowMs: number
  /** No name is remembered longer than so many that came after it: made-up names cannot fill the memory. */
  maxKeys: number
  reason: string
  clock: Clock
}

/** Counts what came from each name, exactly, within a window that slides; and refuses more than its limit. */
export class RateLimit {
  private readonly options: RateLimitOptions
  /** By name: when each thing came last, in Unix milliseconds, the latest last. At most `limit` each. */
  private readonly counted: LRUCache<string, Map<unknown, number>>

  constructor(options: RateLimitOptions) {
    this.options = options
    // By size rather than by count: for that, room for all of them would be set aside at once.
    this.counted = new LRUCache({ maxSize: options.maxKeys, sizeCalculation: () => 1 })
  }

  get size(): number {
    return this.counted.size
  }

  /** Milliseconds until one more may come; 0 while the limit is not reached. */
  waitMs(name: string): number {
    const counted = this.counted.get(name)
    if (!counted) return 0
    const { clock, limit, windowMs } = this.options
    const nowMs = clock.now()
    for (const [what, atMs] of counted) {
      // A time in the future was noted before the clock was set back: it would block for longer than the window.
      if (atMs <= nowMs - windowMs || atMs > nowMs) counted.delete(what)
    }
    if (counted.size === 0) this.counted.delete(name)
    if (counted.size < limit) return 0
    const [oldestMs] = counted.values()
    return oldestMs! + windowMs - nowMs
  }

  /** @throws WorkspaceError `too_many_requests` while the limit is reached; its text and `Retry-After` name the same seconds */
  require(name: string): void {
    const retryAfterMs = this.waitMs(name)
    if (retryAfterMs === 0) return
    const seconds = wholeSeconds(retryAfterMs)
    const wait = seconds === 1 ? '1 second' : `${seconds} seconds`
    throw new WorkspaceError('too_many_requests', `${this.options.reason} Try again in ${wait}.`, {
      retryAfterMs,
    })
  }

  /** To be called only while the limit is not reached. @param what counts once, however often it comes; default: every time */
  count(name: string, what: unknown = {}): void {
    const counted = this.counted.get(name) ?? new Map<unknown, number>()
    counted.delete(what)
    counted.set(what, this.options.clock.now())
    this.counted.set(name, counted)
  }

  /** Counts one. @throws WorkspaceError `too_many_requests`; such a one is not counted */
  admit(name: string): void {
    this.require(name)
    this.count(name)
  }
}
