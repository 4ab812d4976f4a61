import { type ResourceLimits, Worker } from 'node:worker_threads'
import { loaderArguments, programModule } from '../../data/program.ts'
import type { JobResult, Task } from './job.ts'
import type { ThreadReply, ThreadRequest } from './task-thread.ts'

interface ThreadOptions {
  /** The URL of the module that a thread loads when it starts. */
  module: string
  minThreads: number
  /** How long a thread beyond `minThreads` is kept without a task. */
  idleMs: number
  resourceLimits: ResourceLimits
  workerData: unknown
}

interface WaitingTask {
  request: ThreadRequest
  resolve(result: JobResult): void
  reject(error: unknown): void
}

interface Thread {
  worker: Worker
  isLoaded: boolean
  task: WaitingTask | null
  idleTimer: NodeJS.Timeout | undefined
}

/** Runs tasks on threads, one at a time on each, and starts a thread for a task that finds none idle. */
export class TaskThreads {
  readonly #options: ThreadOptions
  /** In the order of their start: the earliest idle one is used, since it has done the most work. */
  readonly #threads = new Set<Thread>()
  readonly #waiting: WaitingTask[] = []

  constructor(options: ThreadOptions) {
    this.#options = options
    this.#keepMinimum()
  }

  /**
   * @param module the URL of the module whose `runTask` runs it
   * @throws the signal's reason when it is aborted, which ends the thread; else what ended the task or its thread
   */
  run(task: Task, module: string, signal: AbortSignal): Promise<JobResult> {
    return new Promise((resolve, reject) => {
      const waiting: WaitingTask = { request: { module, task }, resolve, reject }
      signal.addEventListener('abort', () => this.#abort(waiting, signal.reason), { once: true })
      this.#waiting.push(waiting)
      this.#assign()
    })
  }

  /** Ends all threads, and rejects their tasks. */
  async close(): Promise<void> {
    const ended = [...this.#threads].map((thread) => this.#end(thread, new Error('The threads are closed')))
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The threads are closed'))
    await Promise.all(ended)
  }

  #assign(): void {
    for (const thread of this.#threads) {
      if (this.#waiting.length === 0) return
      if (thread.isLoaded && !thread.task) this.#give(thread, this.#waiting.shift()!)
    }
    const loading = [...this.#threads].filter(({ isLoaded }) => !isLoaded)
    for (const { worker } of loading.slice(0, this.#waiting.length)) worker.ref()
    for (let started = loading.length; started < this.#waiting.length; started++) this.#start().ref()
  }

  #give(thread: Thread, task: WaitingTask): void {
    clearTimeout(thread.idleTimer)
    thread.task = task
    thread.worker.ref()
    thread.worker.postMessage(task.request)
  }

  #keepMinimum(): void {
    while (this.#threads.size < this.#options.minThreads) this.#start()
  }

  #start(): Worker {
    const { module, resourceLimits, workerData } = this.#options
    const worker = new Worker(programModule('core/markdown/task-thread.ts'), {
      execArgv: [...loaderArguments],
      resourceLimits,
      workerData,
    })
    const thread: Thread = { worker, isLoaded: false, task: null, idleTimer: undefined }
    this.#threads.add(thread)
    worker.on('message', (reply: ThreadReply) => this.#receive(thread, reply))
    worker.on('messageerror', (error) => this.#lose(thread, error))
    worker.on('error', (error) => this.#lose(thread, error))
    worker.on('exit', (code) => this.#lose(thread, new Error(`The thread exited with code ${code}`)))
    worker.postMessage({ module, task: null } satisfies ThreadRequest)
    // An idle thread does not keep the process alive.
    worker.unref()
    return worker
  }

  #receive(thread: Thread, reply: ThreadReply): void {
    // Its reply may arrive after it was ended.
    if (!this.#threads.has(thread)) return
    const { task } = thread
    thread.isLoaded = true
    thread.task = null
    thread.worker.unref()
    if (reply && 'result' in reply) task!.resolve(reply.result)
    else if (reply) task!.reject(reply.error)
    this.#assign()
    if (!thread.task && this.#threads.size > this.#options.minThreads) this.#endIfIdle(thread)
  }

  #endIfIdle(thread: Thread): void {
    thread.idleTimer = setTimeout(() => {
      if (this.#threads.size > this.#options.minThreads) this.#end(thread)
    }, this.#options.idleMs).unref()
  }

  #abort(task: WaitingTask, reason: unknown): void {
    const index = this.#waiting.indexOf(task)
    if (index >= 0) {
      this.#waiting.splice(index, 1)
      task.reject(reason)
      return
    }
    for (const thread of this.#threads) if (thread.task === task) void this.#end(thread, reason)
    this.#keepMinimum()
  }

  /** A thread ended by itself: it is replaced, unless it could not load, which another would not either. */
  #lose(thread: Thread, error: unknown): void {
    if (!this.#threads.has(thread)) return
    void this.#end(thread, error)
    if (thread.isLoaded) this.#keepMinimum()
    else this.#waiting.shift()?.reject(error)
    this.#assign()
  }

  #end(thread: Thread, reason?: unknown): Promise<unknown> {
    this.#threads.delete(thread)
    clearTimeout(thread.idleTimer)
    thread.task?.reject(reason)
    return thread.worker.terminate()
  }
}
