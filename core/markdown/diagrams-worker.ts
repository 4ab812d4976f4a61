import { drawDiagram, loadLibrary } from './diagrams.ts'
import type { JobResult, Task } from './job.ts'
import { runTimed } from './task-timing.ts'

let library: ReturnType<typeof loadLibrary> | undefined

/** The entry of a thread for drawing. To load what draws is not counted against the budget of a diagram. */
export async function runTask({ job, slot }: Task): Promise<JobResult> {
  if (job.kind !== 'diagram') throw new Error(`The job ${job.kind} was handed to what draws`)
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
