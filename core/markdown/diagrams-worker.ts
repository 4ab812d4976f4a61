import { drawDiagram, loadLibrary } from './diagrams.ts'
import type { JobResult, Task } from './job.ts'
import { runTimed } from './task-timing.ts'

let library: ReturnType<typeof loadLibrary> | undefined

/** Loading the library does not count against a diagram's budget. */
export async function runTask({ job, slot }: Task): Promise<JobResult> {
  if (job.kind !== 'diagram') throw new Error(`The job ${job.kind} was sent to the diagram worker`)
  library ??= loadLibrary()
  const opened = await library
  return runTimed(slot, () => {
    try {
      return { kind: 'diagram', diagram: drawDiagram(opened, job.source) }
    } catch (error) {
      if (error instanceof RangeError) return { kind: 'too deep' }
      throw error
    }
  })
}
