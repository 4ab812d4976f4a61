import type { CheckedStamp, DocumentRecord } from '../../../data/tables/documents.ts'
import {
  DiskError,
  type FileContent,
  type FileStamp,
  sameStamp,
  type Tree,
} from '../../../data/tree/index.ts'
import { revisionOf } from '../../revisions/revision.ts'
import { isRacy } from '../model/racy-stamp.ts'

export class StampChecker {
  constructor(
    private readonly tree: Tree,
    private readonly diskNow: () => number,
  ) {}

  /** Compares bytes if the stat is not conclusive. @param path in the home */
  isUnchanged(path: string, record: DocumentRecord): boolean {
    const stat = this.tree.stat(path)
    return stat.kind === 'file' && this.verifyStamp(path, record, stat.stamp)
  }

  isUnchangedCached(path: string, record: DocumentRecord): boolean {
    const stat = this.tree.statCached(path)
    return stat.kind === 'file' && this.verifyStamp(path, record, stat.stamp)
  }

  verifyStamp(path: string, record: DocumentRecord, stamp: FileStamp): boolean {
    const stored = record.stamp
    if (!stored || !sameStamp(stored, stamp)) return false
    return !isRacy(stored) || this.verifyBytes(path, record, stored)
  }

  private verifyBytes(path: string, record: DocumentRecord, stored: CheckedStamp): boolean {
    const lookedMs = this.diskNow()
    const content = this.read(path)
    if (!content || !sameStamp(content.stamp, stored) || revisionOf(content.bytes) !== record.revision)
      return false
    // Only the time of the check changes.
    stored.lookedMs = lookedMs
    return true
  }

  /** An unreadable file counts as changed; its ingestion reports the reason. */
  private read(path: string): FileContent | null {
    try {
      return this.tree.read(path)
    } catch (error) {
      if (error instanceof DiskError) return null
      throw error
    }
  }
}
