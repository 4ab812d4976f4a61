import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { CheckedStamp, DocumentRecord } from '../../../data/tables/documents.ts'
import {
  conflictOf,
  type FileContent,
  type Hint,
  isIgnoredName,
  type PathStat,
  sameStamp,
} from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import type { Analysis } from '../../markdown/index.ts'
import { revisionOf } from '../../revisions/revision.ts'
import { analyseDiskFile } from '../content/analysis.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { Change } from '../model/change.ts'
import { parseDocumentPath, pathInHome } from '../model/document-paths.ts'
import type { ChangeCommitter } from '../recording/change-committer.ts'
import type { ProjectRoots } from '../storage/project-roots.ts'
import { changeFromDeletion, changeFromFile } from './disk-changes.ts'
import { type IngestJob, IngestQueue, type Priority } from './ingest-queue.ts'
import type { MissingFiles } from './missing-files.ts'
import { PendingFiles } from './pending-files.ts'
import {
  type DocumentMatch,
  type FileRename,
  isSameInode,
  RenameDetector,
  type ScannedPath,
} from './rename-detector.ts'
import { canStillExist, type SkippedFiles } from './skipped-files.ts'
import type { StabilityTracker } from './stability-tracker.ts'
import type { StampChecker } from './stamp-checker.ts'

export interface Found {
  path: string
  stat: PathStat
}

/** Maximum time between checks: a write can shorten the wait, as when an editor truncates a file first. */
const maxCheckIntervalMs: Record<Priority, number> = { answering: 40, background: 150 }

/** Of one scan in the background; more than `maxJobsCompared`. */
const maxJobs = 500

/** With more jobs, `arrivals` gives up. */
const maxJobsCompared = 300

/** In bytes. Jobs hold their files in memory, so few of those for larger files run in the background. */
const largeBytes = 64 * 1024
const maxLarge = 16
const largeRetryMs = 20

interface IngesterDeps {
  changeCommitter: ChangeCommitter
  locks: Locks
  stampChecker: StampChecker
  skippedFiles: SkippedFiles
  stability: StabilityTracker
  roots: ProjectRoots
  missingFiles: MissingFiles
  hintsProcessed: () => Promise<void> | null
}

/** Checks a path until it is stable, then records it like any other write. Never writes to files. */
export class Ingester {
  private readonly shared: DocumentsDeps
  private readonly deps: IngesterDeps
  private readonly renameDetector: RenameDetector
  private readonly queue: IngestQueue
  private readonly pending = new PendingFiles()
  private readonly slice = new TimeSlice()
  /** Count of paths found by scans and not queued yet. */
  private backlog = 0
  private largeCount = 0
  private lastListing: { stamp: string; unknown: readonly string[] } = { stamp: '', unknown: [] }

  constructor(shared: DocumentsDeps, deps: IngesterDeps) {
    this.shared = shared
    this.deps = deps
    this.renameDetector = new RenameDetector(shared)
    this.queue = new IngestQueue({
      ingest: (job) => this.ingestJob(job),
      onEnd: ({ path }) => {
        this.pending.remove(path)
        this.deps.stability.clear(path)
      },
    })
  }

  /** @param path in the home @returns when it is stable and the catalogue equals the disk */
  ingestNow(path: string, priority: Priority): Promise<void> {
    const stat = this.shared.tree.stat(path)
    // For a new document: nothing is or was at the path, so the queue can be skipped.
    if (stat.kind === 'missing' && !this.scannedPath(path)?.existing && !this.queue.has(path)) {
      this.deps.skippedFiles.clear(path)
      return Promise.resolve()
    }
    this.pending.put(path, stat)
    return this.queue.add(path, priority)
  }

  /**
   * Whether a hint reports a file as it is known, as after a write of this process. A write in place causes a hint
   * of another kind, so the stamp of a file that appeared at the path is conclusive, even within a tick of the clock.
   */
  isEcho({ path, kind }: Hint, stat: PathStat, { existing }: ScannedPath): boolean {
    if (kind !== 'moved' || !existing?.stamp || this.queue.has(path)) return false
    if (stat.kind !== 'file' || !sameStamp(existing.stamp, stat.stamp)) return false
    this.deps.skippedFiles.clear(path)
    this.deps.missingFiles.clear(existing)
    return true
  }

