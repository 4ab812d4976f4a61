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
const stepMs: Record<Priority, number> = { answering: 40, background: 150 }

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
  looks: StampChecker
  oddities: SkippedFiles
  settling: StabilityTracker
  roots: ProjectRoots
  absences: MissingFiles
  followed: () => Promise<void> | null
}

/** Checks a path until it is stable, then records it like any other write. Never writes to files. */
export class Ingester {
  private readonly shared: DocumentsDeps
  private readonly deps: IngesterDeps
  private readonly identities: RenameDetector
  private readonly queue: IngestQueue
  private readonly pending = new PendingFiles()
  private readonly slice = new TimeSlice()
  /** Count of paths found by scans and not queued yet. */
  private backlog = 0
  private largeCount = 0
  private listed: { stamp: string; unknown: readonly string[] } = { stamp: '', unknown: [] }

  constructor(shared: DocumentsDeps, deps: IngesterDeps) {
    this.shared = shared
    this.deps = deps
    this.identities = new RenameDetector(shared)
    this.queue = new IngestQueue({
      ingest: (job) => this.work(job),
      onEnd: ({ path }) => {
        this.pending.remove(path)
        this.deps.settling.clear(path)
      },
    })
  }

  /** @param path in the home @returns when it is stable and the catalogue equals the disk */
  ingestNow(path: string, priority: Priority): Promise<void> {
    const stat = this.shared.tree.stat(path)
    // For a new document: nothing is or was at the path, so the queue can be skipped.
    if (stat.kind === 'missing' && !this.scannedPath(path)?.known && !this.queue.has(path)) {
      this.deps.oddities.clear(path)
      return Promise.resolve()
    }
    this.pending.put(path, stat)
    return this.queue.add(path, priority)
  }

  /**
   * Whether a hint reports what is known, as after a write of this process. A write in place has a hint of its
   * own, so an equal stamp is conclusive for a name that came, even within a tick of the last look.
   */
  isEcho({ path, kind }: Hint, stat: PathStat, { known }: ScannedPath): boolean {
    if (kind !== 'moved' || !known?.stamp || this.queue.has(path)) return false
    if (stat.kind !== 'file' || !sameStamp(known.stamp, stat.stamp)) return false
    this.deps.oddities.clear(path)
    this.deps.absences.clear(known)
    return true
  }

  enqueueHint({ path, stat }: Found): void {
    this.pending.put(path, stat)
    void this.add(path, 'background')
  }

  /** Registers all files before deciding on the first, since one may have moved to the path of another. */
  async ingestAll(found: readonly Found[], priority: Priority): Promise<{ taken: Promise<unknown> }> {
    const paths: string[] = []
    for (const { path, stat } of found) {
      while (this.slice.isOver) await this.slice.pause()
      this.pending.put(path, stat)
      paths.push(path)
    }
    if (priority === 'background') return { taken: this.ingestInTurn(paths) }
    const taking: Promise<void>[] = []
    for (const path of paths) {
      while (this.slice.isOver) await this.slice.pause()
      taking.push(this.add(path, priority))
    }
    return { taken: Promise.all(taking) }
  }

  /** Limits the jobs at a time, since each takes a kilobyte. */
  private async ingestInTurn(paths: readonly string[]): Promise<void> {
    this.backlog += paths.length
    const ahead = paths.values()
    const takeNext = async () => {
      for (const path of ahead) {
        this.backlog -= 1
        await this.add(path, 'background')
      }
    }
    await Promise.all(Array.from({ length: Math.min(maxJobs, paths.length) }, takeNext))
  }

  private add(path: string, priority: Priority): Promise<void> {
    return this.queue
      .add(path, priority)
      .catch((error) => this.shared.onProblem(`A change on the disk could not be ingested: ${path}`, error))
  }

  /** Returns jobs for new documents below a folder (path in the home); null if there are more than `max`. */
  arrivals(folder: string, max: number): Promise<void>[] | null {
    const arriving: Promise<void>[] = []
    let count = 0
    for (const { path, done } of this.queue.jobs()) {
      count += 1
      if (count > maxJobsCompared) return null
      if (!path.startsWith(`${folder}/`) || this.scannedPath(path)?.known !== null) continue
      arriving.push(done)
      if (arriving.length > max) return null
    }
    return arriving.map((done) => done.catch(() => {}))
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
    return { project, path: inner, known: this.shared.catalogue.at(project.id, inner) }
  }

