import { workerData } from 'node:worker_threads'
import { systemThreadId } from '../../data/system-thread.ts'
import { finished } from './job.ts'

/** Shared with the pool: when the task in each slot began, and on which thread. */
const { startTimes, threadIds }: { startTimes: BigInt64Array; threadIds: Int32Array } = workerData
const threadId = systemThreadId() ?? 0

export function runTimed<Result>(slot: number, work: () => Result): Result {
  Atomics.store(threadIds, slot, threadId)
  Atomics.store(startTimes, slot, process.hrtime.bigint())
  try {
    return work()
  } finally {
    Atomics.store(startTimes, slot, finished)
  }
}
