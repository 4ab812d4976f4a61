import { TimeSlice } from '../../../data/scheduling/time-slice.ts'

export type Priority = 'answering' | 'background'

export interface IngestJob {
  readonly path: string
  readonly priority: Priority
  readonly done: Promise<void>
}

interface Entry extends IngestJob {
  priority: Priority
  state: 'queued' | 'waiting' | 'running'
  isStale: boolean
  timer: NodeJS.Timeout | null
  resolve(): void
  reject(error: unknown): void
}

const maxRunning: Record<Priority, number> = { answering: 8, background: 192 }

interface IngestQueueDeps {
  /** @returns milliseconds until the next check; null when done */
  ingest(job: IngestJob): Promise<number | null>
  onEnd(job: IngestJob): void
}

/** Queues each path once. Runs in slices of a few milliseconds; jobs for requests have their own workers. */
export class IngestQueue {
  private readonly entries = new Map<string, Entry>()
  private readonly queued: Record<Priority, Entry[]> = { answering: [], background: [] }
  private readonly running: Record<Priority, number> = { answering: 0, background: 0 }
  private readonly slices: Record<Priority, TimeSlice> = {
    answering: new TimeSlice(),
    background: new TimeSlice(),
  }
  private isStopped = false
  private endedCount = 0

  constructor(private readonly deps: IngestQueueDeps) {}

  /** Queues a path that is being ingested again. Resolves when it has been ingested. */
  add(path: string, priority: Priority): Promise<void> {
    if (this.isStopped) return Promise.resolve()
    const existing = this.entries.get(path)
    if (existing) {
      if (existing.state === 'running') existing.isStale = true
      if (priority === 'answering' && existing.priority === 'background') this.prioritize(existing)
      return existing.done
    }
    const entry = newEntry(path, priority)
    this.entries.set(path, entry)
    this.enqueue(entry)
    return entry.done
  }

  get counts(): { queued: number; ended: number } {
    return { queued: this.entries.size, ended: this.endedCount }
  }

  has(path: string): boolean {
    return this.entries.has(path)
  }

  /** A request may wait for a job that began in the background. */
  isWaitedFor(path: string): boolean {
    return this.entries.get(path)?.priority === 'answering'
  }

  jobs(): Iterable<IngestJob> {
    return this.entries.values()
  }

  async stop(): Promise<void> {
    this.isStopped = true
    for (const entry of [...this.entries.values()]) {
      if (entry.state === 'running') continue
      if (entry.timer) clearTimeout(entry.timer)
      this.end(entry)
      entry.resolve()
    }
    await Promise.allSettled([...this.entries.values()].map(({ done }) => done))
  }

  private prioritize(entry: Entry): void {
    entry.priority = 'answering'
    if (entry.timer) clearTimeout(entry.timer)
    entry.timer = null
    if (entry.state !== 'running') this.enqueue(entry)
  }

  private enqueue(entry: Entry): void {
    entry.state = 'queued'
    this.queued[entry.priority].push(entry)
    this.startWorker(entry.priority)
  }

  private startWorker(priority: Priority): void {
    if (this.running[priority] === maxRunning[priority]) return
    this.running[priority] += 1
    void this.runWorker(priority)
  }

  private async runWorker(priority: Priority): Promise<void> {
    const slice = this.slices[priority]
    for (;;) {
      while (slice.isOver) await slice.pause()
      const entry = this.queued[priority].shift()
      if (!entry) {
        // Synchronously, so that the next job to be queued starts a worker.
        this.running[priority] -= 1
        return
      }
      if (entry.state !== 'queued' || entry.priority !== priority) continue
      entry.state = 'running'
      entry.isStale = false
      await this.runJob(entry)
    }
  }

  private async runJob(entry: Entry): Promise<void> {
    try {
      const retryAfterMs = await this.deps.ingest(entry)
      if (retryAfterMs === null && !entry.isStale) {
        this.end(entry)
        entry.resolve()
      } else if (this.isStopped) {
        this.end(entry)
        entry.resolve()
      } else this.requeueAfter(entry, retryAfterMs ?? 0)
    } catch (error) {
      this.end(entry)
      entry.reject(error)
    }
  }

  private requeueAfter(entry: Entry, ms: number): void {
    entry.state = 'waiting'
    if (ms === 0) {
      this.enqueue(entry)
      return
    }
    entry.timer = setTimeout(() => {
      entry.timer = null
      this.enqueue(entry)
    }, ms)
  }

  private end(entry: Entry): void {
    this.entries.delete(entry.path)
    this.endedCount += 1
    this.deps.onEnd(entry)
  }
}

function newEntry(path: string, priority: Priority): Entry {
  let resolve = () => {}
  let reject: (error: unknown) => void = () => {}
  const done = new Promise<void>((fulfil, fail) => {
    resolve = fulfil
    reject = fail
  })
  // A failure is handled by the requests that wait, if any.
  done.catch(() => {})
  return { path, priority, done, state: 'queued', isStale: false, timer: null, resolve, reject }
}
