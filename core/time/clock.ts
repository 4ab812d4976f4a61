import { uptime } from 'node:os'

export interface Timer {
  cancel(): void
}

/** Passed in, so that tests control the time. */
export interface Clock {
  now(): number
  /** Calls `callback` once when `now()` reaches `timeMs`, asynchronously if it is past. */
  at(timeMs: number, callback: () => void): Timer
  /** Calls `callback` once after a duration, even if the clock is set meanwhile. */
  after(durationMs: number, callback: () => void): Timer
  elapsed(): number
  /** Calls `listener` when the clock has jumped, after which timers of `at` may be due. */
  onJump(listener: () => void): Timer
  /** What was stamped earlier has certainly reached the age. 0 while the clock is unreliable. */
  retentionCutoff(ageMs: number): number
}

/** Longer timers are set in steps, since Node's limit is 2^31 - 1 ms and the clock may be corrected. */
const maxTimerMs = 60 * 60 * 1000

/** Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(timeMs, callback) {
    let timeout: NodeJS.Timeout
    const step = () => {
      const leftMs = timeMs - Date.now()
      if (leftMs <= 0) return callback()
      timeout = setTimeout(step, Math.min(leftMs, maxTimerMs))
      timeout.unref()
    }
    timeout = setTimeout(step, Math.max(0, Math.min(timeMs - Date.now(), maxTimerMs)))
    timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
  after(durationMs, callback) {
    const timeout = setTimeout(callback, durationMs).unref()
    return { cancel: () => clearTimeout(timeout) }
  },
  // Includes time in sleep, which `performance.now` does not.
  elapsed: () => uptime() * 1000,
  onJump: () => ({ cancel: () => {} }),
  retentionCutoff: (ageMs) => Date.now() - ageMs,
}

export const withoutTimers = (clock: Clock): Clock => {
  const never = () => ({ cancel: () => {} })
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    retentionCutoff: (ageMs) => clock.retentionCutoff(ageMs),
    at: never,
    after: never,
    onJump: never,
  }
}
