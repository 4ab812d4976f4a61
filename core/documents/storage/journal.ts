import type { CheckedStamp } from '../../../data/tables/documents.ts'
import type { JournalEntry } from '../../../data/tables/journal.ts'
import { TimeSlice } from '../../../data/time-slice.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import { revisionOf } from '../../revisions/revision.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DisplacedFile, DisplacedFiles } from './displaced.ts'
import type { ProjectRoots } from './project-roots.ts'

/** How long finished work may wait to be made durable, in milliseconds. */
const checkpointAfterMs = 1000
/** The same, where it failed and is to be tried again. */
const retryAfterMs = 10_000
/** How many rows go in one commit. */
const droppedTogether = 200
/** So many files are made durable at once; the other threads of the process are for its readers. */
const flushesAtOnce = 2

/** A promise whose file is in place. */
interface PlacedEntry {
  /** Another object once its folder has moved. */
  promise: JournalEntry
}

/**
 * The journal's promises. A write's row stands in it from its commit until its file is durable on the disk,
 * not only in place, and until what an editor saved at that moment is a revision: a power cut in between is mended from
 * the revision at the next start. Making files durable (fsync) happens behind the answers, many at a time.
 */
export class Journal {
  private readonly shared: DocumentsDeps
  private readonly roots: ProjectRoots
  private readonly displacedFiles: DisplacedFiles
  private placed: PlacedEntry[] = []
  /** Those of which displaced files are still looked at. */
  private readonly checkingDisplaced = new Set<PlacedEntry>()
  /** Those that are being made durable at this moment. */
  private flushing: PlacedEntry[] = []
  /** Ids of those whose files are being put in place at this moment. */
  private readonly placing = new Set<number>()
  private timer: NodeJS.Timeout | null = null
  private checkpointing: Promise<void> = Promise.resolve()
  private isStopped = false

  constructor(shared: DocumentsDeps, deps: { roots: ProjectRoots; displacedFiles: DisplacedFiles }) {
    this.shared = shared
    this.roots = deps.roots
    this.displacedFiles = deps.displacedFiles
  }

  /** Adds what a write is about to do on the disk; to be called inside its commit. @returns it with its row's id */
  append(record: Omit<JournalEntry, 'id'>): JournalEntry {
    return { id: this.shared.journal.add(record), ...record }
  }

  /** Takes a promise back; to be called inside a commit. */
  remove(id: number): void {
    this.shared.journal.remove(id)
  }

  /** Says that the file of a committed promise is about to be put in place; until `kept` or `giveUp` nobody else finishes it. */
  begin({ id }: JournalEntry): void {
    this.placing.add(id)
  }

  /** Says that the file is not put in place. */
  giveUp({ id }: JournalEntry): void {
    this.placing.delete(id)
  }

  /** The promises that nobody is keeping at this moment. */
  unfinished(): JournalEntry[] {
    return this.shared.journal.all().filter(({ id }) => !this.placing.has(id))
  }

  /** Says that the file is in place, and what it displaced; its row goes once both are taken care of. */
  markPlaced(promise: JournalEntry, displaced: DisplacedFile[] = []): void {
    this.placing.delete(promise.id)
    const one = { promise }
    if (displaced.length === 0) this.finish(one)
    else {
      this.checkingDisplaced.add(one)
      this.displacedFiles.add(displaced, () => {
        this.checkingDisplaced.delete(one)
        this.finish(one)
      })
    }
  }

