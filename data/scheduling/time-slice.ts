import { setImmediate } from 'node:timers/promises'

const defaultMaxMs = 4

/** Between steps: `while (slice.isOver) await slice.pause()`. Workers that share a slice share its time. */
export class TimeSlice {
  private readonly maxMs: number
  private endMs = 0
  private pausing: Promise<void> | null = null

  /** @param maxMs in each turn, not counting the last step */
  constructor(maxMs = defaultMaxMs) {
    this.maxMs = maxMs
  }

  /** True before the first pause. */
  get isOver(): boolean {
    return performance.now() >= this.endMs
  }

  pause(): Promise<void> {
    this.pausing ??= setImmediate().then(() => {
      this.pausing = null
      this.endMs = performance.now() + this.maxMs
    })
    return this.pausing
  }
}
