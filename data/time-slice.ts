import { setImmediate } from 'node:timers/promises'

/** How long work that may take long runs before others do, in milliseconds. */
const defaultMaxMs = 4

/**
 * Lets work that takes long share the event loop with requests. Between two of its steps:
 * `while (slice.isOver) await slice.pause()`. Workers that share a slice share its time.
 */
export class TimeSlice {
  private readonly maxMs: number
  private endMs = 0
  private pausing: Promise<void> | null = null

  /** @param maxMs for how long it runs in each turn of the event loop, beside the step that it ends with */
  constructor(maxMs = defaultMaxMs) {
    this.maxMs = maxMs
  }

  /** Whether its time in this turn of the event loop is used up. A slice that nobody has begun yet is over. */
  get isOver(): boolean {
    return performance.now() >= this.endMs
  }

  /** Lets the event loop turn, and begins anew. */
  pause(): Promise<void> {
    this.pausing ??= setImmediate().then(() => {
      this.pausing = null
      this.endMs = performance.now() + this.maxMs
    })
    return this.pausing
  }
}
