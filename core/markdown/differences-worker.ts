import type { JobResult, Task } from './job.ts'
import { runTimed } from './task-timing.ts'
import { diffTexts } from './text-diff.ts'

export function runTask({ job, slot }: Task): JobResult {
  if (job.kind !== 'differences') throw new Error(`The job ${job.kind} was sent to the diff worker`)
  return runTimed(slot, () => ({ kind: 'differences', differences: diffTexts(job.request) }))
}
