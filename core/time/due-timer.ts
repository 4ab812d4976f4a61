import type { Clock, Timer } from './clock.ts'

/** How long to wait before work that failed is tried again, in milliseconds. */
const retryMs = 60_000
/**
 * Something that is due later is looked at again after so many milliseconds: its time may have been worked out while the
 * clock was wrong, for so short a while that nobody noticed.
 */
const maxSleepMs = 60 * 60 * 1000

/** One timer, set to whatever is due next: nothing is polled. */
export class DueTimer {
  private readonly clock: Clock
  private readonly onDue: () => Promise<number | null>
  private readonly onFailure: (error: unknown) => void
  private timer: Timer | null = null
  private setForMs = Number.POSITIVE_INFINITY
  private running: Promise<void> = Promise.resolve()
  private isStopped = false
  private readonly jump: Timer

  /** @param work does what is due, and answers when the next is (Unix milliseconds), or null */
  constructor(clock: Clock, work: () => Promise<number | null>, onFailure: (error: unknown) => void) {
    this.clock = clock
    this.onDue = work
    this.onFailure = onFailure
    // What was due in a year may be due in a minute, and the other way round.
    this.jump = clock.onJump(() => {
      if (this.timer) void this.start()
    })
  }

  /** Does what is due now, and sets the timer for the next. */
  start(): Promise<void> {
    this.running = this.running.then(() => this.fire())
    return this.running
  }

  /** Something became due at this time; the timer is set earlier if it has to be. */
  dueAt(timeMs: number): void {
    if (this.isStopped || timeMs >= this.setForMs) return
    this.timer?.cancel()
    this.setForMs = timeMs
    this.timer = this.schedule(timeMs)
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.jump.cancel()
    this.timer?.cancel()
    await this.running
  }

  private schedule(timeMs: number): Timer {
    const ring = () => void this.start()
    const due = this.clock.at(timeMs, ring)
    const overslept = this.clock.after(maxSleepMs, ring)
    return {
      cancel() {
        due.cancel()
        overslept.cancel()
      },
    }
  }

  private async fire(): Promise<void> {
    this.timer?.cancel()
    this.timer = null
    this.setForMs = Number.POSITIVE_INFINITY
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
