import type { Database } from '../../data/database.ts'
import type { ClockSegment, RunningTimeTable } from '../../data/tables/running-time.ts'
import type { Clock, Timer } from './clock.ts'

interface JumpDetectingClockDeps {
  clock: Clock
  database: Database
  runningTime: RunningTimeTable
  onProblem: (message: string, error?: unknown) => void
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** A smaller difference is a correction of the wall clock. */
const jumpMs = minuteMs
const compareEveryMs = 10 * minuteMs
/** How long after a jump nothing is purged. */
const purgePauseMs = dayMs
const maxAgeMs = 31 * dayMs

/**
 * Compares the wall clock with elapsed time: both must reach an age, and nothing is purged for a day after a
 * jump. Only time in which the workspace is open counts, since the rest cannot be measured.
 */
export class JumpDetectingClock implements Clock {
  private readonly deps: JumpDetectingClockDeps
  /** The running time at which `elapsed` is zero. */
  private readonly offsetMs: number
  private readonly segments: ClockSegment[]
  private readonly listeners = new Set<() => void>()
  private jumpedMs: number | null
  private last: { runningMs: number; wallMs: number }
  private timer: Timer | null = null

  /** Must be created before everything that stamps with it. */
  constructor(deps: JumpDetectingClockDeps) {
    this.deps = deps
    const stored = deps.runningTime.find()
    const wallMs = deps.clock.now()
    const runningMs = stored?.runningMs ?? 0
    this.offsetMs = runningMs - deps.clock.elapsed()
    this.jumpedMs = stored?.jumpedMs ?? null
    // While the workspace was closed, the clock can only have advanced, unless it was set.
    if (stored && wallMs < stored.wallMs - jumpMs) this.jumpedMs = runningMs
    this.segments = deps.runningTime.segments()
    this.last = { runningMs, wallMs }
    this.startSegment(runningMs, wallMs)
  }

  now(): number {
    const wallMs = this.deps.clock.now()
    const segment = this.segments.at(-1)!
    if (wallMs < segment.minWallMs) {
      segment.minWallMs = wallMs
      const { database, runningTime } = this.deps
      const store = () => runningTime.putSegment(segment)
      // Stored together with what it stamps.
      if (database.connection.inTransaction) database.atEnd(store)
      else database.commitLater(store)
    }
    return wallMs
  }

  elapsed(): number {
    return this.deps.clock.elapsed()
  }

  at(timeMs: number, callback: () => void): Timer {
    return this.deps.clock.at(timeMs, callback)
  }

  after(durationMs: number, callback: () => void): Timer {
    return this.deps.clock.after(durationMs, callback)
  }

  onJump(listener: () => void): Timer {
    this.listeners.add(listener)
    return { cancel: () => void this.listeners.delete(listener) }
  }

  retentionCutoff(ageMs: number): number {
    this.checkForJump()
    const { runningMs, wallMs } = this.last
    if (this.jumpedMs !== null && runningMs - this.jumpedMs < purgePauseMs) return 0
    const sinceMs = runningMs - ageMs
    // What was stamped after this running time has at least this wall-clock time.
    const index = this.segments.findLastIndex((segment) => segment.runningMs <= sinceMs)
    if (index === -1) return 0
    const [around, ...later] = this.segments.slice(index) as [ClockSegment, ...ClockSegment[]]
    const isSteady = around.minWallMs >= around.wallMs
    const aroundMs = isSteady ? around.wallMs + (sinceMs - around.runningMs) : around.minWallMs
    return Math.min(wallMs - ageMs, aroundMs, ...later.map(({ minWallMs }) => minWallMs))
  }

  start(): Promise<void> {
    this.scheduleCheck()
    return this.store()
  }

  private scheduleCheck(): void {
    this.timer = this.deps.clock.after(compareEveryMs, () => {
      void this.store()
      this.scheduleCheck()
    })
  }

  async flush(): Promise<void> {
    this.checkForJump()
    const { runningTime, database } = this.deps
    const { runningMs, wallMs } = this.last
    await database.commit(() => {
      runningTime.put({ runningMs: Math.floor(runningMs), wallMs, jumpedMs: this.jumpedMs })
      for (const part of this.segments.slice(-2)) runningTime.putSegment(part)
      runningTime.trim(runningMs - maxAgeMs - hourMs)
    })
  }

  async stop(): Promise<void> {
    this.timer?.cancel()
    await this.store()
  }

  /** Time that could not be stored does not count: retention is a little longer. */
  private store(): Promise<void> {
    return this.flush().catch((error) =>
      this.deps.onProblem('The running time could not be recorded; this is tried again', error),
    )
  }

  private checkForJump(): void {
    const runningMs = this.offsetMs + this.deps.clock.elapsed()
    const wallMs = this.now()
    const driftMs = wallMs - this.last.wallMs - (runningMs - this.last.runningMs)
    this.last = { runningMs, wallMs }
    if (Math.abs(driftMs) > jumpMs) {
      this.jumpedMs = Math.floor(runningMs)
      this.startSegment(runningMs, wallMs)
      const hours = (driftMs / hourMs).toFixed(1)
      this.deps.onProblem(`The clock has jumped by ${hours} hours; nothing is trimmed for a day`)
      for (const listener of [...this.listeners]) listener()
      void this.store()
    } else if (runningMs - this.segments.at(-1)!.runningMs >= hourMs) {
      this.startSegment(runningMs, wallMs)
    }
  }

  private startSegment(runningMs: number, wallMs: number): void {
    this.segments.push({ runningMs: Math.floor(runningMs), wallMs, minWallMs: wallMs })
    const firstNeeded = this.segments.findLastIndex((segment) => segment.runningMs < runningMs - maxAgeMs)
    if (firstNeeded > 0) this.segments.splice(0, firstNeeded)
  }
}
