import Sqlite from 'better-sqlite3'
import { failureReason } from './failures.ts'
import { migrate, requireSchema } from './migrations.ts'
import { DatabaseFileCheck } from './same-database-file.ts'
import { Signal } from './signal.ts'
import { DiskError } from './tree/types.ts'
import { WriteAheadLog, type WriteAheadLogOptions } from './write-ahead-log.ts'

export type Connection = Sqlite.Database

export interface DatabaseOptions {
  /** Brings an older schema up to date. Only for a database that no other process has open. Default false. */
  migrates?: boolean
  /** Makes no database where there is none. Default false. */
  mustExist?: boolean
  /** Called just before each COMMIT; a test throws here what a failing disk would. */
  beforeCommit?: () => void
  /** Has the log flushed and copied beside this thread; see `Flush`. Default false: SQLite does both within a COMMIT. */
  flushesAside?: boolean
  /** Makes the log durable where that is done aside; a test hands in a disk that is slow, or fails. */
  flushLog?: WriteAheadLogOptions['flushLog']
  /** How long a commit waits for another process that is writing, in milliseconds. */
  timeoutMs?: number
  /** Called with why a commit, or a writer in it, failed: SQLite, the disk, or a file that is gone. */
  onFailure?: (error: unknown) => void
  /** Called when a commit is durable, where one failed before. */
  onSuccess?: () => void
  /** Called with why a deferred write failed. */
  onDeferredFailure?: (error: unknown) => void
}

/**
 * Who waits for the disk to keep what is committed. `inside`: everybody, since SQLite does it within the COMMIT; whoever awaits
 * the commit goes on in the same turn. `aside`: nobody; what awaits the commit goes on in the same turn too, and awaits
 * `flushed()` before it tells anybody of it.
 */
export type Flush = 'inside' | 'aside'

interface QueuedWrite {
  flush: Flush
  write: () => unknown
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/**
 * After so many milliseconds and writers a transaction takes no further writer: those who are left share the next one, and
 * requests are answered in between.
 */
const maxTransaction = { ms: 10, writers: 64 }

/** A commit waits for a neighbour's process in steps of this length, with requests answered in between. */
const busyRetryMs = 5

/** A long transaction runs so many milliseconds at a time, with requests answered in between. */
const sliceMs = 4

/**
 * The one writing connection. Writers that arrive in the same turn of the event loop share one commit:
 * each runs in a savepoint of its own, so that one that throws leaves its neighbours untouched.
 */
export class Database {
  readonly connection: Connection
  /** Whether no other process can open it until it is closed: the disk had no room for what processes share of the log. */
  readonly isExclusive: boolean
  private readonly beforeCommit: () => void
  private readonly timeoutMs: number
  private readonly listeners: Pick<DatabaseOptions, 'onFailure' | 'onSuccess' | 'onDeferredFailure'>
  private readonly identity: DatabaseFileCheck
  private readonly dataVersion: Sqlite.Statement<[], number>
  private readonly changes: Sqlite.Statement<[], number>
  private seenVersion: number
  private hasFailed = false
  private queue: QueuedWrite[] = []
  private readonly longTransactions: (() => Promise<void>)[] = []
  private deferred: (() => void)[] = []
  private closing: (() => void)[] = []
  private flushing: Promise<void> | null = null
  private readonly changed = new Signal()
  /** Null: SQLite flushes within each COMMIT. */
  private readonly log: WriteAheadLog | null
  private flushMode: Flush = 'inside'
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
    this.log = options.flushesAside && !this.isExclusive ? this.openLog(options) : null
  }