  private async work(job: IngestJob): Promise<number | null> {
    const { path } = job
    // Changes that were reported together are all known before any is decided on.
    await this.deps.followed()
    const stat = this.shared.tree.stat(path)
    this.pending.put(path, stat)
    const waitMs = this.isUnchanged(path, stat) ? 0 : this.deps.settling.waitMs(path, stat)
    if (waitMs > 0) return Math.ceil(Math.min(waitMs, stepMs[job.priority]))
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
    const known = this.scannedPath(path)?.known
    if (!known || stat.kind !== 'file' || stat.stamp.size !== known.bytes) return false
    return this.deps.looks.verifyStamp(path, known, stat.stamp)
  }

  /** @returns false if the path changed and must be checked again */
  private async readAndCompare(path: string, stat: PathStat, priority: Priority): Promise<boolean> {
    const spot = this.scannedPath(path)
    if (!spot || this.deps.roots.trouble(spot.project) !== null) return true
    const { project, known } = spot
    if (stat.kind === 'skipped' && stat.reason !== 'folder') this.deps.oddities.note(path, stat.reason)
    else this.deps.oddities.clear(path)
    if (canStillExist(stat)) return true
    if (stat.kind !== 'file') {
      if (known) this.deps.absences.add(known)
      return true
    }
    if (known) this.deps.absences.clear(known)
    if (known && this.deps.looks.verifyStamp(path, known, stat.stamp)) return true
    const lookedMs = this.shared.diskNow()
    const content = this.shared.tree.read(path, stat)
    if (!content) return this.noteUnreadable(path, stat)
    const revision = revisionOf(content.bytes)
    const identity = this.identities.match(project, spot.path, known, content.stamp, revision)
    const renamed =
      identity.kind === 'edit' ? this.findRenamed(identity.record, content.stamp, revision) : null
    if (renamed) {
      await this.ingestRenames([renamed], null, priority)
      return false
    }
    if (identity.kind === 'edit' && identity.record.revision === revision) {
      this.acceptStat(identity.record, { ...content.stamp, lookedMs })
      return true
    }
    return this.ingest(spot, content, { identity, lookedMs, priority })
  }

  private noteUnreadable(path: string, before: PathStat & { kind: 'file' }): boolean {
    const stat = this.shared.tree.stat(path)
    if (stat.kind !== 'file' || !sameStamp(stat.stamp, before.stamp)) return false
    this.deps.oddities.note(path, 'unreadable')
    return true
  }

  private acceptStat(record: DocumentRecord, stamp: CheckedStamp): void {
    const { catalogue, database, documents } = this.shared
    catalogue.put({ ...record, stamp })
    database.commitLater(() => documents.setStamp(record.id, record.revision, stamp))
  }

  private async ingest(
    spot: ScannedPath,
    content: FileContent,
    found: { identity: DocumentMatch; lookedMs: number; priority: Priority },
  ): Promise<boolean> {
    const { identity } = found
    if (identity.kind === 'moves')
      return this.ingestRenames(identity.moves, identity.overwritten, found.priority)
    const record = identity.kind === 'new' ? null : identity.record
    const analysis = await this.analyse(content.bytes, record, found.priority)
    const compose = () => [
      changeFromFile(this.shared, spot, record, { stamp: content.stamp, analysis, lookedMs: found.lookedMs }),
    ]
    return this.recordStamp([{ spot, stamp: content.stamp, record }], compose, found.priority)
  }