  enqueueHint({ path, stat }: Found): void {
    this.pending.put(path, stat)
    void this.add(path, 'background')
  }

  /** Registers all files before deciding on the first, since one may have moved to the path of another. */
  async ingestAll(found: readonly Found[], priority: Priority): Promise<{ ingested: Promise<unknown> }> {
    const paths: string[] = []
    for (const { path, stat } of found) {
      while (this.slice.isOver) await this.slice.pause()
      this.pending.put(path, stat)
      paths.push(path)
    }
    if (priority === 'background') return { ingested: this.ingestWithLimit(paths) }
    const ingesting: Promise<void>[] = []
    for (const path of paths) {
      while (this.slice.isOver) await this.slice.pause()
      ingesting.push(this.add(path, priority))
    }
    return { ingested: Promise.all(ingesting) }
  }

  /** Limits the jobs at a time, since each takes a kilobyte. */
  private async ingestWithLimit(paths: readonly string[]): Promise<void> {
    this.backlog += paths.length
    const remaining = paths.values()
    const ingestNext = async () => {
      for (const path of remaining) {
        this.backlog -= 1
        await this.add(path, 'background')
      }
    }
    await Promise.all(Array.from({ length: Math.min(maxJobs, paths.length) }, ingestNext))
  }

  private add(path: string, priority: Priority): Promise<void> {
    return this.queue
      .add(path, priority)
      .catch((error) => this.shared.onProblem(`A change on the disk could not be ingested: ${path}`, error))
  }

  /** Returns jobs for new documents below a folder (path in the home); null if there are more than `max`. */
  newDocumentJobs(folder: string, max: number): Promise<void>[] | null {
    const jobs: Promise<void>[] = []
    let count = 0
    for (const { path, done } of this.queue.jobs()) {
      count += 1
      if (count > maxJobsCompared) return null
      if (!path.startsWith(`${folder}/`) || this.scannedPath(path)?.existing !== null) continue
      jobs.push(done)
      if (jobs.length > max) return null
    }
    return jobs.map((done) => done.catch(() => {}))
  }

  get counts(): { queued: number; ended: number } {
    const { queued, ended } = this.queue.counts
    return { queued: queued + this.backlog, ended }
  }

  stop(): Promise<void> {
    return this.queue.stop()
  }

  scannedPath(path: string): ScannedPath | null {
    const [top, folder, ...names] = path.split('/')
    const project = top === 'projects' && folder !== undefined ? this.deps.roots.projectIn(folder) : null
    const name = names.at(-1)
    if (!project || name === undefined || names.some(isIgnoredName) || conflictOf(name) !== null) return null
    const inner = names.join('/')
    if (!parseDocumentPath(inner)) return null
    return { project, path: inner, existing: this.shared.catalogue.at(project.id, inner) }
  }

  private async ingestJob(job: IngestJob): Promise<number | null> {
    const { path } = job
    // Changes that were reported together are all known before any is decided on.
    await this.deps.hintsProcessed()
    const stat = this.shared.tree.stat(path)
    this.pending.put(path, stat)
    const waitMs = this.isUnchanged(path, stat) ? 0 : this.deps.stability.waitMs(path, stat)
    if (waitMs > 0) return Math.ceil(Math.min(waitMs, maxCheckIntervalMs[job.priority]))
    const isLarge = stat.kind === 'file' && stat.stamp.size > largeBytes
    if (isLarge && job.priority === 'background' && this.largeCount >= maxLarge) return largeRetryMs
    if (isLarge) this.largeCount += 1
    try {
      return (await this.readAndCompare(path, stat, job.priority)) ? null : 0
    } finally {
      if (isLarge) this.largeCount -= 1
    }
  }

  /** Known bytes need not be stable. */
  private isUnchanged(path: string, stat: PathStat): boolean {
    const existing = this.scannedPath(path)?.existing
    if (!existing || stat.kind !== 'file' || stat.stamp.size !== existing.bytes) return false
    return this.deps.stampChecker.verifyStamp(path, existing, stat.stamp)
  }

