import { renderHtml } from './html.ts'
import type { JobResult, Task } from './job.ts'
import { running } from './running.ts'

/** The entry of a thread for what most threads never do, and what therefore is loaded with the first such task. */
export function runTask({ job, slot }: Task): JobResult {
  if (job.kind !== 'html') throw new Error(`The job ${job.kind} was handed to what makes HTML`)
  return running(slot, () => {
    try {
      return { kind: 'html', html: renderHtml(job.request, job.isColoured) }
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'too deep' }
      throw error
    }
  })
}
