import type { Clock, Timer } from '../../core/time/clock.ts'

interface Alarm {
  timeMs: number
  ring: () => void
  /** Whether it waits for elapsed time rather than for a time of day. */
  isOfElapsed: boolean
}

/** A clock that moves only when a test moves it. It starts at the present, because files have real times. */
export class TestClock implements Clock {
  private nowMs: number
  private elapsedMs = 0
  private readonly alarms = new Set<Alarm>()

  constructor(nowMs = Date.now()) {
    this.nowMs = nowMs
  }

  now(): number {
    return this.nowMs
  }

  get alarmCount(): number {
    return this.alarms.size
  }

  at(timeMs: number, ring: () => void): Timer {
    return this.ringAt({ timeMs, ring, isOfElapsed: false })
  }

  private ringAt(alarm: Alarm): Timer {
    const { timeMs } = alarm
    this.alarms.add(alarm)
    if (timeMs <= this.nowMs) setImmediate(() => this.ringDue())
    return { cancel: () => void this.alarms.delete(alarm) }
  }

  after(durationMs: number, ring: () => void): Timer {
    return this.ringAt({ timeMs: this.nowMs + durationMs, ring, isOfElapsed: true })
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

  /** Lets time pass and rings each alarm at its own time. A negative `ms` sets the clock back. */
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
    for (const alarm of this.alarms) if (alarm.isOfElapsed) alarm.timeMs += timeMs - this.nowMs
    this.moveTo(timeMs, () => {})
  }

  private moveTo(timeMs: number, setElapsed: (timeMs: number) => void): void {
    for (let due = this.nextDue(timeMs); due; due = this.nextDue(timeMs)) {
      this.nowMs = Math.max(this.nowMs, due.timeMs)
      setElapsed(this.nowMs)
      this.alarms.delete(due)
      due.ring()
    }
    this.nowMs = timeMs
    setElapsed(timeMs)
  }

  private ringDue(): void {
    for (let due = this.nextDue(this.nowMs); due; due = this.nextDue(this.nowMs)) {
      this.alarms.delete(due)
      due.ring()
    }
  }

  private nextDue(timeMs: number): Alarm | undefined {
    const due = [...this.alarms].filter((alarm) => alarm.timeMs <= timeMs)
    return due.sort((one, other) => one.timeMs - other.timeMs)[0]
  }
}
