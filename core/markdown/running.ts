import { workerData } from 'node:worker_threads'
import { finished } from './job.ts'

/** Shared with the pool: when the task in each slot began to run. */
const beginnings: BigInt64Array = workerData.beginnings

/** On a thread: does the work of a task, and lets the pool see how long it takes. */
export function running<Result>(slot: number, work: () => Result): Result {
  Atomics.store(beginnings, slot, process.hrtime.bigint())
  try {
    return work()
  } finally {
    Atomics.store(beginnings, slot, finished)
  }
}