  /** Says that a folder (within the home) is at another place now, with what is in it; its rows have been told. */
  relocate(from: string, to: string): void {
    const moved = (path: string | null) =>
      path?.startsWith(`${from}/`) ? to + path.slice(from.length) : path
    for (const one of [...this.placed, ...this.flushing, ...this.checkingDisplaced]) {
      const path = moved(one.promise.path)
      const vacated = moved(one.promise.vacated)
      if (path === one.promise.path && vacated === one.promise.vacated) continue
      one.promise = { ...one.promise, path, vacated }
    }
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

  private finish(one: PlacedEntry): void {
    this.placed.push(one)
    this.checkpointLater(checkpointAfterMs)
  }

  private checkpointLater(afterMs: number): void {
    if (!this.isStopped) this.timer ??= setTimeout(() => this.checkpoint(), afterMs).unref()
  }

  private async flush(): Promise<void> {
    const all = this.placed
    this.placed = []
    const isReachable = this.reachableEntries()
    // What belongs to a folder that is away stays in the table, for recovery to finish when it is back.
    const finished = all.filter(({ promise }) => isReachable(promise))
    if (finished.length === 0) return
    const promises = finished.map(({ promise }) => promise)
    this.flushing = finished
    const failures = await this.flushFiles(promises)
    this.flushing = []
    // What was moved meanwhile with its folder may not have been where it was looked for.
    const isMoved = ({ promise }: PlacedEntry, index: number) => promise !== promises[index]
    const isDurable = ({ promise: { path, vacated } }: PlacedEntry) =>
      !failures.has(path ?? '') && !failures.has(vacated ?? '')
    const [firstFailure] = failures.values()
    const found = finished.filter((one, index) => !isMoved(one, index))
    this.placed = [...finished.filter(isMoved), ...this.placed]
    if (found.length < finished.length) this.checkpointLater(checkpointAfterMs)
    this.scheduleRetry(
      found.filter((one) => !isDurable(one)),
      firstFailure,
    )
    const durable = found.filter(isDurable)
    try {
      while (durable.length > 0) {
        await this.removeEntries(durable.slice(0, droppedTogether))
        durable.splice(0, droppedTogether)
      }
    } catch (error) {
      this.scheduleRetry(durable, error)
    }
  }

  /** Drops the rows of what is durable. */
  private async removeEntries(durable: PlacedEntry[]): Promise<void> {
    const slice = new TimeSlice()
    const rows: { promise: JournalEntry; stamp: CheckedStamp | null }[] = []
    for (const { promise } of durable) {
      while (slice.isOver) await slice.pause()
      rows.push({ promise, stamp: this.cleanStamp(promise) })
    }
    await this.shared.database.commit(() => {
      for (const { promise, stamp } of rows) {
        this.shared.journal.remove(promise.id)
        if (stamp) this.shared.documents.setStamp(promise.documentId, promise.revision, stamp)
      }
    }, 'aside')
  }

  /** The rows stay: a later checkpoint tries again, and so does the next start. */
  private scheduleRetry(finished: PlacedEntry[], error: unknown): void {
    if (finished.length === 0) return
    this.placed = [...finished, ...this.placed]
    this.checkpointLater(retryAfterMs)
    this.shared.onProblem('Files could not be made durable; this is tried again', error)
  }

  /** Tells whether the folder of a promise's project can be used at this moment. */
  private reachableEntries(): (promise: JournalEntry) => boolean {
    const { documents, projects } = this.shared
    const isUsable = new Map<string, boolean>()
    return ({ documentId }) => {
      const projectId = documents.find(documentId)?.projectId
      if (projectId === undefined) return true
      if (!isUsable.has(projectId))
        isUsable.set(projectId, this.roots.check(projects.find(projectId)!) === null)
      return isUsable.get(projectId)!
    }
  }

  /** Makes files durable, and the absence of those that went away. @returns what failed, by path */
  private async flushFiles(promises: JournalEntry[]): Promise<Map<string, unknown>> {
    const paths = new Set(promises.flatMap(({ path, vacated }) => [path ?? [], vacated ?? []].flat()))
    const failures = new Map<string, unknown>()
    const flush = (path: string) =>
      this.shared.tree.flush(path).catch((error) => void failures.set(path, error))
    await mapConcurrently(paths, flush, flushesAtOnce)
    return failures
  }

  /** The stamp as of now, where the file still is what was put in place: late enough to be trusted at the next start. */
  private cleanStamp({ documentId, revision, path }: JournalEntry): CheckedStamp | null {
    const record = this.shared.catalogue.find(documentId)
    if (!path || record?.revision !== revision || !record.stamp) return null
    const content = this.shared.tree.read(path)
    if (!content || revisionOf(content.bytes) !== revision) return null
    return { ...content.stamp, lookedMs: this.shared.diskNow() }
  }
}
