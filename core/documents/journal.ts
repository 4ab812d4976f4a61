import type { SeenStamp } from '../../data/tables/documents.ts'
import type { JournalRecord } from '../../data/tables/journal.ts'
import type { Parts } from './parts.ts'
import { revisionOf } from './revision.ts'

/** How long finished work may wait to be made durable, in milliseconds. */
const checkpointAfterMs = 1000

interface Finished {
  id: number
  documentId: string
  revision: string
  /** Within the home; null: the file went away. */
  path: string | null
}

/**
 * The journal's promises. A write's row stands in it from its commit until its file is durable on the disk,
 * not only in place: a power cut in between is mended from the revision at the next start.
 * Making files durable (fsync) happens behind the answers, many at a time.
 */
export class Journal {
  private readonly parts: Parts
  private finished: Finished[] = []
  private timer: NodeJS.Timeout | null = null
  private checkpointing: Promise<void> = Promise.resolve()

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Adds what a write is about to do on the disk; to be called inside its commit. @returns the row's id */
  promise(record: Omit<JournalRecord, 'id'>): number {
    return this.parts.journal.add(record)
  }

  /** Takes a promise back; to be called inside a commit. */
  retract(id: number): void {
    this.parts.journal.remove(id)
  }

  /** Says that the file is in place; its row goes once it is durable. */
  kept(finished: Finished): void {
    this.finished.push(finished)
    this.timer ??= setTimeout(() => this.checkpoint(), checkpointAfterMs).unref()
  }

  /** Makes everything durable that is in place, and drops its rows. */
  checkpoint(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.checkpointing = this.checkpointing.then(() => this.flush())
    return this.checkpointing
  }

  private async flush(): Promise<void> {
    const finished = this.finished
    this.finished = []
    if (finished.length === 0) return
    try {
      const paths = new Set(finished.flatMap(({ path }) => path ?? []))
      for (const path of paths) await this.parts.tree.flush(path)
      const stamps = finished.map((entry) => ({ ...entry, stamp: this.cleanStamp(entry) }))
      await this.parts.database.commit(() => {
        for (const { id, documentId, revision, stamp } of stamps) {
          this.parts.journal.remove(id)
          if (stamp) this.parts.documents.setStamp(documentId, revision, stamp)
        }
      })
    } catch (error) {
      // The rows stay: the next checkpoint tries again, and so does the next start.
      this.finished = [...finished, ...this.finished]
      this.timer ??= setTimeout(() => this.checkpoint(), checkpointAfterMs * 10).unref()
      this.parts.onProblem('Files could not be made durable; this is tried again', error)
    }
  }

  /** The stamp as of now, where the file still is what was put in place: late enough to be trusted at the next start. */
  private cleanStamp({ documentId, revision, path }: Finished): SeenStamp | null {
    const record = this.parts.catalogue.find(documentId)
    if (!path || record?.revision !== revision || !record.stamp) return null
    const content = this.parts.tree.read(path)
    if (!content || revisionOf(content.bytes) !== revision) return null
    return { ...content.stamp, lookedMs: this.parts.diskNow() }
  }
}
