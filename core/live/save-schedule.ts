import type { Clock, Timer } from '../time/clock.ts'

/** A text is saved when nobody has written for this time. */
const idleMs = 2000
/** A text is saved after this time, however steadily editors write. */
const maxUnsavedMs = 20_000
const retryMs = 5000

export class SaveSchedule {
  private changedMs = 0
  private startedMs = 0
  private unsavedMs: number | null = null
  private timer: Timer | null = null
  private isStopped = false

  constructor(
    private readonly clock: Clock,
    private readonly save: () => void,
  ) {}

  get unsavedSinceMs(): number | null {
    return this.unsavedMs
  }

  noteChange(): void {
    if (this.isStopped) return
    this.changedMs = this.clock.now()
    this.unsavedMs ??= this.changedMs
    if (!this.timer) this.waitFor(idleMs)
  }

  begin(): void {
    this.cancel()
    this.startedMs = this.clock.now()
  }

  /** @param isAll whether the revision contains everything written so far */
  noteSaved(isAll: boolean): void {
    this.unsavedMs = isAll ? null : this.startedMs
    if (!isAll) this.noteChange()
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
      const sinceMs = Math.max(this.unsavedMs ?? now, this.startedMs)
      const dueMs = Math.min(this.changedMs + idleMs, sinceMs + maxUnsavedMs)
      if (now < dueMs) this.waitFor(dueMs - now)
      else this.save()
    })
  }
}
