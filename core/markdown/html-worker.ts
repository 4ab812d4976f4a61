import { renderHtml } from './html.ts'
import type { JobResult, Task } from './job.ts'
import { runTimed } from './task-timing.ts'
import type { Html, HtmlRequest } from './types.ts'

export function runTask({ job, slot }: Task): JobResult {
  return runTimed(slot, () => {
    if (job.kind === 'htmls') {
      return { kind: 'htmls', htmls: job.requests.map((request) => rendered(request, true)) }
    }
    if (job.kind !== 'html') throw new Error(`The job ${job.kind} was handed to what makes HTML`)
    const html = rendered(job.request, job.isColoured)
    return html ? { kind: 'html', html } : { kind: 'too deep' }
  })
}

/** Null if it nests too deep. */
function rendered(request: HtmlRequest, isColoured: boolean): Html | null {
  try {
    return renderHtml(request, isColoured)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
