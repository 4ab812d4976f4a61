import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CheckpointMode, CheckpointReply } from './checkpoint-thread.ts'
import { loaderArguments, programModule } from './program.ts'
import { syncFolder } from './tree/fsync.ts'

export interface WriteAheadLogOptions {
  flushLog?: (log: FileHandle) => Promise<void>
  onFailure: (error: unknown) => void
}

type Checkpointed = Exclude<CheckpointReply, { error: unknown }>

const commitsPerCheckpoint = 100
/** In frames of 4 kB. A longer log is copied completely, blocking writers for the last part. */
const maxFrames = 16_384

/**
 * Flushes and checkpoints on other threads: on a busy disk both take seconds, for which SQLite would block in
 * COMMIT. Opens the log alone, because closing the database would release SQLite's locks.
 */
export class WriteAheadLog {
  private file: Promise<FileHandle> | null = null
  private commits = 0
  private durableCommits = 0
  private flushing: Promise<void> | null = null
  private nextFlush: Promise<void> | null = null
  private flushFailure: Error | null = null
  private copiedCommits = 0
  private checkpointing: Promise<void> | null = null
  private thread: Worker | null = null
  private lastCheckpoint: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly databasePath: string,
    private readonly options: WriteAheadLogOptions,
  ) {}

  /** Whether a flush has failed, and the database has not been written and flushed since. */
  get hasFailedFlush(): boolean {
    return this.flushFailure !== null
  }

  noteCommit({ isDurable }: { isDurable: boolean }): void {
    this.commits += 1
    if (isDurable && !this.hasFailedFlush) this.durableCommits = this.commits
    if (this.commits - this.copiedCommits >= commitsPerCheckpoint) this.checkpointSoon()
  }

  get isDurable(): boolean {
    return this.durableCommits === this.commits
  }

  /** Concurrent callers share a flush. @throws the system's error if log and database cannot be written */
  flushed(): Promise<void> {
    if (this.isDurable) return Promise.resolve()
    // A running flush may have begun before the last commit.
    this.nextFlush ??= (this.flushing ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.nextFlush = null
        this.flushing = this.flush().finally(() => {
          this.flushing = null
        })
        return this.flushing
      })
    return this.nextFlush
  }

  /** Makes everything durable and releases the log. Must be called before the database is closed. */
  async close(): Promise<void> {
    try {
      await this.flushed()
    } finally {
      await this.checkpointing
      await this.stopThread()
      await (await this.file?.catch(() => null))?.close()
    }
  }

  private async flush(): Promise<void> {
    const { commits } = this
    try {
      // A later flush may succeed without having written what an earlier one did not.
      if (this.flushFailure) throw this.flushFailure
      await this.flushFile()
    } catch (error) {
      if (!this.flushFailure) this.options.onFailure(error)
      this.flushFailure = error as Error
      // What is in the database and flushed there needs no log.
      const outcome = await this.checkpoint('TRUNCATE')
      if (outcome.isBusy) throw error
      this.flushFailure = null
    }
    this.durableCommits = Math.max(this.durableCommits, commits)
  }

  private async flushFile(): Promise<void> {
    this.file ??= this.open()
    const { flushLog = (log) => log.datasync() } = this.options
    try {
      await flushLog(await this.file)
    } catch (error) {
      this.file.then((file) => file.close()).catch(() => {})
      this.file = null
      throw error
    }
  }

  private async open(): Promise<FileHandle> {
    const file = await open(`${this.databasePath}-wal`, 'r+')
    // Makes the log's name durable, which the first commit created.
    await syncFolder(dirname(this.databasePath))
    return file
  }

  private checkpointSoon(): void {
    this.checkpointing ??= this.copyLog()
      .catch((error) => this.options.onFailure(error))
      .finally(() => {
        this.checkpointing = null
      })
  }

  private async copyLog(): Promise<void> {
    this.copiedCommits = this.commits
    const { frames } = await this.checkpoint('PASSIVE')
    if (frames > maxFrames) await this.checkpoint('TRUNCATE')
  }

  private checkpoint(mode: CheckpointMode): Promise<Checkpointed> {
    const checkpointed = this.lastCheckpoint.catch(() => {}).then(() => this.requestCheckpoint(mode))
    this.lastCheckpoint = checkpointed
    return checkpointed
  }

  private async requestCheckpoint(mode: CheckpointMode): Promise<Checkpointed> {
    const thread = this.thread ?? this.startThread()
    this.thread = thread
    thread.ref()
    thread.postMessage(mode)
    try {
      // Throws an error of the thread; the next checkpoint starts a new one.
      const [reply] = (await once(thread, 'message')) as [CheckpointReply]
      if ('error' in reply) throw new Sqlite.SqliteError(reply.error.message, reply.error.code)
      return reply
    } finally {
      // An idle thread does not keep the process alive.
      thread.unref()
    }
  }

  private startThread(): Worker {
    const thread = new Worker(programModule('data/checkpoint-thread.ts'), {
      workerData: this.databasePath,
      execArgv: [...loaderArguments],
    })
    thread.once('error', () => {
      this.thread = null
    })
    return thread
  }

  private async stopThread(): Promise<void> {
    const { thread } = this
    this.thread = null
    if (!thread) return
    thread.ref()
    thread.postMessage('close')
    await once(thread, 'exit')
  }
}