  /** @returns false if the path changed and must be checked again */
  private async readAndCompare(path: string, stat: PathStat, priority: Priority): Promise<boolean> {
    const scanned = this.scannedPath(path)
    if (!scanned || this.deps.roots.problemOf(scanned.project) !== null) return true
    const { project, existing } = scanned
    if (stat.kind === 'skipped' && stat.reason !== 'folder') this.deps.skippedFiles.note(path, stat.reason)
    else this.deps.skippedFiles.clear(path)
    if (canStillExist(stat)) return true
    if (stat.kind !== 'file') {
      if (existing) this.deps.missingFiles.add(existing)
      return true
    }
    if (existing) this.deps.missingFiles.clear(existing)
    if (existing && this.deps.stampChecker.verifyStamp(path, existing, stat.stamp)) return true
    const lookedMs = this.shared.diskNow()
    const content = this.shared.tree.read(path, stat)
    if (!content) return this.noteUnreadable(path, stat)
    const revision = revisionOf(content.bytes)
    const match = this.renameDetector.match(project, scanned.path, existing, content.stamp, revision)
    const renamed = match.kind === 'edit' ? this.findRename(match.record, content.stamp, revision) : null
    if (renamed) {
      await this.ingestRenames([renamed], null, priority)
      return false
    }
    if (match.kind === 'edit' && match.record.revision === revision) {
      this.updateStamp(match.record, { ...content.stamp, lookedMs })
      return true
    }
    return this.ingest(scanned, content, { match, lookedMs, priority })
  }

  private noteUnreadable(path: string, before: PathStat & { kind: 'file' }): boolean {
    const stat = this.shared.tree.stat(path)
    if (stat.kind !== 'file' || !sameStamp(stat.stamp, before.stamp)) return false
    this.deps.skippedFiles.note(path, 'unreadable')
    return true
  }

  private updateStamp(record: DocumentRecord, stamp: CheckedStamp): void {
    const { catalogue, database, documents } = this.shared
    catalogue.put({ ...record, stamp })
    database.commitLater(() => documents.setStamp(record.id, record.revision, stamp))
  }

  private async ingest(
    scanned: ScannedPath,
    content: FileContent,
    found: { match: DocumentMatch; lookedMs: number; priority: Priority },
  ): Promise<boolean> {
    const { match } = found
    if (match.kind === 'moves') return this.ingestRenames(match.moves, match.overwritten, found.priority)
    const record = match.kind === 'new' ? null : match.record
    const analysis = await this.analyse(content.bytes, record, found.priority)
    const compose = () => [
      changeFromFile(this.shared, scanned, record, {
        stamp: content.stamp,
        analysis,
        lookedMs: found.lookedMs,
      }),
    ]
    return this.commitIfUnchanged([{ scanned, stamp: content.stamp, record }], compose, found.priority)
  }

  /** Several documents may have changed places. The one whose path was taken is deleted. */
  private async ingestRenames(
    moves: FileRename[],
    displaced: DocumentRecord | null,
    priority: Priority,
  ): Promise<boolean> {
    const { tree } = this.shared
    const rename = displaced && this.findQueuedRename(displaced)
    const all = rename ? [...moves, rename] : moves
    const lookedMs = this.shared.diskNow()
    const files: {
      scanned: ScannedPath
      content: FileContent
      record: DocumentRecord
      analysis: Analysis | null
    }[] = []
    for (const { record, project, path } of all) {
      while (all.length > 1 && this.slice.isOver) await this.slice.pause()
      const content = tree.read(pathInHome(project, path))
      if (!content) return false
      const isEdited = revisionOf(content.bytes) !== record.revision
      const analysis = isEdited ? await this.analyse(content.bytes, record, priority) : null
      files.push({
        scanned: { project, path, existing: this.shared.catalogue.at(project.id, path) },
        content,
        record,
        analysis,
      })
    }
    const overwritten = rename ? null : displaced
    return this.commitIfUnchanged(
      files.map(({ scanned, content, record }) => ({ scanned, stamp: content.stamp, record })),
      () => [
        ...(overwritten ? [changeFromDeletion(this.shared, overwritten)] : []),
        ...files.map(({ scanned, content, record, analysis }) =>
          changeFromFile(this.shared, scanned, record, { stamp: content.stamp, analysis, lookedMs }),
        ),
      ],
      priority,
    )
  }

