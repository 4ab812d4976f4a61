import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'

const burst = 400
const pauseMs = 50
const refill = 16

/** Limits commits of webhooks, so that requests have the server most of the time. A few are never delayed. */
export class CommitThrottle {
  private tokens = burst
  private refilledMs: number
  private next: Promise<void> | null = null
  private turns = Promise.resolve()

  constructor(
    private readonly signal: AbortSignal,
    private readonly elapsed = () => performance.now(),
    private readonly pauseFor = pause,
  ) {
    this.refilledMs = elapsed()
  }

  waitForCommit(): Promise<void> {
    const nowMs = this.elapsed()
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
      await this.pauseFor(pauseMs, undefined, { signal: this.signal, ref: false })
    } catch (error) {
      if (!this.signal.aborted) throw error
    }
  }
}
