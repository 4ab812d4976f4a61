import { LRUCache } from 'lru-cache'
import type { Clock } from '../core/time/clock.ts'

/**
 * Counts what happened per name, exactly, within the last `windowMs`. No name is remembered longer than the
 * `most` that came after it, so that made-up names cannot fill the memory.
 */
export class SlidingWindow {
  private readonly limit: number
  private readonly windowMs: number
  private readonly clock: Clock
  /** Times in Unix milliseconds, oldest first, at most `limit` a name. */
  private readonly times: LRUCache<string, number[]>

  constructor(options: { limit: number; windowMs: number; maxKeys: number; clock: Clock }) {
    this.limit = options.limit
    this.windowMs = options.windowMs
    this.clock = options.clock
    // By size rather than by count: for that, room for all of them would be set aside at once.
    this.times = new LRUCache({ maxSize: options.maxKeys, sizeCalculation: () => 1 })
  }

  /** How many names are remembered. */
  get size(): number {
    return this.times.size
  }

  /** Milliseconds until one more may happen; 0 while the limit is not reached. */
  waitMs(name: string): number {
    const times = this.times.get(name)
    if (!times) return 0
    const now = this.clock.now()
    // A time in the future was noted before the clock was set back: it would block for longer than the window.
    const recent = times.filter((time) => time > now - this.windowMs && time <= now)
    if (recent.length === 0) this.times.delete(name)
    else if (recent.length < times.length) this.times.set(name, recent)
    return recent.length < this.limit ? 0 : recent[0]! + this.windowMs - now
  }

  /** To be asked only while `waitMs` is 0. */
  count(name: string): void {
    const times = this.times.get(name)
    if (times) times.push(this.clock.now())
    else this.times.set(name, [this.clock.now()])
  }
}
