import type { JobResult, Task } from '../job.ts'
import { runTimed } from '../task-timing.ts'
import type { Html, HtmlRequest } from '../types.ts'
import { renderHtml } from './render-html.ts'
import { textParts } from './text-parts.ts'

export function runTask({ job, slot }: Task): JobResult {
  return runTimed(slot, () => {
    if (job.kind === 'htmls') {
      return { kind: 'htmls', htmls: job.requests.map((request) => renderOrNull(request, true)) }
    }
    if (job.kind === 'text parts') return splitText(job.request)
    if (job.kind !== 'html') throw new Error(`The job ${job.kind} was sent to the HTML worker`)
    const html = renderOrNull(job.request, job.isColoured)
    return html ? { kind: 'html', html } : { kind: 'too deep' }
  })
}

function splitText(request: HtmlRequest): JobResult {
  try {
    return { kind: 'text parts', parts: textParts(request) }
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too deep' }
    throw error
  }
}

function renderOrNull(request: HtmlRequest, isColoured: boolean): Html | null {
  try {
    return renderHtml(request, isColoured)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