  /** Several documents may have changed places. The one whose path was taken is deleted. */
  private async ingestRenames(
    moves: FileRename[],
    displaced: DocumentRecord | null,
    priority: Priority,
  ): Promise<boolean> {
    const { tree } = this.shared
    const elsewhere = displaced && this.findElsewhere(displaced)
    const all = elsewhere ? [...moves, elsewhere] : moves
    const lookedMs = this.shared.diskNow()
    const steps: {
      spot: ScannedPath
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
      steps.push({
        spot: { project, path, known: this.shared.catalogue.at(project.id, path) },
        content,
        record,
        analysis,
      })
    }
    const overwritten = elsewhere ? null : displaced
    return this.recordStamp(
      steps.map(({ spot, content, record }) => ({ spot, stamp: content.stamp, record })),
      () => [
        ...(overwritten ? [changeFromDeletion(this.shared, overwritten)] : []),
        ...steps.map(({ spot, content, record, analysis }) =>
          changeFromFile(this.shared, spot, record, { stamp: content.stamp, analysis, lookedMs }),
        ),
      ],
      priority,
    )
  }

  /** A document whose path was taken may itself have been renamed to a queued path. */
  private findElsewhere(
    record: DocumentRecord,
    isAsked: (spot: ScannedPath) => boolean = () => true,
  ): FileRename | null {
    if (!record.stamp) return null
    for (const path of this.pending.pathsOf(record.stamp)) {
      const spot = this.scannedPath(path)
      if (!spot || !isAsked(spot) || spot.known?.id === record.id) continue
      const stat = this.shared.tree.stat(path)
      if (stat.kind === 'file' && isSameInode(stat.stamp, record.stamp))
        return { record, project: spot.project, path: spot.path }
    }
    return null
  }

  /**
   * Finds where a document was renamed to before another file took its path. Only paths that held nothing are
   * considered. Equal bytes may be a copy of the renamed file, which has had no hint yet.
   */
  private findRenamed(
    record: DocumentRecord,
    stamp: FileContent['stamp'],
    revision: string,
  ): FileRename | null {
    if (!record.stamp || isSameInode(record.stamp, stamp)) return null
    const queued = this.findElsewhere(record, ({ known }) => known === null)
    return queued ?? (record.revision === revision ? this.findBeside(record, record.stamp) : null)
  }

  private findBeside(record: DocumentRecord, stamp: CheckedStamp): FileRename | null {
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
    if (this.listed.stamp !== stamp) {
      const names = tree.names(path) ?? []
      this.listed = {
        stamp,
        unknown: names.filter((name) => this.scannedPath(`${path}/${name}`)?.known === null),
      }
    }
    const prefix = folder === '' ? '' : `${folder}/`
    return this.listed.unknown.filter((name) => catalogue.at(project.id, prefix + name) === null)
  }

  /** Does nothing unless disk and catalogue are still as they were when the decision was made. */
  private async recordStamp(
    expected: { spot: ScannedPath; stamp: FileContent['stamp']; record: DocumentRecord | null }[],
    compose: () => Change[],
    priority: Priority,
  ): Promise<boolean> {
    const { catalogue, tree, projects } = this.shared
    const names = expected.map(({ spot, record }) => record?.id ?? pathInHome(spot.project, spot.path))
    return this.deps.locks.run(names, async () => {
      const isAsDecided = expected.every(({ spot, stamp, record }) => {
        const stat = tree.stat(pathInHome(spot.project, spot.path))
        return (
          stat.kind === 'file' &&
          sameStamp(stat.stamp, stamp) &&
          projects.find(spot.project.id) !== null &&
          catalogue.at(spot.project.id, spot.path) === spot.known &&
          (record === null || record.deletedMs !== null || catalogue.find(record.id) === record)
        )
      })
      if (!isAsDecided) return false
      const isWaitedFor = () =>
        priority === 'answering' ||
        expected.some(({ spot }) => this.queue.isWaitedFor(pathInHome(spot.project, spot.path)))
      const taken = await this.deps.changeCommitter.commitFromDisk(
        compose,
        isWaitedFor() ? 'answering' : 'background',
      )
      for (const record of taken) this.deps.absences.clear(record)
      if (isWaitedFor()) await this.flushed()
      return true
    })
  }

  /** The database reports a failed flush. */
  private async flushed(): Promise<void> {
    await this.shared.database.flushed().catch(() => {})
  }

  private analyse(bytes: Buffer, record: DocumentRecord | null, priority: Priority): Promise<Analysis> {
    const before = record && this.shared.contents.find(record.id, record.revision)
    return analyseDiskFile(this.shared, bytes, record, before, priority)
  }
}