  /**
   * Runs `write` in the next transaction, together with all that were queued beside it.
   * `write` is synchronous, and may read what the writers before it in the same transaction wrote.
   * @returns what `write` returned, once it is committed, and with `inside`, which is the default, durable
   * @throws what `write` threw, or what COMMIT threw; nothing of it is kept then
   */
  commit<T>(write: () => T, flush: Flush = 'inside'): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.queue.push({ flush, write, resolve: resolve as (result: unknown) => void, reject })
      this.schedule()
    })
  }

  /**
   * Resolves when all that has been committed until now survives a power cut.
   * @throws the system's or SQLite's error, when the disk does not keep it; what was committed is seen by all nevertheless
   */
  async flushed(): Promise<void> {
    if (this.log === null || this.log.isDurable) return
    await this.log.flushed()
    this.noteSuccess()
  }

  /**
   * Runs a write that is too long for one turn of the event loop in a transaction of its own. Between its steps requests
   * are answered, which may read what the steps so far have written, and other writers wait. The last step, COMMIT and
   * whoever awaits the result run in one turn.
   * @param begin starts the write; each `next()` of what it returns is one step
   * @returns what the last step returned, once it is durable
   * @throws what a step threw, or what COMMIT threw; nothing of it is kept then
   */
  commitInSteps<T>(begin: () => Iterator<void, T, void>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.longTransactions.push(() => this.runLongTransaction(begin).then(resolve, reject))
      this.schedule()
    })
  }

  /**
   * Runs `write` in a transaction of its own, at once: to take back, in the same turn of the event loop,
   * what the last commit kept and the disk then refused.
   */
  commitNow<T>(write: () => T): T {
    this.connection.pragma(`busy_timeout = ${this.timeoutMs}`)
    try {
      this.identity.requireSame()
      const transact = () => {
        const result = this.trackClosing(write)
        this.beforeCommit()
        return result
      }
      this.setFlush('inside')
      const result = this.reportingFailures(() => this.connection.transaction(transact).immediate())
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

  /** Runs `write` along with the next commit, whenever that is (at the latest on `close`). */
  commitLater(write: () => void): void {
    this.deferred.push(write)
  }

  /**
   * Runs `write` at the end of the transaction that is running, behind all its writers: for what costs much less when it
   * is done for many at once. It belongs to the writer that asks for it, and neither is kept without the other.
   */
  atEnd(write: () => void): void {
    this.closing.push(write)
  }

  /** Whether another process has written since this was asked last. What keeps that from being seen counts as a failure. */
  noticeExternalChange(): boolean {
    const version = this.versionNow()
    if (version === this.seenVersion) return false
    this.seenVersion = version
    this.publish()
    return true
  }

  /**
   * Calls `listener` after every commit, ours and those of others that `foreignChange` notices, in a turn of its own: what a
   * writer does on the disk as soon as its commit is durable has been done then. Commits of one turn are told of once.
   */
  onChange(listener: () => void): void {
    this.changed.listen(listener)
  }

  /**
   * Writes all that the open database holds into a new file, also where its own file is gone. Others are served meanwhile.
   * @throws SqliteError
   */
  async copyTo(path: string): Promise<void> {
    await this.connection.backup(path)
  }

  /** Waits for the writers that are queued, then closes. Deferred writes that cannot be kept are reported, and lost. */
  async close(): Promise<void> {
    if (this.deferred.length > 0) await this.commit(() => {}).catch(() => {})
    // A writer that was answered may have queued another.
    while (this.flushing) await this.flushing
    await this.log?.close().catch((error) => this.noteFailure(error))
    this.connection.close()
  }

  /** Has those told again who listen for changes: what was committed can be seen only now. */
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
        // Whoever listens reads the database, outside of any request.
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
        if (this.queue.length > 0 || this.longTransactions.length > 0) this.schedule()
      })
  }

  private async flush(): Promise<void> {
    const deferred = this.deferred
    this.deferred = []
    for (const write of deferred) {
      this.queue.push({
        flush: 'aside',
        write,
        resolve: () => {},
        reject: (error) => this.listeners.onDeferredFailure?.(error),
      })
    }
    if (this.queue.length === 0) return
    try {
      await this.begin(this.queue.some(({ flush }) => flush === 'inside') ? 'inside' : 'aside')
    } catch (error) {
      const refused = this.queue
      this.queue = []
      this.rejectAll(refused, error)
      return
    }
    const writers: QueuedWrite[] = []
    try {
      const outcomes = this.reportingFailures(() => {
        const outcomes = this.trackClosing(() => this.runBatch(writers))
        this.beforeCommit()
        this.connection.exec('COMMIT')
        return outcomes
      })
      this.log?.noteCommit({ isDurable: this.flushMode === 'inside' })
      // Also where nobody waits for it. What fails has been told.
      void this.flushed().catch(() => {})
      this.publish()
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

  /** What a writer throws to take itself back is no failure of the database. */
  private noteFailure(error: unknown): void {
    if (failureReason(error) === null) return
    this.hasFailed = true
    this.listeners.onFailure?.(error)
  }

  private noteSuccess(): void {
    // A COMMIT after a flush that failed says nothing of what that flush was for.
    if (!this.hasFailed || this.log?.hasLostTrust) return
    this.hasFailed = false
    this.listeners.onSuccess?.()
  }

  /** Runs a transaction, which shows that writing works again where it changed something: without changes nothing is written. */
  private reportingFailures<T>(transact: () => T): T {
    if (!this.hasFailed) return transact()
    const before = this.changes.get()!
    const result = transact()
    if (this.changes.get() !== before) this.noteSuccess()
    return result
  }

  private async runLongTransaction<T>(begin: () => Iterator<void, T, void>): Promise<T> {
    // Whoever was answered by the commit before this one may still have to take it back in this turn.
    await new Promise((resolve) => setImmediate(resolve))
    try {
      await this.begin('inside')
      this.closing = []
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
      for (const close of this.closing) close()
      this.beforeCommit()
      this.connection.exec('COMMIT')
      this.log?.noteCommit({ isDurable: true })
      this.noteSuccess()
      this.publish()
      return step.value
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK')
      // What the disk refuses to a step is said where it is tried.
      if (!(error instanceof DiskError)) this.noteFailure(error)
      throw error
    }
  }

  /**
   * Runs queued writers, and moves them to `taken`; all of them where SQLite gives the transaction up.
   * @returns what settles their promises
   */
  private runBatch(taken: QueuedWrite[]): (() => void)[] {
    const endMs = performance.now() + maxTransaction.ms
    const outcomes: (() => void)[] = []
    const queue = this.queue
    this.queue = []
    try {
      for (const writer of queue) {
        outcomes.push(this.runInSavepoint(writer))
        if (outcomes.length >= maxTransaction.writers && performance.now() >= endMs) break
      }
    } catch (error) {
      taken.push(...queue)
      throw error
    }
    taken.push(...queue.splice(0, outcomes.length))
    this.queue = [...queue, ...this.queue]
    return outcomes
  }

  /** Runs what a transaction does, and then what was put off to its end. */
  private trackClosing<T>(write: () => T): T {
    this.closing = []
    const result = write()
    for (const close of this.closing) close()
    return result
  }

  /**
   * Opens the transaction; another process may be writing, and nobody else waits for it meanwhile.
   * @throws what SQLite throws, also where the other goes on for too long
   */
  private async begin(flush: Flush): Promise<void> {
    for (let waitedMs = 0; ; waitedMs += busyRetryMs) {
      try {
        this.identity.requireSame()
        this.setFlush(flush)
        this.connection.exec('BEGIN IMMEDIATE')
        return
      } catch (error) {
        const isBusy = error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')
        if (!isBusy || waitedMs >= this.timeoutMs) throw error
        await new Promise((resolve) => setTimeout(resolve, busyRetryMs))
      }
    }
  }

  /** Who makes the next transaction durable. Without a log of our own SQLite does. */
  private setFlush(flush: Flush): void {
    if (this.log === null || this.flushMode === flush) return
    this.connection.pragma(`synchronous = ${flush === 'inside' ? 'FULL' : 'NORMAL'}`)
    this.flushMode = flush
  }

  private openLog({ flushLog }: DatabaseOptions): WriteAheadLog {
    // It is copied by a thread of its own.
    this.connection.pragma('wal_autocheckpoint = 0')
    return new WriteAheadLog(this.connection.name, {
      ...(flushLog && { flushLog }),
      onFailure: (error) => this.noteFailure(error),
    })
  }

  /**
   * @returns what settles the writer's promise, once the transaction is durable
   * @throws when SQLite gave the whole transaction up (a full disk): a savepoint would then open a new one
   */
  private runInSavepoint({ write, resolve, reject }: QueuedWrite): () => void {
    this.connection.exec('SAVEPOINT writer')
    const { length } = this.closing
    try {
      const result = write()
      this.connection.exec('RELEASE writer')
      return () => resolve(result)
    } catch (error) {
      if (!this.connection.inTransaction) throw error
      this.connection.exec('ROLLBACK TO writer; RELEASE writer')
      this.closing.length = length
      return () => {
        this.noteFailure(error)
        reject(error)
      }
    }
  }
}

/**
 * Opens the sidecar database. An empty one is given its schema; an older one is brought up to date only where that is asked for.
 * @param path absolute path of the file, made if it is missing
 * @throws SqliteError where the file is no database or cannot be opened; SchemaError, with nothing changed, where it has
 *   another schema than this program
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  const connection = openConnection(path, options)
  return new Database(connection, options)
}

function openConnection(path: string, options: DatabaseOptions): Connection {
  try {
    return openWith(path, options, { isAlone: false })
  } catch (error) {
    if (!isDiskFull(error)) throw error
    return openWith(path, options, { isAlone: true })
  }
}

/** @param how `isAlone`: what processes share of the log is kept in memory, so that no other can open the database meanwhile */
function openWith(
  path: string,
  { migrates = false, mustExist = false }: DatabaseOptions,
  { isAlone }: { isAlone: boolean },
): Connection {
  const connection = new Sqlite(path, { timeout: 5000, fileMustExist: mustExist })
  try {
    if (isAlone) connection.pragma('locking_mode = EXCLUSIVE')
    requireSchema(connection, { migrates })
    connection.pragma('journal_mode = WAL')
    connection.pragma('foreign_keys = ON')
    connection.pragma('cache_size = -32768')
    // What a power cut takes of them is run again: they need not wait for the disk one by one.
    connection.pragma('synchronous = NORMAL')
    migrate(connection)
    connection.pragma('synchronous = FULL')
    // From here on nothing waits inside SQLite, where it would hold up every request: `begin` waits outside.
    connection.pragma('busy_timeout = 0')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Whether the disk has no room for what processes share of the log, 32 kB: without it one process can still read. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && /^SQLITE_(?:IOERR_SHM|FULL)/.test(error.code)
