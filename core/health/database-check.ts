import { quickCheck } from '../../data/backup/quick-check.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { Problem } from './types.ts'

interface DatabaseCheckDeps {
  home: string
  clock: Clock
  onProblem: (message: string, error?: unknown) => void
}

/** Lets a start finish its other work first. */
const initialDelayMs = 1000
/** A series of errors causes one check. */
const restMs = 60_000
const maxNamed = 3

/** Checks in a child process. Findings remain until a restart, which a repair needs. */
export class DatabaseCheck {
  private readonly deps: DatabaseCheckDeps
  private readonly ending = new AbortController()
  private damages: string[] = []
  private timer: Timer | null = null
  private isWanted = false
  private checking: Promise<void> | null = null

  constructor(deps: DatabaseCheckDeps) {
    this.deps = deps
  }

  start(): void {
    this.isWanted = true
    this.timer?.cancel()
    this.goOnAfter(initialDelayMs)
  }

  request(): void {
    this.isWanted = true
    if (!this.timer && !this.checking) this.goOnAfter(0)
  }

  async stop(): Promise<void> {
    this.ending.abort()
    this.timer?.cancel()
    await this.checking
  }

  problems(): Problem[] {
    if (this.damages.length === 0) return []
    return [
      {
        problem: `The database is damaged: ${this.damages.slice(0, maxNamed).join('; ')}`,
        mend: `stop the server, and run: workroom repair --home ${this.deps.home}`,
      },
    ]
  }

  private goOnAfter(durationMs: number): void {
    this.timer = this.deps.clock.after(durationMs, () => {
      this.timer = null
      if (!this.isWanted || this.ending.signal.aborted) return
      this.isWanted = false
      this.checking = this.check().finally(() => {
        this.checking = null
        if (!this.ending.signal.aborted) this.goOnAfter(restMs)
      })
    })
  }

  private async check(): Promise<void> {
    const { home, onProblem } = this.deps
    try {
      this.damages = await quickCheck(home, this.ending.signal)
      if (this.damages.length > 0) onProblem(`The database is damaged: ${this.damages.join('; ')}`)
    } catch (error) {
      if (!this.ending.signal.aborted) onProblem('The database could not be checked', error)
    }
  }
}
