import Sqlite from 'better-sqlite3'
import { failureReason } from './failures.ts'
import { DatabaseFileCheck } from './same-database-file.ts'
import { Signal } from './signal.ts'
import { DiskError } from './tree/types.ts'
import { WriteAheadLog, type WriteAheadLogOptions } from './write-ahead-log.ts'
import { type Flush, type QueuedWrite, WriteQueue } from './write-queue.ts'

export type Connection = Sqlite.Database

export interface DatabaseOptions {
  /** Migrates an older schema, which no other process may have open. */
  migrates?: boolean
  mustExist?: boolean
  beforeCommit?: () => void
  /** Otherwise SQLite flushes and checkpoints within a COMMIT. */
  flushesAfterCommit?: boolean
  flushLog?: WriteAheadLogOptions['flushLog']
  /** The limit of waiting for another process. */
  timeoutMs?: number
  onFailure?: (error: unknown) => void
  onSuccess?: () => void
  onDeferredFailure?: (error: unknown) => void
}

interface CommitOptions {
  /** False for rows that no listener follows. */
  publishes?: boolean
}

const busyRetryMs = 5

const sliceMs = 4

/** The only writing connection. Writers of one turn share a commit, each in its own savepoint. */
export class Database {
  readonly connection: Connection
  /** Set if the disk had no space for the log's shared memory. */
  readonly isExclusive: boolean
  private readonly beforeCommit: () => void
  private readonly timeoutMs: number
  private readonly listeners: Pick<DatabaseOptions, 'onFailure' | 'onSuccess' | 'onDeferredFailure'>
  private readonly identity: DatabaseFileCheck
  private readonly dataVersion: Sqlite.Statement<[], number>
  private readonly changes: Sqlite.Statement<[], number>
  private readonly beginTransaction: Sqlite.Statement<[]>
  private readonly commitTransaction: Sqlite.Statement<[]>
  private readonly beginWriter: Sqlite.Statement<[]>
  private readonly endWriter: Sqlite.Statement<[]>
  private seenVersion: number
  private hasFailed = false
  private readonly queue = new WriteQueue()
  private readonly longTransactions: (() => Promise<void>)[] = []
  private deferred: (() => void)[] = []
  private finalWrites: (() => void)[] = []
  private flushing: Promise<void> | null = null
  private readonly changed = new Signal()
  private readonly log: WriteAheadLog | null
  private flushMode: Flush = 'inCommit'
  private isPublishing = false

  constructor(connection: Connection, options: DatabaseOptions = {}) {
    this.connection = connection
    this.isExclusive = connection.pragma('locking_mode', { simple: true }) === 'exclusive'
    this.beforeCommit = options.beforeCommit ?? (() => {})
    this.timeoutMs = options.timeoutMs ?? 5000
    this.listeners = options
    this.identity = new DatabaseFileCheck(connection.name)
    this.dataVersion = connection.prepare<[], number>('PRAGMA data_version').pluck()
    this.changes = connection.prepare<[], number>('SELECT total_changes()').pluck()
    this.seenVersion = this.dataVersion.get()!
    this.beginTransaction = connection.prepare('BEGIN IMMEDIATE')
    this.commitTransaction = connection.prepare('COMMIT')
    this.beginWriter = connection.prepare('SAVEPOINT writer')
    this.endWriter = connection.prepare('RELEASE writer')
    this.log = options.flushesAfterCommit && !this.isExclusive ? this.openLog(options) : null
  }

