import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { CheckedStamp } from '../../../data/tables/documents.ts'
import type { JournalEntry } from '../../../data/tables/journal.ts'
import { sameStamp } from '../../../data/tree/index.ts'
import { mapConcurrently } from '../../concurrency/map-concurrently.ts'
import { revisionOf } from '../../revisions/revision.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { isRacy } from '../model/racy-stamp.ts'
import type { DisplacedFile, DisplacedFiles } from './displaced.ts'
import type { ProjectRoots } from './project-roots.ts'

const checkpointAfterMs = 1000
const retryAfterMs = 10_000
/** Rows per commit. */
const maxRemovedPerCommit = 200
/** Concurrent flushes: the other threads of the pool serve readers. */
const maxConcurrentFlushes = 2

interface PlacedFile {
  /** Replaced when its folder moves. */
  entry: JournalEntry
}

/**
 * Keeps a write's row until its file is durable and what an editor saved meanwhile is a revision, so that the
 * next start repairs what a power cut took. Files are made durable after the response, many at a time.
 */
export class Journal {
  private readonly shared: DocumentsDeps
  private readonly roots: ProjectRoots
  private readonly displacedFiles: DisplacedFiles
  private placed: PlacedFile[] = []
  private readonly checkingDisplaced = new Set<PlacedFile>()
  private flushing: PlacedFile[] = []
  private readonly placing = new Set<number>()
  private timer: NodeJS.Timeout | null = null
  private checkpointing: Promise<void> = Promise.resolve()
  private isStopped = false

  constructor(shared: DocumentsDeps, deps: { roots: ProjectRoots; displacedFiles: DisplacedFiles }) {
    this.shared = shared
    this.roots = deps.roots
    this.displacedFiles = deps.displacedFiles
  }

  /** Must be called inside the write's commit. @returns the entry with its row's id */
  append(record: Omit<JournalEntry, 'id'>): JournalEntry {
    return { id: this.shared.journal.add(record), ...record }
  }

  /** Must be called inside a commit. */
  remove(id: number): void {
    this.shared.journal.remove(id)
  }

  /** Until `markPlaced` or `giveUp`, recovery leaves the entry alone. */
  begin({ id }: JournalEntry): void {
    this.placing.add(id)
  }

  giveUp({ id }: JournalEntry): void {
    this.placing.delete(id)
  }

  unfinished(): JournalEntry[] {
    return this.shared.journal.all().filter(({ id }) => !this.placing.has(id))
  }

  /** Removes the row once the file is durable and what it displaced has been checked. */
  markPlaced(entry: JournalEntry, displaced: DisplacedFile[] = []): void {
    this.placing.delete(entry.id)
    const file = { entry }
    if (displaced.length === 0) this.finish(file)
    else {
      this.checkingDisplaced.add(file)
      this.displacedFiles.add(displaced, () => {
        this.checkingDisplaced.delete(file)
        this.finish(file)
      })
    }
  }

  /** After a folder (path in the home) has moved and the rows are updated. */
  relocate(from: string, to: string): void {
    const moved = (path: string | null) =>
      path?.startsWith(`${from}/`) ? to + path.slice(from.length) : path
    for (const file of [...this.placed, ...this.flushing, ...this.checkingDisplaced]) {
      const path = moved(file.entry.path)
      const vacated = moved(file.entry.vacated)
      if (path === file.entry.path && vacated === file.entry.vacated) continue
      file.entry = { ...file.entry, path, vacated }
    }
  }

  checkpoint(): Promise<void> {
    if (this.timer) clearTimeout(this.timer)
    this.timer = null
    this.checkpointing = this.checkpointing.then(() => this.flush())
    return this.checkpointing
  }

  stop(): Promise<void> {
    this.isStopped = true
    return this.checkpoint()
  }

  private finish(file: PlacedFile): void {
    this.placed.push(file)
    this.scheduleCheckpoint(checkpointAfterMs)
  }

  private scheduleCheckpoint(afterMs: number): void {
    if (!this.isStopped) this.timer ??= setTimeout(() => this.checkpoint(), afterMs).unref()
  }

