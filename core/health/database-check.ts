import { quickCheck } from '../../data/backup/quick-check.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { Problem } from './types.ts'

interface DatabaseCheckDeps {
  /** Absolute path of the workspace. */
  home: string
  clock: Clock
  onProblem: (message: string, error?: unknown) => void
}

/** The first check waits until a start has less to do. */
const initialDelayMs = 1000
/** Errors that come in numbers are one reason to check. */
const restMs = 60_000
/** Of the damages so many are named. */
const maxNamed = 3

/**
 * Looks through the database in the background, in a process of its own: once behind the start, and after an error of the
 * database. What it finds stays a problem until the database is repaired, which takes a restart.
 */
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

  /** An error of the database was seen. */
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
      if (!this.ending.signal.aborted) onProblem('The database could not be looked through', error)
    }
  }
}
