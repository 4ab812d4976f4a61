import type { CheckedStamp } from '../../../data/tables/documents.ts'

/** Most file systems' stamps have the resolution of the kernel's tick; some old ones, a second. */
const granularityMs = 20
const coarseGranularityMs = 2000

/** The file changed within a tick of its last stat, so that an equal stat could hide a change. */
export function isRacy(stamp: Pick<CheckedStamp, 'mtimeMs' | 'ctimeMs' | 'lookedMs'>): boolean {
  const isCoarse = stamp.ctimeMs % 1000 === 0 && stamp.mtimeMs % 1000 === 0
  return stamp.ctimeMs + (isCoarse ? coarseGranularityMs : granularityMs) >= stamp.lookedMs
}