  private async flush(): Promise<void> {
    const all = this.placed
    this.placed = []
    const isReachable = this.reachableEntries()
    // Entries of a missing folder remain, for recovery to finish when it returns.
    const reachable = all.filter(({ entry }) => isReachable(entry))
    if (reachable.length === 0) return
    const entries = reachable.map(({ entry }) => entry)
    this.flushing = reachable
    const failures = await this.flushFiles(entries)
    this.flushing = []
    // A file that moved with its folder meanwhile may not have been found.
    const isMoved = ({ entry }: PlacedFile, index: number) => entry !== entries[index]
    const isDurable = ({ entry: { path, vacated } }: PlacedFile) =>
      !failures.has(path ?? '') && !failures.has(vacated ?? '')
    const [firstFailure] = failures.values()
    const unmoved = reachable.filter((file, index) => !isMoved(file, index))
    this.placed = [...reachable.filter(isMoved), ...this.placed]
    if (unmoved.length < reachable.length) this.scheduleCheckpoint(checkpointAfterMs)
    this.scheduleRetry(
      unmoved.filter((file) => !isDurable(file)),
      firstFailure,
    )
    const durable = unmoved.filter(isDurable)
    try {
      while (durable.length > 0) {
        await this.removeEntries(durable.slice(0, maxRemovedPerCommit))
        durable.splice(0, maxRemovedPerCommit)
      }
    } catch (error) {
      this.scheduleRetry(durable, error)
    }
  }

  private async removeEntries(durable: PlacedFile[]): Promise<void> {
    const slice = new TimeSlice()
    const rows: { entry: JournalEntry; stamp: CheckedStamp | null }[] = []
    for (const { entry } of durable) {
      while (slice.isOver) await slice.pause()
      rows.push({ entry, stamp: this.cleanStamp(entry) })
    }
    await this.shared.database.commit(() => {
      for (const { entry, stamp } of rows) {
        this.shared.journal.remove(entry.id)
        if (stamp) this.shared.documents.setStamp(entry.documentId, entry.revision, stamp)
      }
    }, 'afterCommit')
  }

  private scheduleRetry(files: PlacedFile[], error: unknown): void {
    if (files.length === 0) return
    this.placed = [...files, ...this.placed]
    this.scheduleCheckpoint(retryAfterMs)
    this.shared.onProblem('Files could not be made durable; this is tried again', error)
  }

  private reachableEntries(): (entry: JournalEntry) => boolean {
    const { catalogue, documents, projects } = this.shared
    const isUsable = new Map<string, boolean>()
    return ({ documentId }) => {
      const projectId = (catalogue.find(documentId) ?? documents.find(documentId))?.projectId
      if (projectId === undefined) return true
      if (!isUsable.has(projectId))
        isUsable.set(projectId, this.roots.check(projects.find(projectId)!) === null)
      return isUsable.get(projectId)!
    }
  }

  /** Also makes the absence of removed files durable. @returns failures by path */
  private async flushFiles(entries: JournalEntry[]): Promise<Map<string, unknown>> {
    const { tree } = this.shared
    const failures = new Map<string, unknown>()
    const inFolder = new Map<string, string[]>()
    const flushContent = async (path: string) => {
      try {
        await tree.flushContent(path)
        const folder = path.slice(0, path.lastIndexOf('/'))
        const others = inFolder.get(folder)
        if (others) others.push(path)
        else inFolder.set(folder, [path])
      } catch (error) {
        failures.set(path, error)
      }
    }
    const flushNames = async (paths: string[]) => {
      try {
        await tree.flushName(paths[0]!)
      } catch (error) {
        for (const path of paths) failures.set(path, error)
      }
    }
    const paths = new Set(entries.flatMap(({ path, vacated }) => [path ?? [], vacated ?? []].flat()))
    await mapConcurrently(paths, flushContent, maxConcurrentFlushes)
    await mapConcurrently(inFolder.values(), flushNames, maxConcurrentFlushes)
    return failures
  }

  /** Returns a stamp late enough to be trusted by the next start; null if the file has changed since. */
  private cleanStamp({ documentId, revision, path }: JournalEntry): CheckedStamp | null {
    const record = this.shared.catalogue.find(documentId)
    if (!path || record?.revision !== revision || !record.stamp) return null
    // Shared by those that are checked together.
    const stat = this.shared.tree.statCached(path)
    const isVerified = stat.kind === 'file' && sameStamp(stat.stamp, record.stamp) && !isRacy(record.stamp)
    if (isVerified) return { ...record.stamp }
    const lookedMs = this.shared.diskNow()
    const content = this.shared.tree.read(path, stat)
    if (!content || revisionOf(content.bytes) !== revision) return null
    // The next request need not read it again.
    if (sameStamp(content.stamp, record.stamp)) record.stamp.lookedMs = lookedMs
    return { ...content.stamp, lookedMs }
  }
}
