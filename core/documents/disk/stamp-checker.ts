import type { CheckedStamp, DocumentRecord } from '../../../data/tables/documents.ts'
import {
  DiskError,
  type FileContent,
  type FileStamp,
  sameStamp,
  type Tree,
} from '../../../data/tree/index.ts'
import { revisionOf } from '../../revisions/revision.ts'

/** File systems stamp with the kernel's tick at the coarsest, some old ones with whole seconds. */
const granularityMs = 20
const coarseGranularityMs = 2000

/** Whether a change could hide behind an equal stat: the file was touched within a tick of the clock of the last look. */
export function isRacy(stamp: Pick<CheckedStamp, 'mtimeMs' | 'ctimeMs' | 'lookedMs'>): boolean {
  const isCoarse = stamp.ctimeMs % 1000 === 0 && stamp.mtimeMs % 1000 === 0
  return stamp.ctimeMs + (isCoarse ? coarseGranularityMs : granularityMs) >= stamp.lookedMs
}

/** Compares files with what is known of them; every warm read comes through here, at the cost of one stat. */
export class StampChecker {
  private readonly tree: Tree
  private readonly diskNow: () => number

  constructor(tree: Tree, diskNow: () => number) {
    this.tree = tree
    this.diskNow = diskNow
  }

  /** Whether the file at a path (within the home) is still what the record says: by its stat, or by its bytes where a stat does not tell. */
  isUnchanged(path: string, record: DocumentRecord): boolean {
    const stat = this.tree.stat(path)
    return stat.kind === 'file' && this.verifyStamp(path, record, stat.stamp)
  }

  /** The same, by a look that is shared by the requests that arrived together. */
  isUnchangedCached(path: string, record: DocumentRecord): boolean {
    const stat = this.tree.statCached(path)
    return stat.kind === 'file' && this.verifyStamp(path, record, stat.stamp)
  }

  /** The same, for a stat that has been taken already. */
  verifyStamp(path: string, record: DocumentRecord, stamp: FileStamp): boolean {
    const known = record.stamp
    if (!known || !sameStamp(known, stamp)) return false
    return !isRacy(known) || this.verifyBytes(path, record, known)
  }

  private verifyBytes(path: string, record: DocumentRecord, known: CheckedStamp): boolean {
    const lookedMs = this.diskNow()
    const content = this.read(path)
    if (!content || !sameStamp(content.stamp, known) || revisionOf(content.bytes) !== record.revision)
      return false
    // Not a new fact of the document: only that its stat has been believed at a later time.
    known.lookedMs = lookedMs
    return true
  }

  /** What the disk cannot read is not known to be as it was: whoever takes it in then says why it cannot be. */
  private read(path: string): FileContent | null {
    try {
      return this.tree.read(path)
    } catch (error) {
      if (error instanceof DiskError) return null
      throw error
    }
  }
}
