import type { Clock, Timer } from '../../core/time/clock.ts'

interface PendingTimer {
  timeMs: number
  callback: () => void
  /** Whether it waits for elapsed time rather than for a time of day. */
  isOfElapsed: boolean
}

/** A clock that moves only when a test moves it. It starts at the present, because files have real times. */
export class TestClock implements Clock {
  private nowMs: number
  private elapsedMs = 0
  private readonly timers = new Set<PendingTimer>()

  constructor(nowMs = Date.now()) {
    this.nowMs = nowMs
  }

  now(): number {
    return this.nowMs
  }

  get timerCount(): number {
    return this.timers.size
  }

  at(timeMs: number, callback: () => void): Timer {
    return this.addTimer({ timeMs, callback, isOfElapsed: false })
  }

  private addTimer(timer: PendingTimer): Timer {
    const { timeMs } = timer
    this.timers.add(timer)
    if (timeMs <= this.nowMs) setImmediate(() => this.runDue())
    return { cancel: () => void this.timers.delete(timer) }
  }

  after(durationMs: number, callback: () => void): Timer {
    return this.addTimer({ timeMs: this.nowMs + durationMs, callback, isOfElapsed: true })
  }

  elapsed(): number {
    return this.elapsedMs
  }

  onJump(): Timer {
    return { cancel: () => {} }
  }

  retentionCutoff(ageMs: number): number {
    return this.nowMs - ageMs
  }

  /** Lets time pass and runs each timer at its own time. A negative `ms` sets the clock back. */
  advance(ms: number): void {
    const startedMs = this.elapsedMs
    const fromMs = this.nowMs
    if (ms < 0) this.set(fromMs + ms)
    else {
      this.moveTo(fromMs + ms, (timeMs) => {
        this.elapsedMs = startedMs + timeMs - fromMs
      })
    }
  }

  /** Sets the clock, forwards or back, while no time elapses. */
  set(timeMs: number): void {
    for (const timer of this.timers) if (timer.isOfElapsed) timer.timeMs += timeMs - this.nowMs
    this.moveTo(timeMs, () => {})
  }

  private moveTo(timeMs: number, setElapsed: (timeMs: number) => void): void {
    for (let due = this.nextDue(timeMs); due; due = this.nextDue(timeMs)) {
      this.nowMs = Math.max(this.nowMs, due.timeMs)
      setElapsed(this.nowMs)
      this.timers.delete(due)
      due.callback()
    }
    this.nowMs = timeMs
    setElapsed(timeMs)
  }

  private runDue(): void {
    for (let due = this.nextDue(this.nowMs); due; due = this.nextDue(this.nowMs)) {
      this.timers.delete(due)
      due.callback()
    }
  }

  private nextDue(timeMs: number): PendingTimer | undefined {
    const due = [...this.timers].filter((timer) => timer.timeMs <= timeMs)
    return due.sort((one, other) => one.timeMs - other.timeMs)[0]
  }
}
