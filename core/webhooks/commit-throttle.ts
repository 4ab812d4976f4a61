import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'

const burst = 400
const pauseMs = 50
const refill = 16

/** Limits commits of webhooks, so that requests have the server most of the time. A few are never delayed. */
export class CommitThrottle {
  private tokens = burst
  private refilledMs = performance.now()
  private next: Promise<void> | null = null
  private turns = Promise.resolve()

  constructor(private readonly signal: AbortSignal) {}

  waitForCommit(): Promise<void> {
    const nowMs = performance.now()
    this.tokens = Math.min(burst, this.tokens + ((nowMs - this.refilledMs) * refill) / pauseMs) - 1
    this.refilledMs = nowMs
    this.next ??= this.wait()
    return this.next
  }

  /** One call begins in each turn, although a commit may count many. */
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
      await pause(pauseMs, undefined, { signal: this.signal, ref: false })
    } catch (error) {
      if (!this.signal.aborted) throw error
    }
  }
}
