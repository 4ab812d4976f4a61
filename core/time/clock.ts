import { uptime } from 'node:os'

/** A timer that can be called off. */
export interface Timer {
  cancel(): void
}

/** The time, handed in so that a test can hold it still. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
  /** Calls `ring` once, when `now()` has reached `timeMs` (at once, but never synchronously, if it is past). */
  at(timeMs: number, ring: () => void): Timer
  /** Calls `ring` once, when so much time has passed, also where the clock is set meanwhile. */
  after(durationMs: number, ring: () => void): Timer
  /** Milliseconds that have passed since some moment, however the clock was set meanwhile. */
  elapsed(): number
  /** Calls `listener` whenever the clock is seen to have jumped, from when on other timers of `at` may be due. */
  onJump(listener: () => void): Timer
  /**
   * A time before which everything that this clock has stamped is at least so old, for what is let go of because of its age;
   * 0 where nothing is to be let go of now, since the clock cannot be relied on.
   */
  retentionCutoff(ageMs: number): number
}

/** Node's longest timer is 2^31 - 1 ms: a later alarm is set in steps, which also follows a clock that was corrected. */
const maxTimerMs = 60 * 60 * 1000

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(timeMs, ring) {
    let timeout: NodeJS.Timeout
    const step = () => {
      const leftMs = timeMs - Date.now()
      if (leftMs <= 0) return ring()
      timeout = setTimeout(step, Math.min(leftMs, maxTimerMs))
      timeout.unref()
    }
    timeout = setTimeout(step, Math.max(0, Math.min(timeMs - Date.now(), maxTimerMs)))
    timeout.unref()
    return { cancel: () => clearTimeout(timeout) }
  },
  after(durationMs, ring) {
    const timeout = setTimeout(ring, durationMs).unref()
    return { cancel: () => clearTimeout(timeout) }
  },
  // With the time in which the machine sleeps, which `performance.now` leaves out.
  elapsed: () => uptime() * 1000,
  onJump: () => ({ cancel: () => {} }),
  retentionCutoff: (ageMs) => Date.now() - ageMs,
}

/** A clock whose timers never ring: for parts that must not set anything going by themselves. */
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
