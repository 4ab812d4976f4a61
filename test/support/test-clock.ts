import type { Clock, Timer } from '../../core/clock.ts'

interface Alarm {
  timeMs: number
  ring: () => void
}

/** A clock that stands still until it is told otherwise. It starts at the present, since files have real times. */
export class TestClock implements Clock {
  private nowMs: number
  private readonly alarms = new Set<Alarm>()

  constructor(nowMs = Date.now()) {
    this.nowMs = nowMs
  }

  now(): number {
    return this.nowMs
  }

  /** How many wait to be rung. */
  get alarmCount(): number {
    return this.alarms.size
  }

  at(timeMs: number, ring: () => void): Timer {
    const alarm = { timeMs, ring }
    this.alarms.add(alarm)
    if (timeMs <= this.nowMs) setImmediate(() => this.ringDue())
    return { cancel: () => void this.alarms.delete(alarm) }
  }

  after(durationMs: number, ring: () => void): Timer {
    return this.at(this.nowMs + durationMs, ring)
  }

  /** Moves on, and rings what falls due on the way, each alarm at its own time. */
  advance(ms: number): void {
    this.set(this.nowMs + ms)
  }

  /** Also backwards, as a clock that was corrected. */
  set(timeMs: number): void {
    for (let due = this.nextDue(timeMs); due; due = this.nextDue(timeMs)) {
      this.nowMs = Math.max(this.nowMs, due.timeMs)
      this.alarms.delete(due)
      due.ring()
    }
    this.nowMs = timeMs
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