  /** `write` must be synchronous. @throws what it or COMMIT threw; nothing of it is stored then */
  commit<T>(write: () => T, flush: Flush = 'inCommit', { publishes = true }: CommitOptions = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.add({ flush, publishes, write, resolve: resolve as (result: unknown) => void, reject })
      this.schedule()
    })
  }

  /** As `commit` with `afterCommit`, but after all other writers, and with fewer in a transaction. */
  commitInBackground<T>(write: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.addInBackground({
        flush: 'afterCommit',
        publishes: true,
        write,
        resolve: resolve as (result: unknown) => void,
        reject,
      })
      this.schedule()
    })
  }

  /** Resolves when all commits so far survive a power cut. @throws errors of SQLite or the system */
  async flushed(): Promise<void> {
    if (this.log === null || this.log.isDurable) return
    await this.log.flushed()
    this.noteSuccess()
  }

  /**
   * Runs a long write in its own transaction, one step for each `next()`. Requests are served in between, and
   * read what was written so far; other writers wait. The last step, COMMIT and the caller's continuation
   * share a turn. @throws what a step or COMMIT threw; nothing is stored then
   */
  commitInSteps<T>(begin: () => Iterator<void, T, void>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.longTransactions.push(() => this.runLongTransaction(begin).then(resolve, reject))
      this.schedule()
    })
  }

  /** Rolls back, in the same turn, a commit that the disk then refused. */
  commitNow<T>(write: () => T): T {
    this.connection.pragma(`busy_timeout = ${this.timeoutMs}`)
    try {
      this.identity.requireSame()
      const transact = () => {
        const result = this.runWithFinalWrites(write)
        this.beforeCommit()
        return result
      }
      this.setFlush('inCommit')
      const result = this.runAndNoteSuccess(() => this.connection.transaction(transact).immediate())
      this.log?.noteCommit({ isDurable: true })
      return result
    } catch (error) {
      this.noteFailure(error)
      throw error
    } finally {
      this.connection.pragma('busy_timeout = 0')
      this.publish()
    }
  }

  /** Runs `write` with the next commit, at the latest on `close`. */
  commitLater(write: () => void): void {
    this.deferred.push(write)
  }

  /** Runs `write` at the end of the current transaction; it is stored only together with its writer. */
  atEnd(write: () => void): void {
    this.finalWrites.push(write)
  }

  noticeExternalChange(): boolean {
    const version = this.versionNow()
    if (version === this.seenVersion) return false
    this.seenVersion = version
    this.publish()
    return true
  }

  /** Called once for all commits of a turn, in a later turn. */
  onChange(listener: () => void): void {
    this.changed.listen(listener)
  }

  /** Works even if the database's own file is gone. Does not block. */
  async copyTo(path: string): Promise<void> {
    await this.connection.backup(path)
  }

  /** Deferred writes that fail are reported, and lost. */
  async close(): Promise<void> {
    if (this.deferred.length > 0) await this.commit(() => {}).catch(() => {})
    // A writer may queue another when it resolves.
    while (this.flushing) await this.flushing
    await this.log?.close().catch((error) => this.noteFailure(error))
    this.connection.close()
  }

  /** Publishes changes again that were committed before and are only now visible. */
  noteChange(): void {
    this.publish()
  }

  private versionNow(): number {
    try {
      this.identity.requireSame()
      return this.dataVersion.get()!
    } catch (error) {
      if (failureReason(error) === null) throw error
      this.noteFailure(error)
      return this.seenVersion
    }
  }

  private publish(): void {
    if (this.isPublishing) return
    this.isPublishing = true
    setImmediate(() => {
      this.isPublishing = false
      try {
        if (this.connection.open) this.changed.emit()
      } catch (error) {
        if (failureReason(error) === null) throw error
        this.noteFailure(error)
      }
    })
  }

  private schedule(): void {
    this.flushing ??= new Promise((resolve) => setImmediate(resolve))
      .then(() => this.flush())
      .then(() => this.longTransactions.shift()?.())
      .finally(() => {
        this.flushing = null
        if (!this.queue.isEmpty || this.longTransactions.length > 0) this.schedule()
      })
  }

  private async flush(): Promise<void> {
    const deferred = this.deferred
    this.deferred = []
    for (const write of deferred) {
      this.queue.add({
        flush: 'afterCommit',
        publishes: true,
        write,
        resolve: () => {},
        reject: (error) => this.listeners.onDeferredFailure?.(error),
      })
    }
    if (this.queue.isEmpty) return
    try {
      await this.begin(this.queue.flush)
    } catch (error) {
      this.rejectAll(this.queue.takeAll(), error)
      return
    }
    const writers: QueuedWrite[] = []
    try {
      const outcomes = this.runAndNoteSuccess(() => {
        const outcomes = this.runWithFinalWrites(() =>
          this.queue.runNext((writer) => this.runInSavepoint(writer), writers),
        )
        this.beforeCommit()
        this.commitTransaction.run()
        return outcomes
      })
      this.log?.noteCommit({ isDurable: this.flushMode === 'inCommit' })
      // Flushes even if nobody awaits it. Failures are reported.
      void this.flushed().catch(() => {})
      if (writers.some(({ publishes }) => publishes)) this.publish()
      for (const settle of outcomes) settle()
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK')
      this.rejectAll(writers, error)
    }
  }

  private rejectAll(writers: QueuedWrite[], error: unknown): void {
    this.noteFailure(error)
    for (const writer of writers) writer.reject(error)
  }

  /** An error with which a writer rolls itself back is no failure of the database. */
  private noteFailure(error: unknown): void {
    if (failureReason(error) === null) return
    this.hasFailed = true
    this.listeners.onFailure?.(error)
  }

  private noteSuccess(): void {
    // A COMMIT after a failed flush does not show that the flush would succeed.
    if (!this.hasFailed || this.log?.hasFailedFlush) return
    this.hasFailed = false
    this.listeners.onSuccess?.()
  }

  /** If the transaction changed something, writing works again. */
  private runAndNoteSuccess<T>(transact: () => T): T {
    if (!this.hasFailed) return transact()
    const before = this.changes.get()!
    const result = transact()
    if (this.changes.get() !== before) this.noteSuccess()
    return result
  }

  private async runLongTransaction<T>(begin: () => Iterator<void, T, void>): Promise<T> {
    // The previous commit may still be rolled back in this turn.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await this.begin('inCommit')
      this.finalWrites = []
      const steps = begin()
      let pauseAtMs = performance.now() + sliceMs
      let step = steps.next()
      while (!step.done) {
        if (performance.now() >= pauseAtMs) {
          await new Promise((resolve) => setImmediate(resolve))
          pauseAtMs = performance.now() + sliceMs
        }
        step = steps.next()
      }
      for (const finalWrite of this.finalWrites) finalWrite()
      this.beforeCommit()
      this.commitTransaction.run()
      this.log?.noteCommit({ isDurable: true })
      this.noteSuccess()
      this.publish()
      return step.value
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK')
      // A step that the disk refused is reported by its caller.
      if (!(error instanceof DiskError)) this.noteFailure(error)
      throw error
    }
  }

  private runWithFinalWrites<T>(write: () => T): T {
    this.finalWrites = []
    const result = write()
    for (const finalWrite of this.finalWrites) finalWrite()
    return result
  }

  private async begin(flush: Flush): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += busyRetryMs) {
      try {
        this.identity.requireSame()
        this.setFlush(flush)
        this.beginTransaction.run()
        return
      } catch (error) {
        const isBusy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
        if (!isBusy || waitedMs >= this.timeoutMs) throw error
        await new Promise((resolve) => setTimeout(resolve, busyRetryMs))
      }
    }
  }

  private setFlush(flush: Flush): void {
    if (this.log === null || this.flushMode === flush) return
    this.connection.pragma(`synchronous = ${flush === 'inCommit' ? 'FULL' : 'NORMAL'}`)
    this.flushMode = flush
  }

  private openLog({ flushLog }: DatabaseOptions): WriteAheadLog {
    // Another thread checkpoints.
    this.connection.pragma('wal_autocheckpoint = 0')
    return new WriteAheadLog(this.connection.name, {
      ...(flushLog && { flushLog }),
      onFailure: (error) => this.noteFailure(error),
    })
  }

  /** @throws if SQLite rolled the whole transaction back: a savepoint would open a new one */
  private runInSavepoint({ write, resolve, reject }: QueuedWrite): () => void {
    this.beginWriter.run()
    const { length } = this.finalWrites
    try {
      const result = write()
      this.endWriter.run()
      return () => resolve(result)
    } catch (error) {
      if (!this.connection.inTransaction) throw error
      this.connection.exec('ROLLBACK TO writer; RELEASE writer')
      this.finalWrites.length = length
      return () => {
        this.noteFailure(error)
        reject(error)
      }
    }
  }
}
