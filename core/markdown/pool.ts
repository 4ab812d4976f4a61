import { platform } from 'node:os'
import { Piscina } from 'piscina'
import { loaderArguments, programModule } from '../../data/program.ts'
import { threadCpuMs } from '../../data/thread-cpu-time.ts'
import { finished, type Job, type JobResult, notStarted, type Task } from './job.ts'

export type Priority = 'answering' | 'background'

/** The content took too long, or more memory or stack than a thread has. Its thread was ended. */
export class BudgetExceededError extends Error {
  readonly reason: 'budget' | 'depth'
  constructor(reason: 'budget' | 'depth') {
    super(
      reason === 'budget'
        ? 'Parsing took longer than its budget'
        : 'Parsing took more memory than a thread has',
    )
    this.name = 'TooCostlyError'
    this.reason = reason
  }
}

interface PoolOptions {
  /** Milliseconds of a processor that a job may take; waiting and the start of a thread do not count. */
  budgetMs: number
  /** Jobs that run side by side while all of them are short. */
  cores: number
  /** Threads at most. */
  threads: number
  /** Threads that stay loaded while there is nothing to do. */
  kept: number
}

interface Waiting {
  job: Job
  sinceMs: number
  settle: { resolve(result: JobResult): void; reject(error: Error): void }
}

interface Running {
  slot: number
  /** Counts against `cores`: it has not run long enough to be taken for a heavy one. */
  isShort: boolean
  budgetMs: number
  /** What had been when its processor time was first looked at. */
  first: { ranMs: number; processorMs: number } | null
  timer: NodeJS.Timeout | undefined
  ending: AbortController
}

/**
 * A job that has run for so long no longer keeps others from running. Not shorter: a busy machine would be given more
 * threads for it, each of which has yet to be compiled by V8 and takes five times as long.
 */
const shortMs = 100

/**
 * A thread that gives way to others on a busy machine takes longer for its work than the work costs; but nobody waits for
 * more than so many budgets.
 */
const maxBudgetFactor = 10

/** Idle threads beyond those that are kept are ended after this time. */
const idleMs = 10_000

/** Of one thread: 2 MB of prose fit beside a tree that is held (`recent-parses.ts`). What needs more ends the thread alone. */
const memoryMb = 300

/**
 * So much lower than the thread that answers: markdown takes the processor time that is left. Only Linux lowers one
 * thread; elsewhere it would be the process.
 */
const niceness = 10

/**
 * piscina tries to `require` the module first, and Node 20 brings the whole process down when a thread is ended while it
 * requires an ES module. Where it cannot be required it is imported.
 */
const loadByImport = ['--no-experimental-require-module']

/**
 * Runs jobs on threads, each within a budget. Short jobs do not wait behind heavy ones, and those that somebody waits
 * for go before those in the background.
 */
export class WorkerPool {
  readonly #options: PoolOptions
  readonly #beginnings: BigInt64Array
  readonly #threadIds: Int32Array
  readonly #threads: Piscina<Task, JobResult>
  readonly #waiting: Record<Priority, Waiting[]> = { answering: [], background: [] }
  readonly #running = new Set<Running>()
  readonly #freeSlots: number[]
  #isClosed = false
  #overBudget = 0

  constructor(options: PoolOptions) {
    this.#options = options
    const { kept, threads } = options
    this.#beginnings = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT * threads))
    this.#threadIds = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * threads))
    this.#freeSlots = Array.from({ length: threads }, (_, slot) => slot)
    this.#threads = new Piscina({
      filename: entryOf('worker'),
      name: 'runTask',
      execArgv: [...loaderArguments, ...loadByImport],
      minThreads: kept,
      maxThreads: threads,
      idleTimeout: idleMs,
      niceIncrement: platform() === 'linux' ? niceness : 0,
      recordTiming: false,
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
      workerData: { startTimes: this.#beginnings, threadIds: this.#threadIds },
    })
    // A thread that dies between two jobs has been replaced by then; one that dies in a job fails that job.
    this.#threads.on('error', () => {})
  }

  /**
   * @param sinceMs since when somebody waits for it (`performance.now()`): of those that wait the earliest is next
   * @throws TooCostlyError when the content was too much. A job that keeps its file as plain text takes time in
   * proportion to its length, and has no budget.
   */
  run(job: Job, priority: Priority, sinceMs = performance.now()): Promise<JobResult> {
    if (this.#isClosed) return Promise.reject(closedError())
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting[priority]
      const place = waiting.findLastIndex((other) => other.sinceMs <= sinceMs) + 1
      waiting.splice(place, 0, { job, sinceMs, settle: { resolve, reject } })
      this.#startNext()
    })
  }

  /** Jobs that no thread has begun. */
  get waiting(): number {
    return this.#waiting.answering.length + this.#waiting.background.length
  }

  /** Jobs that were given to a thread. */
  get running(): number {
    return this.#running.size
  }

  /** Jobs that were cut off since they used up their budget. */
  get overBudget(): number {
    return this.#overBudget
  }

  /** Ends the threads; jobs that wait or run fail. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const { settle } of [...this.#waiting.answering.splice(0), ...this.#waiting.background.splice(0)]) {
      settle.reject(closedError())
    }
    for (const { ending } of this.#running) ending.abort()
    await this.#threads.destroy()
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
      first: null,
      timer: undefined,
      ending: new AbortController(),
    }
    this.#running.add(running)
    Atomics.store(this.#beginnings, running.slot, notStarted)
    this.#watch(running)
    try {
      const task = { job, slot: running.slot }
      const filename = entryOf(entries[job.kind] ?? 'worker')
      settle.resolve(await this.#threads.run(task, { filename, signal: running.ending.signal }))
    } catch (error) {
      settle.reject(this.#failure(error, running))
    } finally {
      clearTimeout(running.timer)
      this.#running.delete(running)
      this.#freeSlots.push(running.slot)
      this.#startNext()
    }
  }

  /** Looks again when the job stops being short, and when its budget is used up. */
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

  /** Milliseconds that a job has run: none while its thread is being started, or has done with it. */
  #ranMs({ slot }: Running): number {
    const began = Atomics.load(this.#beginnings, slot)
    if (began === notStarted || began === finished) return 0
    return Number(process.hrtime.bigint() - began) / 1e6
  }

  /** How much of its budget it has spent, in milliseconds. Where the system does not tell, all time in which it ran counts. */
  #spentMs(running: Running, ranMs: number): number {
    if (ranMs === 0 || ranMs >= running.budgetMs * maxBudgetFactor) return ranMs
    const hadMs = threadCpuMs(Atomics.load(this.#threadIds, running.slot))
    if (hadMs === null) return ranMs
    running.first ??= { ranMs, processorMs: hadMs }
    return running.first.ranMs + hadMs - running.first.processorMs
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

type EntryName = 'worker' | 'html-worker' | 'differences-worker' | 'diagrams-worker'

/** What most threads never do has entries of its own, each loaded with the first such job. */
const entries: Partial<Record<Job['kind'], EntryName>> = {
  html: 'html-worker',
  htmls: 'html-worker',
  differences: 'differences-worker',
  diagram: 'diagrams-worker',
}

/** The module that a thread runs. */
function entryOf(name: EntryName): string {
  return programModule(`core/markdown/${name}.ts`).href
}

/** Such a job takes time in proportion to its length, whatever it holds. */
function isPlainJob(job: Job): boolean {
  if (job.kind === 'html') return job.request.isPlain
  return job.kind === 'analyse' && job.plain !== null
}

function closedError(): Error {
  return new Error('The markdown service is closed')
}
