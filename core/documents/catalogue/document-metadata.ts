import type { DocumentRecord, DocumentsTable, Metadata } from '../../../data/tables/documents.ts'
import type { Change } from '../model/change.ts'
import type { Catalogue } from './catalogue.ts'

interface AnnotationDeps {
  documents: DocumentsTable
  catalogue: Catalogue
  onProblem: (message: string, error?: unknown) => void
}

/**
 * What the server stores besides the file: comment count, pin, attachments, last activity. It changes without a
 * revision or an event, possibly while a change composed from an older record is in progress; the row, as the
 * transaction finds it, decides.
 */
export class DocumentMetadata {
  private readonly deps: AnnotationDeps

  constructor(deps: AnnotationDeps) {
    this.deps = deps
  }

  /**
   * Updates metadata. Must be called inside a commit; readers see it once that commit is durable.
   * @param change receives the current values and returns those to change
   */
  update(id: string, change: (stands: Metadata) => Partial<Metadata>): void {
    const { documents } = this.deps
    const stands = documents.annotation(id)
    if (!stands) return
    documents.annotate(id, { ...stands, ...change(stands) })
    this.applyAfterCommit(id)
  }

  /** A change composed from a record that may be outdated, with current metadata. Must be called inside a commit. */
  withCurrentMetadata(change: Change): Change {
    const { before, after } = change
    const stands = before && this.deps.documents.annotation(before.id)
    if (!stands) return change
    return {
      ...change,
      before: mergeMetadata(before, before, stands),
      after: mergeMetadata(after, before, stands),
    }
  }

  /** Restores the row that a recorded change replaced, with current metadata. Must be called inside a commit. */
  rollBack(before: DocumentRecord, after: DocumentRecord): void {
    const { documents } = this.deps
    documents.put(mergeMetadata(before, after, documents.annotation(after.id)!))
    this.applyAfterCommit(after.id)
  }

  latest(record: DocumentRecord): DocumentRecord {
    return { ...record, ...this.deps.documents.annotation(record.id) }
  }

  /**
   * A microtask of a synchronous transaction runs after it has ended and before its waiters continue. The row then
   * tells whether it was committed.
   */
  private applyAfterCommit(id: string): void {
    queueMicrotask(() => {
      const { catalogue, onProblem } = this.deps
      const record = catalogue.find(id)
      try {
        if (record) catalogue.put(this.latest(record))
      } catch (error) {
        onProblem(`What was noted of ${id} is not shown before the next start`, error)
      }
    })
  }
}

/** Activity never moves back. */
function mergeMetadata(record: DocumentRecord, then: Metadata, stands: Metadata): DocumentRecord {
  const isSince = stands.activityMs !== then.activityMs
  const activityMs = isSince ? Math.max(record.activityMs, stands.activityMs) : record.activityMs
  return { ...record, ...stands, activityMs }
}
