import { parentPort } from 'node:worker_threads'
import { lowerThreadPriority } from '../../data/system-thread.ts'
import { type JobResult, MovedResult, type Task } from './job.ts'

/** First without a task, to load the module. @property module the URL of the module whose `runTask` runs it */
export interface ThreadRequest {
  module: string
  task: Task | null
}

/** Null once the module is loaded. */
export type ThreadReply = { result: JobResult } | { error: unknown } | null

interface TaskModule {
  runTask(task: Task): JobResult | MovedResult | Promise<JobResult | MovedResult>
}

/** Threads have lower priority than the main thread. */
const niceness = 10

lowerThreadPriority(niceness)
parentPort!.on('message', async ({ module, task }: ThreadRequest) => {
  const { runTask }: TaskModule = await import(module)
  if (!task) {
    reply(null)
    return
  }
  try {
    const result = await runTask(task)
    if (result instanceof MovedResult) reply({ result: result.result }, result.buffers)
    else reply({ result })
  } catch (error) {
    reply({ error })
  }
})

function reply(message: ThreadReply, moved: ArrayBuffer[] = []): void {
  parentPort!.postMessage(message, moved)
}
