import { analyse } from './analyse.ts'
import { analyseAll } from './analyse-all.ts'
import { writeBlock } from './block-write.ts'
import { applyEdits } from './edits.ts'
import { type CachedFragment, withUsedFragments } from './fragment-cache.ts'
import { type Job, type JobResult, MovedResult, type Task } from './job.ts'
import { runTimed } from './task-timing.ts'
import type { Analysis } from './types.ts'
import { headingsIn, renderView } from './views.ts'

export function runTask({ job, slot }: Task): JobResult | MovedResult {
  return runTimed(slot, () => {
    const { result, fragments } = withUsedFragments(() => perform(job))
    return result.kind === 'analysis' ? transfer(result, fragments) : result
  })
}

function perform(job: Job): JobResult {
  if (job.kind === 'analyse') return analyse(job.request, job.plain)
  if (job.kind === 'analyse all') return { kind: 'analysed all', ...analyseAll(job.files) }
  if (job.kind === 'html' || job.kind === 'htmls' || job.kind === 'text parts')
    throw new Error('HTML has an entry of its own')
  if (job.kind === 'differences') throw new Error('Comparing has an entry of its own')
  if (job.kind === 'diagram') throw new Error('Drawing has an entry of its own')
  try {
    if (job.kind === 'edit') return applyEdits(job.request)
    if (job.kind === 'headings') return { kind: 'headings', headings: headingsIn(job.text) }
    return job.kind === 'view' ? { kind: 'view', text: renderView(job.request) } : writeBlock(job.request)
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'too deep' }
    throw error
  }
}

function transfer(analysis: Analysis, fragments: CachedFragment[]): MovedResult {
  const stored = ownedCopy(analysis.stored)
  const compressed = ownedCopy(analysis.compressed)
  const packedText = ownedCopy(analysis.packedText)
  const moved = { ...analysis, stored, compressed, packedText }
  const buffers = [stored.buffer, compressed.buffer, packedText.buffer]
  return new MovedResult({ kind: 'analysed', analysis: moved, fragments }, buffers)
}

/** A small Buffer shares its memory with others, and a transfer takes all of it. */
function ownedCopy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes)
}
