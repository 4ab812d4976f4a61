import type { Clock, Timer } from '../time/clock.ts'

/** A text is saved when nobody has written for this time. */
const idleMs = 2000
/** And after this time, however steadily editors write. */
const maxUnsavedMs = 20_000
/** After a disk that failed. */
const retryMs = 5000

/** Decides when a live text is saved, and knows since when it is not. */
export class SaveSchedule {
  private readonly clock: Clock
  private readonly save: () => void
  private changedMs = 0
  private begunMs = 0
  private unsavedMs: number | null = null
  private timer: Timer | null = null
  private isStopped = false

  constructor(clock: Clock, save: () => void) {
    this.clock = clock
    this.save = save
  }

  /** Since when there are words that are in no revision; null if all are saved. */
  get unsavedSinceMs(): number | null {
    return this.unsavedMs
  }

  /** Somebody has written. */
  changed(): void {
    if (this.isStopped) return
    this.changedMs = this.clock.now()
    this.unsavedMs ??= this.changedMs
    if (!this.timer) this.waitFor(idleMs)
  }

  /** A revision of the text as it is now is made. */
  begin(): void {
    this.cancel()
    this.begunMs = this.clock.now()
  }

  /** @param isAll whether the revision has all that is written by now */
  saved(isAll: boolean): void {
    this.unsavedMs = isAll ? null : this.begunMs
    if (!isAll) this.changed()
  }

  retry(): void {
    if (this.isStopped) return
    this.cancel()
    this.changedMs = this.clock.now()
    this.waitFor(retryMs)
  }

  stop(): void {
    this.isStopped = true
    this.cancel()
  }

  private cancel(): void {
    this.timer?.cancel()
    this.timer = null
  }

  private waitFor(ms: number): void {
    this.timer = this.clock.after(ms, () => {
      this.timer = null
      const now = this.clock.now()
      const sinceMs = Math.max(this.unsavedMs ?? now, this.begunMs)
      const dueMs = Math.min(this.changedMs + idleMs, sinceMs + maxUnsavedMs)
      if (now < dueMs) this.waitFor(dueMs - now)
      else this.save()
    })
  }
}
