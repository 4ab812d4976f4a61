import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { Hint } from '../../../data/tree/index.ts'

/** A watcher may lose some of this many hints within `burstMs`, so that a scan follows. */
const burstHints = 100
export const burstMs = 1000
const maxHints = 10_000

interface HintQueueDeps {
  /** @returns whether something has changed that was not known */
  follow: (hint: Hint) => boolean
  onOverflow: () => void
  /** The operating system's queue may have overflowed silently. */
  onBurst: () => void
  diskNow: () => number
}

/** Follows hints in time slices. Of several for one path, the last one counts. */
export class HintQueue {
  private readonly hints = new Map<string, Hint>()
  private waiting: (() => void)[] = []
  private processing: Promise<void> | null = null
  private times: number[] = []

  constructor(private readonly deps: HintQueueDeps) {}

  add(hint: Hint): void {
    this.hints.set(hint.path, hint)
    if (this.hints.size === maxHints) {
      this.hints.clear()
      this.deps.onOverflow()
    }
    this.processing ??= this.process()
  }

  whenProcessed(): Promise<void> | null {
    if (this.processing === null) return null
    return new Promise((resolve) => this.waiting.push(resolve))
  }

  private async process(): Promise<void> {
    const slice = new TimeSlice()
    await slice.pause()
    while (this.hints.size + this.waiting.length > 0) {
      const hints = [...this.hints.values()]
      const waiting = this.waiting
      this.hints.clear()
      this.waiting = []
      for (const hint of hints) {
        while (slice.isOver) await slice.pause()
        if (this.deps.follow(hint)) this.noteChange()
      }
      for (const resolve of waiting) resolve()
    }
    this.processing = null
  }

  /** Hints of this process's own writes do not count. */
  private noteChange(): void {
    const nowMs = this.deps.diskNow()
    this.times.push(nowMs)
    if (this.times.length < burstHints) return
    const isBurst = nowMs - this.times[0]! < burstMs
    this.times = []
    if (isBurst) this.deps.onBurst()
  }
}
