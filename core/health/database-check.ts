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
const minIntervalMs = 60_000
const maxListed = 3

/** Checks in a child process. Findings remain until a restart, which a repair needs. */
export class DatabaseCheck {
  private readonly abortController = new AbortController()
  private damages: string[] = []
  private timer: Timer | null = null
  private isRequested = false
  private runningCheck: Promise<void> | null = null

  constructor(private readonly deps: DatabaseCheckDeps) {}

  start(): void {
    this.isRequested = true
    this.timer?.cancel()
    this.scheduleCheck(initialDelayMs)
  }

  request(): void {
    this.isRequested = true
    if (!this.timer && !this.runningCheck) this.scheduleCheck(0)
  }

  async stop(): Promise<void> {
    this.abortController.abort()
    this.timer?.cancel()
    await this.runningCheck
  }

  problems(): Problem[] {
    if (this.damages.length === 0) return []
    return [
      {
        problem: `The database is damaged: ${this.damages.slice(0, maxListed).join('; ')}`,
        mend: `stop the server, and run: workroom repair --home ${this.deps.home}`,
      },
    ]
  }

  private scheduleCheck(durationMs: number): void {
    this.timer = this.deps.clock.after(durationMs, () => {
      this.timer = null
      if (!this.isRequested || this.abortController.signal.aborted) return
      this.isRequested = false
      this.runningCheck = this.check().finally(() => {
        this.runningCheck = null
        if (!this.abortController.signal.aborted) this.scheduleCheck(minIntervalMs)
      })
    })
  }

  private async check(): Promise<void> {
    const { home, onProblem } = this.deps
    try {
      this.damages = await quickCheck(home, this.abortController.signal)
      if (this.damages.length > 0) onProblem(`The database is damaged: ${this.damages.join('; ')}`)
    } catch (error) {
      if (!this.abortController.signal.aborted) onProblem('The database could not be checked', error)
    }
  }
}
