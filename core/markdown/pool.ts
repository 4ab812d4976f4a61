import { programModule } from '../../data/program.ts'
import { threadCpuMs } from '../../data/system-thread.ts'
import { finished, type Job, type JobResult, notStarted } from './job.ts'
import { TaskThreads } from './task-threads.ts'

export type Priority = 'answering' | 'background'

/** The content took too long, or more memory or stack than a worker has. The worker was terminated. */
export class BudgetExceededError extends Error {
  readonly reason: 'budget' | 'depth'
  constructor(reason: 'budget' | 'depth') {
    super(
      reason === 'budget'
        ? 'Parsing took longer than its budget'
        : 'Parsing took more memory than a thread has',
    )
    this.name = 'BudgetExceededError'
    this.reason = reason
  }
}

interface PoolOptions {
  /** Processor time of a job in milliseconds, without waiting or starting a worker. */
  budgetMs: number
  /** How long a job may run, since low-priority workers take longer than their work costs. */
  maxRunMs: number
  cores: number
  threads: number
  minThreads: number
}

interface Waiting {
  job: Job
  sinceMs: number
  settle: { resolve(result: JobResult): void; reject(error: Error): void }
}

interface Running {
  slot: number
  /** Counts against `cores`: it has not run long enough to be heavy. */
  isShort: boolean
  budgetMs: number
  firstSample: { ranMs: number; processorMs: number } | null
  timer: NodeJS.Timeout | undefined
  ending: AbortController
}

/** A job that has run this long blocks no others. With a lower limit, a busy machine starts more workers. */
const shortMs = 100

const idleMs = 10_000

/** Enough for 2 MB of prose besides a cached tree (`parse-cache.ts`). Needing more ends only the worker. */
const memoryMb = 300

/** For short-lived objects. V8 would take 48, and keep them. */
const youngMemoryMb = 16

/** Short jobs do not wait for heavy ones, and requests precede background jobs. */
export class WorkerPool {
  readonly #options: PoolOptions
  readonly #startTimes: BigInt64Array
  readonly #threadIds: Int32Array
  readonly #threads: TaskThreads
  readonly #waiting: Record<Priority, Waiting[]> = { answering: [], background: [] }
  readonly #running = new Set<Running>()
  readonly #freeSlots: number[]
  #isClosed = false
  #overBudget = 0

  constructor(options: PoolOptions) {
    this.#options = options
    const { minThreads, threads } = options
    this.#startTimes = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT * threads))
    this.#threadIds = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads))
    this.#freeSlots = Array.from({ length: threads }, (_, slot) => slot)
    this.#threads = new TaskThreads({
      module: entryOf('worker'),
      minThreads,
      idleMs,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: youngMemoryMb },
      workerData: { startTimes: this.#startTimes, threadIds: this.#threadIds },
    })
  }

  /** Runs the job of the earliest request next. @throws BudgetExceededError, except for a plain-text job */
  run(job: Job, priority: Priority, sinceMs = performance.now()): Promise<JobResult> {
    if (this.#isClosed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting[priority]
      const index = waiting.findLastIndex((other) => other.sinceMs <= sinceMs) + 1
      waiting.splice(index, 0, { job, sinceMs, settle: { resolve, reject } })
      this.#startNext()
    })
  }

  get waiting(): number {
    return this.#waiting.answering.length + this.#waiting.background.length
  }

  get running(): number {
    return this.#running.size
  }

  get overBudget(): number {
    return this.#overBudget
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of [...this.#waiting.answering.splice(0), ...this.#waiting.background.splice(0)]) {
      settle.reject(closedError())
    }
    for (const { ending } of this.#running) ending.abort()
    await this.#threads.close()
  }

  #startNext(): void {
    while (this.#freeSlots.length > 0 && this.#shortJobs() < this.#options.cores) {
      const next = this.#waiting.answering.shift() ?? this.#waiting.background.shift()
      if (!next) return
      this.#start(next)
    }
  }

  #shortJobs(): number {
    let count = 0
    for (const { isShort } of this.#running) if (isShort) count++
    return count
  }

  async #start({ job, settle }: Waiting): Promise<void> {
    const running: Running = {
      slot: this.#freeSlots.pop()!,
      isShort: true,
      budgetMs: isPlainJob(job) ? Infinity : this.#options.budgetMs,
      firstSample: null,
      timer: undefined,
      ending: new AbortController(),
    }
    this.#running.add(running)
    Atomics.store(this.#startTimes, running.slot, notStarted)
    this.#watch(running)
    try {
      const task = { job, slot: running.slot }
      const module = entryOf(entries[job.kind] ?? 'worker')
      settle.resolve(await this.#threads.run(task, module, running.ending.signal))
    } catch (error) {
      settle.reject(this.#failure(error, running))
    } finally {
      clearTimeout(running.timer)
      this.#running.delete(running)
      this.#freeSlots.push(running.slot)
      this.#startNext()
    }
  }

  #watch(running: Running): void {
    const ranMs = this.#ranMs(running)
    const spentMs = this.#spentMs(running, ranMs)
    if (spentMs >= running.budgetMs) {
      this.#overBudget += 1
      running.ending.abort()
      return
    }
    if (running.isShort && ranMs >= shortMs) {
      running.isShort = false
      this.#startNext()
    }
    const nextMs = Math.min(running.isShort ? shortMs - ranMs : Infinity, running.budgetMs - spentMs)
    if (nextMs === Infinity) return
    running.timer = setTimeout(() => this.#watch(running), Math.max(1, Math.ceil(nextMs)))
  }

  #ranMs({ slot }: Running): number {
    const startedNs = Atomics.load(this.#startTimes, slot)
    if (startedNs === notStarted || startedNs === finished) return 0
    return Number(process.hrtime.bigint() - startedNs) / 1e6
  }

  /** Used budget in milliseconds; elapsed time if the system does not report processor time. */
  #spentMs(running: Running, ranMs: number): number {
    if (ranMs === 0 || ranMs >= this.#options.maxRunMs) return ranMs
    const cpuMs = threadCpuMs(Atomics.load(this.#threadIds, running.slot))
    if (cpuMs === null) return ranMs
    running.firstSample ??= { ranMs, processorMs: cpuMs }
    return running.firstSample.ranMs + cpuMs - running.firstSample.processorMs
  }

  #failure(error: unknown, { ending }: Running): Error {
    if (this.#isClosed) return closedError()
    if (ending.signal.aborted) return new BudgetExceededError('budget')
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return new BudgetExceededError('depth')
    }
    return error instanceof Error ? error : new Error(String(error))
  }
}

type EntryName = 'worker' | 'html/html-worker' | 'differences-worker' | 'diagrams-worker'

const entries: Partial<Record<Job['kind'], EntryName>> = {
  html: 'html/html-worker',
  htmls: 'html/html-worker',
  'text parts': 'html/html-worker',
  differences: 'differences-worker',
  diagram: 'diagrams-worker',
}

function entryOf(name: EntryName): string {
  return programModule(`core/markdown/${name}.ts`).href
}

function isPlainJob(job: Job): boolean {
  if (job.kind === 'html') return job.request.isPlain
  return job.kind === 'analyse' && job.plain !== null
}

function closedError(): Error {
  return new Error('The markdown service is closed')
}
