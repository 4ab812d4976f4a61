import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'

/** How many may go without a pause. */
const burst = 400
/** How long a pause is, in milliseconds of the machine. */
const pauseMs = 50
/** How many may go after a pause. */
const refill = 16

/**
 * Says when webhooks may commit, so that requests have the server to themselves most of the time, however much is due:
 * there is one commit after each pause, in which all go that have asked meanwhile. A few calls are never held up.
 */
export class CommitThrottle {
  private readonly ending: AbortSignal
  private tokens = burst
  private countedMs = performance.now()
  private next: Promise<void> | null = null
  private turns = Promise.resolve()

  /** @param ending ends all waiting */
  constructor(ending: AbortSignal) {
    this.ending = ending
  }

  /** Resolves when it is time to commit. */
  waitForCommit(): Promise<void> {
    const nowMs = performance.now()
    this.tokens = Math.min(burst, this.tokens + ((nowMs - this.countedMs) * refill) / pauseMs) - 1
    this.countedMs = nowMs
    this.next ??= this.wait()
    return this.next
  }

  /** One call begins in a turn of the event loop, although one commit may count many. */
  waitForTurn(): Promise<void> {
    this.turns = this.turns.then(() => turn())
    return this.turns
  }

  private async wait(): Promise<void> {
    if (this.tokens < 0) await this.pause()
    else await turn()
    this.next = null
  }

  private async pause(): Promise<void> {
    try {
      await pause(pauseMs, undefined, { signal: this.ending, ref: false })
    } catch (error) {
      if (!this.ending.aborted) throw error
    }
  }
}
