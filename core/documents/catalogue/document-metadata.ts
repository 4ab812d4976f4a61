import type { DocumentRecord, DocumentsTable, Metadata } from '../../../data/tables/documents.ts'
import type { Change } from '../model/change.ts'
import type { Catalogue } from './catalogue.ts'

interface DocumentMetadataDeps {
  documents: DocumentsTable
  catalogue: Catalogue
  onProblem: (message: string, error?: unknown) => void
}

/** Changes without a revision or event. The row counts, since they may happen while a change is composed. */
export class DocumentMetadata {
  constructor(private readonly deps: DocumentMetadataDeps) {}

  /** Must be called inside a commit; visible once that is durable. @param change returns what to change */
  update(id: string, change: (current: Metadata) => Partial<Metadata>): void {
    const { documents } = this.deps
    const current = documents.metadata(id)
    if (!current) return
    documents.setMetadata(id, { ...current, ...change(current) })
    this.applyAfterCommit(id)
  }

  /** Updates a change that was composed from an older record. Must be called inside a commit. */
  withCurrentMetadata(change: Change): Change {
    const { before, after } = change
    const current = before && this.deps.documents.metadata(before.id)
    if (!current) return change
    return {
      ...change,
      before: mergeMetadata(before, before, current),
      after: mergeMetadata(after, before, current),
    }
  }

  /** With current metadata. Must be called inside a commit. */
  rollBack(before: DocumentRecord, after: DocumentRecord): void {
    const { documents } = this.deps
    documents.put(mergeMetadata(before, after, documents.metadata(after.id)!))
    this.applyAfterCommit(after.id)
  }

  latest(record: DocumentRecord): DocumentRecord {
    return { ...record, ...this.deps.documents.metadata(record.id) }
  }

  /** The microtask runs after the transaction and before its waiters; the row shows whether it committed. */
  private applyAfterCommit(id: string): void {
    queueMicrotask(() => {
      const { catalogue, onProblem } = this.deps
      const record = catalogue.find(id)
      try {
        if (record) catalogue.put(this.latest(record))
      } catch (error) {
        onProblem(`The metadata of ${id} is out of date until the next start`, error)
      }
    })
  }
}

/** Activity never moves back. */
function mergeMetadata(record: DocumentRecord, base: Metadata, current: Metadata): DocumentRecord {
  const hasNewActivity = current.activityMs !== base.activityMs
  const activityMs = hasNewActivity ? Math.max(record.activityMs, current.activityMs) : record.activityMs
  return { ...record, ...current, activityMs }
}
