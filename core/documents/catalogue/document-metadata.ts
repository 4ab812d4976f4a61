import type { DocumentRecord, DocumentsTable, Metadata } from '../../../data/tables/documents.ts'
import type { Change } from '../model/change.ts'
import type { Catalogue } from './catalogue.ts'

interface AnnotationDeps {
  documents: DocumentsTable
  catalogue: Catalogue
  onProblem: (message: string, error?: unknown) => void
}

/**
 * What the server notes of a document beside its file: how many comments it has, whether it is pinned, what is attached
 * to it, when something last happened to it. That changes without a revision and without an event of the document, also
 * while a change of its file is under way that was composed from an older record. What counts is the row, as the
 * transaction finds it.
 */
export class DocumentMetadata {
  private readonly deps: AnnotationDeps

  constructor(deps: AnnotationDeps) {
    this.deps = deps
  }

  /**
   * Changes what is noted of a document; to be called inside a commit. Whoever waits for that commit, and everybody
   * after it, reads the document with it.
   * @param change what becomes of the notes, from how they stand; those that it leaves out stay
   */
  update(id: string, change: (stands: Metadata) => Partial<Metadata>): void {
    const { documents } = this.deps
    const stands = documents.annotation(id)
    if (!stands) return
    documents.annotate(id, { ...stands, ...change(stands) })
    this.applyAfterCommit(id)
  }

  /** A change, composed from a record that may be older, with what has been noted since; to be called inside a commit. */
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

  /** Puts the row back that a recorded change has replaced, with what was noted since; to be called inside a commit. */
  rollBack(before: DocumentRecord, after: DocumentRecord): void {
    const { documents } = this.deps
    documents.put(mergeMetadata(before, after, documents.annotation(after.id)!))
    this.applyAfterCommit(after.id)
  }

  /** A record whose commit is durable, with what was noted since. */
  latest(record: DocumentRecord): DocumentRecord {
    return { ...record, ...this.deps.documents.annotation(record.id) }
  }

  /**
   * A transaction runs without a pause, so that a microtask of it comes when it has ended, and before those who wait for
   * it go on. Kept or taken back: the row says what is noted then.
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

/** A record that was made when `then` was noted, with what stands now: activity never goes back behind what was noted since. */
function mergeMetadata(record: DocumentRecord, then: Metadata, stands: Metadata): DocumentRecord {
  const isSince = stands.activityMs !== then.activityMs
  const activityMs = isSince ? Math.max(record.activityMs, stands.activityMs) : record.activityMs
  return { ...record, ...stands, activityMs }
}
