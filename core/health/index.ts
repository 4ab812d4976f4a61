import type { DatabaseOptions } from '../../data/database.ts'
import { failureReason, isDatabaseFailure } from '../../data/failures.ts'
import { DatabaseMovedError } from '../../data/same-database-file.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Clock, Timer } from '../time/clock.ts'
import { DatabaseCheck } from './database-check.ts'
import type { Problem } from './types.ts'
import { trackTreeHealth, WriteHealth } from './write-health.ts'

const saveAfterMs = 2000

interface HealthOptions {
  home: string
  clock: Clock
  onProblem: (message: string, error?: unknown) => void
}

interface StartDeps {
  probe: () => Promise<void>
  saveDatabase: () => Promise<string | null>
}

export class Health {
  readonly writes: WriteHealth
  private readonly deps: HealthOptions
  private readonly check: DatabaseCheck
  private sources: (() => Problem[])[] = []
  private saveDatabase: StartDeps['saveDatabase'] | null = null
  private saveTimer: Timer | null = null

  constructor(deps: HealthOptions) {
    this.deps = deps
    this.writes = new WriteHealth(deps.clock)
    this.check = new DatabaseCheck(deps)
    this.sources = [() => this.writes.problems(), () => this.check.problems()]
  }

  databaseListeners(): Pick<DatabaseOptions, 'onFailure' | 'onSuccess' | 'onDeferredFailure'> {
    return {
      onFailure: (error) => {
        this.writes.recordFailure('database', error)
        this.reportError(error)
      },
      onSuccess: () => this.writes.recordSuccess('database'),
      onDeferredFailure: (error) => {
        // The failure of a whole commit is reported elsewhere.
        if (failureReason(error) === null) this.writes.recordFailure('deferred', error)
        this.deps.onProblem('A deferred write failed', error)
      },
    }
  }

  attach(tree: Tree): Tree {
    return trackTreeHealth(tree, this.writes)
  }

  reportError(error: unknown): void {
    if (error instanceof DatabaseMovedError) this.saveLostContents()
    else if (isDatabaseFailure(error)) this.check.request()
  }

  /** Saves, once, the contents of a deleted database, whose only copy the open connection has. */
  private saveLostContents(): void {
    const { deps, saveDatabase } = this
    if (!saveDatabase || this.saveTimer) return
    // By then a removal of the whole home has finished.
    this.saveTimer = deps.clock.after(saveAfterMs, () => {
      saveDatabase()
        .then((path) => path && deps.onProblem(`Lost contents of the database are kept in ${path}`))
        .catch((error) => deps.onProblem('Lost contents of the database could not be kept', error))
    })
  }

  addSource(source: () => Problem[]): void {
    this.sources.push(source)
  }

  start({ probe, saveDatabase }: StartDeps): void {
    this.saveDatabase = saveDatabase
    this.writes.start({ probe })
    this.check.start()
  }

  async stop(): Promise<void> {
    this.saveTimer?.cancel()
    this.writes.stop()
    await this.check.stop()
  }

  problems(): Problem[] {
    return this.sources.flatMap((source) => source())
  }
}
