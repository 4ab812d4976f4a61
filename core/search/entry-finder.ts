import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Database } from '../../data/database.ts'
import { loaderArguments, programModule } from '../../data/program.ts'
import type { SearchTable } from '../../data/tables/search.ts'
import { type EntrySearch, type FoundEntry, findEntries } from './find-entries.ts'
import type { ThreadReply, ThreadRequest } from './search-thread.ts'

interface PendingSearch {
  resolve: (found: FoundEntry[]) => void
  reject: (error: unknown) => void
}

/** Searches on a thread with its own connection, so that requests are served meanwhile. */
export class EntryFinder {
  private thread: Worker | null = null
  private readonly pending = new Map<number, PendingSearch>()
  private lastId = 0
  private isClosed = false

  constructor(
    private readonly database: Database,
    private readonly search: SearchTable,
  ) {}

  /** Finds what was committed before the call. @throws SqliteError */
  async find(request: EntrySearch): Promise<FoundEntry[]> {
    if (!this.database.isExclusive && !this.isClosed) {
      try {
        return await this.findOnThread(request)
      } catch {
        // A failing disk fails the search below as well, and is then reported as an error of this connection.
      }
    }
    return findEntries(this.search, request)
  }

  async close(): Promise<void> {
    this.isClosed = true
    const { thread } = this
    if (!thread) return
    const exited = once(thread, 'exit')
    thread.ref()
    this.send(thread, 'close')
    await exited
  }

  private findOnThread(request: EntrySearch): Promise<FoundEntry[]> {
    this.thread ??= this.start()
    const { thread } = this
    const id = ++this.lastId
    return new Promise<FoundEntry[]>((resolve, reject) => {
      this.pending.set(id, { resolve, reject })
      thread.ref()
      this.send(thread, { id, ...request })
    })
  }

  private send(thread: Worker, request: ThreadRequest): void {
    thread.postMessage(request)
  }

  private start(): Worker {
    const thread = new Worker(programModule('core/search/search-thread.ts'), {
      workerData: this.database.connection.name,
      execArgv: [...loaderArguments],
    })
    thread.on('message', (reply: ThreadReply) => this.settle(reply))
    thread.on('error', (error) => this.abandon(thread, error))
    thread.on('exit', () => this.abandon(thread, new Error('The search thread has ended.')))
    return thread
  }

  private settle(reply: ThreadReply): void {
    const pending = this.pending.get(reply.id)
    this.pending.delete(reply.id)
    // An idle thread does not keep the process alive.
    if (this.pending.size === 0) this.thread?.unref()
    if ('error' in reply) pending?.reject(reply.error)
    else pending?.resolve(reply.found)
  }

  private abandon(thread: Worker, error: Error): void {
    if (thread !== this.thread) return
    this.thread = null
    for (const { reject } of this.pending.values()) reject(error)
    this.pending.clear()
  }
}
