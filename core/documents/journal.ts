import type { SeenStamp } from '../../data/tables/documents.ts'
import type { JournalRecord } from '../../data/tables/journal.ts'
import { revisionOf } from '../revision.ts'
import type { Parts } from './parts.ts'

/** How long finished work may wait to be made durable, in milliseconds. */
const checkpointAfterMs = 1000
/** The same, where it failed and is to be tried again. */
const retryAfterMs = 10_000

/**
 * The journal's promises. A write's row stands in it from its commit until its file is durable on the disk,
 * not only in place: a power cut in between is mended from the revision at the next start.
 * Making files durable (fsync) happens behind the answers, many at a time.
 */
export class Journal {
  private readonly parts: Parts
  private finished: JournalRecord[] = []
  private timer: NodeJS.Timeout | null = null
  private checkpointing: Promise<void> = Promise.resolve()
  private isStopped = false

  constructor(parts: Parts) {
    this.parts = parts
  }

  /** Adds what a write is about to do on the disk; to be called inside its commit. @returns it with its row's id */
  promise(record: Omit<JournalRecord, 'id'>): JournalRecord {
    return { id: this.parts.journal.add(record), ...record }
  }

  /** Takes a promise back; to be called inside a commit. */
  retract(id: number): void {
    this.parts.journal.remove(id)
  }

  /** Says that the file is in place; its row goes once it is durable. */
  kept(promise: JournalRecord): void {
    this.finished.push(promise)
    this.checkpointLater(checkpointAfterMs)
  }

  /** Makes everything durable that is in place, and drops its rows. */
  checkpoint(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.checkpointing = this.checkpointing.then(() => this.flush())
    return this.checkpointing
  }

  /** A last checkpoint. What fails then stays for the next start. */
  stop(): Promise<void> {
    this.isStopped = true
    return this.checkpoint()
  }

  private checkpointLater(afterMs: number): void {
    if (!this.isStopped) this.timer ??= setTimeout(() => this.checkpoint(), afterMs).unref()
  }

  private async flush(): Promise<void> {
    const finished = this.finished
    this.finished = []
    if (finished.length === 0) return
    const failures = await this.flushFiles(finished)
    const isDurable = ({ path, vacated }: JournalRecord) =>
      !failures.has(path ?? '') && !failures.has(vacated ?? '')
    const durable = finished.filter(isDurable)
    try {
      const stamps = durable.map((promise) => ({ ...promise, stamp: this.cleanStamp(promise) }))
      await this.parts.database.commit(() => {
        for (const { id, documentId, revision, stamp } of stamps) {
          this.parts.journal.remove(id)
          if (stamp) this.parts.documents.setStamp(documentId, revision, stamp)
        }
      })
      this.tryAgain(
        finished.filter((promise) => !isDurable(promise)),
        [...failures.values()][0],
      )
    } catch (error) {
      this.tryAgain(finished, error)
    }
  }

  /** The rows stay: a later checkpoint tries again, and so does the next start. */
  private tryAgain(promises: JournalRecord[], error: unknown): void {
    if (promises.length === 0) return
    this.finished = [...promises, ...this.finished]
    this.checkpointLater(retryAfterMs)
    this.parts.onProblem('Files could not be made durable; this is tried again', error)
  }

  /** Makes files durable, and the absence of those that went away. @returns what failed, by path */
  private async flushFiles(promises: JournalRecord[]): Promise<Map<string, unknown>> {
    const paths = new Set(promises.flatMap(({ path, vacated }) => [path ?? [], vacated ?? []].flat()))
    const failures = new Map<string, unknown>()
    for (const path of paths) {
      try {
        await this.parts.tree.flush(path)
      } catch (error) {
        failures.set(path, error)
      }
    }
    return failures
  }

  /** The stamp as of now, where the file still is what was put in place: late enough to be trusted at the next start. */
  private cleanStamp({ documentId, revision, path }: JournalRecord): SeenStamp | null {
    const record = this.parts.catalogue.find(documentId)
    if (!path || record?.revision !== revision || !record.stamp) return null
    const content = this.parts.tree.read(path)
    if (!content || revisionOf(content.bytes) !== revision) return null
    return { ...content.stamp, lookedMs: this.parts.diskNow() }
  }
}