  /** A document whose path was taken may itself have been renamed to a queued path. */
  private findQueuedRename(
    record: DocumentRecord,
    isCandidate: (scanned: ScannedPath) => boolean = () => true,
  ): FileRename | null {
    if (!record.stamp) return null
    for (const path of this.pending.pathsOf(record.stamp)) {
      const scanned = this.scannedPath(path)
      if (!scanned || !isCandidate(scanned) || scanned.existing?.id === record.id) continue
      const stat = this.shared.tree.stat(path)
      if (stat.kind === 'file' && isSameInode(stat.stamp, record.stamp))
        return { record, project: scanned.project, path: scanned.path }
    }
    return null
  }

  /**
   * Finds where a document was renamed to before another file took its path. Only paths that held nothing are
   * considered. Equal bytes may be a copy of the renamed file, which has had no hint yet.
   */
  private findRename(
    record: DocumentRecord,
    stamp: FileContent['stamp'],
    revision: string,
  ): FileRename | null {
    if (!record.stamp || isSameInode(record.stamp, stamp)) return null
    const queued = this.findQueuedRename(record, ({ existing }) => existing === null)
    return queued ?? (record.revision === revision ? this.findRenameInFolder(record, record.stamp) : null)
  }

  private findRenameInFolder(record: DocumentRecord, stamp: CheckedStamp): FileRename | null {
    const project = this.shared.projects.find(record.projectId)!
    const folder = record.path.slice(0, Math.max(0, record.path.lastIndexOf('/')))
    for (const name of this.unknownNames(project, folder)) {
      const path = folder === '' ? name : `${folder}/${name}`
      const stat = this.shared.tree.stat(pathInHome(project, path))
      if (stat.kind === 'file' && isSameInode(stat.stamp, stamp)) return { record, project, path }
    }
    return null
  }

  private unknownNames(project: Project, folder: string): readonly string[] {
    const { catalogue, tree } = this.shared
    const path = folder === '' ? `projects/${project.folder}` : pathInHome(project, folder)
    const stamp = JSON.stringify([path, tree.folderStamp(path)])
    if (this.lastListing.stamp !== stamp) {
      const names = tree.names(path) ?? []
      this.lastListing = {
        stamp,
        unknown: names.filter((name) => this.scannedPath(`${path}/${name}`)?.existing === null),
      }
    }
    const prefix = folder === '' ? '' : `${folder}/`
    return this.lastListing.unknown.filter((name) => catalogue.at(project.id, prefix + name) === null)
  }

  /** Does nothing unless disk and catalogue are still as they were when the decision was made. */
  private async commitIfUnchanged(
    expected: { scanned: ScannedPath; stamp: FileContent['stamp']; record: DocumentRecord | null }[],
    compose: () => Change[],
    priority: Priority,
  ): Promise<boolean> {
    const { catalogue, tree, projects } = this.shared
    const names = expected.map(
      ({ scanned, record }) => record?.id ?? pathInHome(scanned.project, scanned.path),
    )
    return this.deps.locks.run(names, async () => {
      const isStillValid = expected.every(({ scanned, stamp, record }) => {
        const stat = tree.stat(pathInHome(scanned.project, scanned.path))
        return (
          stat.kind === 'file' &&
          sameStamp(stat.stamp, stamp) &&
          projects.find(scanned.project.id) !== null &&
          catalogue.at(scanned.project.id, scanned.path) === scanned.existing &&
          (record === null || record.deletedMs !== null || catalogue.find(record.id) === record)
        )
      })
      if (!isStillValid) return false
      const isWaitedFor = () =>
        priority === 'answering' ||
        expected.some(({ scanned }) => this.queue.isWaitedFor(pathInHome(scanned.project, scanned.path)))
      const records = await this.deps.changeCommitter.commitFromDisk(
        compose,
        isWaitedFor() ? 'answering' : 'background',
      )
      for (const record of records) this.deps.missingFiles.clear(record)
      if (isWaitedFor()) await this.waitForFlush()
      return true
    })
  }

  /** The database reports a failed flush. */
  private async waitForFlush(): Promise<void> {
    await this.shared.database.flushed().catch(() => {})
  }

  private analyse(bytes: Buffer, record: DocumentRecord | null, priority: Priority): Promise<Analysis> {
    const before = record && this.shared.contents.find(record.id, record.revision)
    return analyseDiskFile(this.shared, bytes, record, before, priority)
  }
}
