import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { analyse } from './analyse.ts'
import { writeBlock } from './block-write.ts'
import { finished, type Job, type JobResult, type Task } from './job.ts'
import type { Analysis } from './types.ts'
import { renderView } from './views.ts'

/** Shared with the pool: when the task in each slot began to run. */
const beginnings: BigInt64Array = workerData.beginnings

/** The entry of a thread: does one job. Content makes it fail only by ending the thread. */
export function runTask({ job, slot }: Task) {
  Atomics.store(beginnings, slot, process.hrtime.bigint())
  try {
    const result = perform(job)
    return result.kind === 'analysis' ? moving(result) : result
  } finally {
    Atomics.store(beginnings, slot, finished)
  }
}

function perform(job: Job): JobResult {
  if (job.kind === 'analyse') return analyse(job.request, job.plain)
  try {
    return job.kind === 'view' ? { kind: 'view', text: renderView(job.request) } : writeBlock(job.request)
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too deep' }
    throw error
  }
}

/** Hands the bytes over instead of copying them on the thread that answers. */
function moving(analysis: Analysis) {
  const stored = ownedCopy(analysis.stored)
  const compressed = ownedCopy(analysis.compressed)
  return move({
    [transferableSymbol]: [stored.buffer, compressed.buffer],
    [valueSymbol]: { ...analysis, stored, compressed },
  })
}

/** A small Buffer shares its memory with others, and memory is handed over whole. */
function ownedCopy(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}
