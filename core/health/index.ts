import type { DatabaseOptions } from '../../data/database.ts'
import { failureReason, isDatabaseFailure } from '../../data/failures.ts'
import { DatabaseMovedError } from '../../data/same-database-file.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Clock, Timer } from '../time/clock.ts'
import { DatabaseCheck } from './database-check.ts'
import { trackTreeHealth } from './health-tracking-tree.ts'
import type { Problem } from './types.ts'
import { WriteHealth } from './write-health.ts'

export type { Problem } from './types.ts'

/** How long after it was missed what is open of a database is kept. */
const saveAfterMs = 2000

interface HealthOptions {
  home: string
  clock: Clock
  onProblem: (message: string, error?: unknown) => void
}

interface StartDeps {
  /** Writes something small to the disk and to the database. @throws what fails */
  probe: () => Promise<void>
  /** Keeps a copy of the database that is open. @returns its path; null where the home is gone as well */
  saveDatabase: () => Promise<string | null>
}

/** Whether what is written can be kept, and what is kept can be read. */
export class Health {
  readonly writes: WriteHealth
  private readonly deps: HealthOptions
  private readonly check: DatabaseCheck
  private sources: (() => Problem[])[] = []
  private saveDatabase: StartDeps['saveDatabase'] | null = null
  private saving: Timer | null = null

  constructor(deps: HealthOptions) {
    this.deps = deps
    this.writes = new WriteHealth(deps.clock)
    this.check = new DatabaseCheck(deps)
    this.sources = [() => this.writes.problems(), () => this.check.problems()]
  }

  /** What the database tells of its writes. */
  databaseListeners(): Pick<DatabaseOptions, 'onFailure' | 'onSuccess' | 'onDeferredFailure'> {
    return {
      onFailure: (error) => {
        this.writes.failed('database', error)
        this.noteError(error)
      },
      onSuccess: () => this.writes.succeeded('database'),
      onDeferredFailure: (error) => {
        // Where the whole commit failed, that has been told.
        if (failureReason(error) === null) this.writes.failed('deferred', error)
        this.deps.onProblem('A deferred write failed', error)
      },
    }
  }

  attach(tree: Tree): Tree {
    return trackTreeHealth(tree, this.writes)
  }

  /** An error was met: one of the database has it looked through, and one whose file is gone is saved. */
  noteError(error: unknown): void {
    if (error instanceof DatabaseMovedError) this.save()
    else if (isDatabaseFailure(error)) this.check.request()
  }

  /** What is open is all there is of a database whose file was deleted: a copy of it is kept, once. */
  private save(): void {
    const { deps, saveDatabase } = this
    if (!saveDatabase || this.saving) return
    // Whoever is removing the whole home is done then.
    this.saving = deps.clock.after(saveAfterMs, () => {
      saveDatabase()
        .then((path) => path && deps.onProblem(`What the database held that is gone is kept in ${path}`))
        .catch((error) => deps.onProblem('What the database held that is gone could not be kept', error))
    })
  }

  /** Adds problems that others know of. */
  addSource(source: () => Problem[]): void {
    this.sources.push(source)
  }

  start({ probe, saveDatabase }: StartDeps): void {
    this.saveDatabase = saveDatabase
    this.writes.start({ probe })
    this.check.start()
  }

  async stop(): Promise<void> {
    this.saving?.cancel()
    this.writes.stop()
    await this.check.stop()
  }

  /** Everything that is not as it should be. Empty: healthy. */
  problems(): Problem[] {
    return this.sources.flatMap((source) => source())
  }
}
