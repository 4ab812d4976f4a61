import type { Clock, Timer } from './clock.ts'

const retryMs = 60_000
/** The due time may have been computed while the clock was briefly wrong. */
const maxSleepMs = 60 * 60 * 1000

export class DueTimer {
  private readonly clock: Clock
  private readonly onDue: () => Promise<number | null>
  private readonly onFailure: (error: unknown) => void
  private timer: Timer | null = null
  private dueMs = Number.POSITIVE_INFINITY
  private running: Promise<void> = Promise.resolve()
  private isStopped = false
  private readonly jump: Timer

  /** `work` does what is due, and returns when it is due next (Unix milliseconds), or null. */
  constructor(clock: Clock, work: () => Promise<number | null>, onFailure: (error: unknown) => void) {
    this.clock = clock
    this.onDue = work
    this.onFailure = onFailure
    // What was due in a year may be due in a minute, and vice versa.
    this.jump = clock.onJump(() => {
      if (this.timer) void this.start()
    })
  }

  start(): Promise<void> {
    this.running = this.running.then(() => this.fire())
    return this.running
  }

  dueAt(timeMs: number): void {
    if (this.isStopped || timeMs >= this.dueMs) return
    this.timer?.cancel()
    this.dueMs = timeMs
    this.timer = this.schedule(timeMs)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.jump.cancel()
    this.timer?.cancel()
    await this.running
  }

  private schedule(timeMs: number): Timer {
    const callback = () => void this.start()
    const due = this.clock.at(timeMs, callback)
    const wakeUp = this.clock.after(maxSleepMs, callback)
    return {
      cancel() {
        due.cancel()
        wakeUp.cancel()
      },
    }
  }

  private async fire(): Promise<void> {
    this.timer?.cancel()
    this.timer = null
    this.dueMs = Number.POSITIVE_INFINITY
    if (this.isStopped) return
    try {
      const nextMs = await this.onDue()
      if (nextMs !== null) this.dueAt(nextMs)
    } catch (error) {
      this.onFailure(error)
      this.dueAt(this.clock.now() + retryMs)
    }
  }
}
