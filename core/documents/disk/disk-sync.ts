import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import { Signal } from '../../../data/signal.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import {
  type FileStamp,
  type Hint,
  isSafeName,
  type PathStat,
  type Watcher,
  type WatcherState,
  watchTree,
} from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { readUnavailableError } from '../../errors/unavailable.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { Problem } from '../../health/types.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { isInFilesFolder, pathInHome } from '../model/document-paths.ts'
import type { DocumentKind } from '../model/types.ts'
import { isInSkillsFolder, isUntracked, type UntrackedFolder } from '../model/untracked-folders.ts'
import type { ChangeCommitter } from '../recording/change-committer.ts'
import type { ProjectRoots } from '../storage/project-roots.ts'
import { changeFromDeletion } from './disk-changes.ts'
import { diskProblems } from './disk-problems.ts'
import { FolderScan } from './folder-scan.ts'
import { burstMs, HintQueue } from './hint-queue.ts'
import type { IngestProgress } from './ingest-progress.ts'
import { Ingester } from './ingester.ts'
import { MissingFiles } from './missing-files.ts'
import { ScanScheduler } from './scan-scheduler.ts'
import { type Skipped, SkippedFiles } from './skipped-files.ts'
import { StabilityTracker } from './stability-tracker.ts'
import { StampChecker } from './stamp-checker.ts'

/** A start waits for changes made while the server was down, unless that takes longer and there are more. */
const startWaitMs = 250
const maxChangesToWaitFor = 200
const maxEntriesToWaitFor = 2000

/** An hour, at two scans a minute. */
const maxScansBetweenRewatches = 120

/** The watcher's hints only trigger comparisons (`docs/architecture.md#an-edit-on-the-disk`). */
export class DiskSync {
  readonly caughtUp = new Signal<void>()
  /** Something changed in the skills folder of a project, which has no documents. */
  readonly skillsChanged = new Signal<Project>()
  private readonly shared: DocumentsDeps
  private readonly stability: StabilityTracker
  private readonly stampChecker: StampChecker
  private readonly skippedFiles = new SkippedFiles()
  private readonly roots: ProjectRoots
  private readonly missingFiles: MissingFiles
  private readonly ingester: Ingester
  private readonly folderScan: FolderScan
  private readonly scanScheduler: ScanScheduler
  /** Ids of the projects whose folders were found usable in this turn. */
  private readonly checkedThisTurn = new Set<string>()
  private watcher: Watcher | null = null
  private readonly hints: HintQueue
  private scansUntilRewatch = 1
  private scansBetweenRewatches = 1
  private starting: Promise<void> = Promise.resolve()
  private isFirstScanDone = false
  private isCaughtUp = false
  private isStopped = false

  constructor(
    shared: DocumentsDeps,
    {
      changeCommitter,
      locks,
      roots,
    }: { changeCommitter: ChangeCommitter; locks: Locks; roots: ProjectRoots },
  ) {
    this.shared = shared
    this.stability = new StabilityTracker(shared.diskNow)
    this.stampChecker = new StampChecker(shared.tree, shared.diskNow)
    this.roots = roots
    this.missingFiles = new MissingFiles(shared, this.roots)
    const deps = {
      changeCommitter,
      locks,
      stampChecker: this.stampChecker,
      skippedFiles: this.skippedFiles,
      stability: this.stability,
      roots: this.roots,
      missingFiles: this.missingFiles,
    }
    this.ingester = new Ingester(shared, { ...deps, hintsProcessed: () => this.hints.whenProcessed() })
    this.folderScan = new FolderScan(shared, { ...deps, ingester: this.ingester })
    this.scanScheduler = new ScanScheduler({
      clock: shared.clock,
      scanAll: () => this.folderScan.all(),
      scanBelow: (folders) => this.folderScan.below(folders),
      beforeScheduled: () => this.rewatchUnwatched(),
      onProblem: shared.onProblem,
    })
    this.hints = new HintQueue({
      follow: (hint) => this.followHint(hint),
      onOverflow: () => this.scanScheduler.markAllDirty(),
      onBurst: () => this.scanScheduler.scheduleScans(burstMs, shared.scanEveryMs),
      diskNow: shared.diskNow,
    })
    this.missingFiles.start({
      scanAll: () => this.scan(),
      remove: (record) =>
        locks.run([record.id], async () => {
          // It may have been written, moved or commented on since.
          const current = shared.catalogue.find(record.id)
          if (current && this.missingFiles.canBeDeleted(current))
            await changeCommitter.commitFromDisk(() => [changeFromDeletion(shared, current)])
        }),
    })
  }

  /** With much to ingest, continues in the background. A requested document is ingested at once. */
  async start(): Promise<void> {
    let isInBackground = false
    this.starting = this.catchUpAndWatch()
    this.starting.catch((error) => {
      if (isInBackground) this.shared.onProblem('The folders are not watched: restart the server', error)
    })
    await Promise.race([this.starting, this.waitForShortCatchUp()])
    isInBackground = true
  }

  /** Null once everything that happened while the server was down is ingested. */
  get progress(): IngestProgress | null {
    if (this.isCaughtUp) return null
    const { queued, ended } = this.ingester.counts
    return { done: ended, total: ended + queued }
  }

  private async waitForShortCatchUp(): Promise<void> {
    await this.pause(startWaitMs)
    while (!this.isCaughtUp && this.folderScan.comparedCount <= maxEntriesToWaitFor) {
      const { queued, ended } = this.ingester.counts
      if (queued + ended > maxChangesToWaitFor) return
      await this.pause(startWaitMs / 10)
    }
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.shared.clock.after(ms, resolve))
  }

  private async catchUpAndWatch(): Promise<void> {
    try {
      await this.catchUp()
    } finally {
      this.isFirstScanDone = true
      this.isCaughtUp = true
      this.caughtUp.emit()
    }
    if (this.isStopped) return
    this.watcher = await watchTree(this.shared.tree, {
      isExcluded: isInFilesFolder,
      onHint: (hint) => this.hints.add(hint),
      onProblem: (state) => this.handleWatcherProblem(state),
    })
    // Finds what changed between the scan and the first watch.
    await this.scan()
    this.scanScheduler.scheduleScans(this.shared.scanEveryMs, this.shared.scanEveryMs)
  }

  /** Changes that cannot be recorded, as on a full disk, stay readable and are ingested by a later scan. */
  private async catchUp(): Promise<void> {
    try {
      const { ingested } = await this.folderScan.all()
      this.isFirstScanDone = true
      await ingested
      await this.missingFiles.decide(0)
    } catch (error) {
      if (readUnavailableError(error) === error) throw error
      this.shared.onProblem(
        'Changes made while the server was down are not ingested yet; this is tried again',
        error,
      )
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true
    this.folderScan.stop()
    const ended = [this.missingFiles.stop(), this.ingester.stop(), this.scanScheduler.stop()]
    await this.starting.catch(() => {})
    await this.watcher?.close()
    await Promise.all(ended)
  }

  /** Ingests an unseen edit. @throws WorkspaceError `unavailable`, also if a deletion needs confirmation */
  async reconcile(record: DocumentRecord): Promise<void> {
    const project = this.shared.projects.find(record.projectId)!
    await this.checkPath(pathInHome(project, record.path))
    const current = this.shared.catalogue.find(record.id)
    if (current === null) return
    if (this.isMissing(current)) this.requireReadable(project, current)
    const reason = this.skippedFiles.unreadableReason(pathInHome(project, current.path))
    if (reason) throw new WorkspaceError('unavailable', `The file ${current.path} is there, but ${reason}.`)
  }

  isReconciled(record: DocumentRecord, project: Project): boolean {
    return this.stampChecker.isUnchanged(pathInHome(project, record.path), record)
  }

  /** @param stamp of the document's file, read in this turn */
  isReconciledAt(stamp: FileStamp, record: DocumentRecord, project: Project): boolean {
    return this.stampChecker.verifyStamp(pathInHome(project, record.path), record, stamp)
  }

  /** Uses a `stat` that the requests of one turn share. */
  isReconciledCached(record: DocumentRecord, project: Project): boolean {
    return this.stampChecker.isUnchangedCached(pathInHome(project, record.path), record)
  }

  /** @param path in the home @throws WorkspaceError `unavailable` if the disk fails */
  async checkPath(path: string): Promise<void> {
    if (!isSafeName(path)) return
    try {
      await this.ingester.ingestNow(path, 'answering')
    } catch (error) {
      throw readUnavailableError(error)
    }
  }

  /** Compares only folders in which entries came or went since the last scan. */
  async rescanFolder(project: Project, folder: string): Promise<void> {
    await this.folderScan.rescan(project, folder)
  }

  /** As `rescanFolder`, but brief during the scan of a start: lists then say that they are incomplete. */
  async rescanForList(project: Project, folder: string): Promise<void> {
    const rescan = this.rescanFolder(project, folder)
    if (this.isFirstScanDone) return rescan
    await Promise.race([rescan, this.pause(startWaitMs)])
  }

  isMissing(record: DocumentRecord): boolean {
    const project = this.shared.projects.find(record.projectId)!
    return this.missingFiles.isMissing(record) && !this.isReconciled(record, project)
  }

  get copiesVersion(): number {
    return this.folderScan.copiesVersion
  }

  async listed(projectId: string, kind: DocumentKind, authorId = ''): Promise<DocumentRecord[]> {
    const records = this.shared.catalogue.ofKind(projectId, kind, authorId)
    const missing = await this.missing(projectId, kind)
    return missing.size === 0 ? records : records.filter(({ id }) => !missing.has(id))
  }

  /** Not for drafts. */
  async countListed(projectId: string, kind: DocumentKind): Promise<number> {
    const missing = await this.missing(projectId, kind)
    return this.shared.catalogue.countOfKind(projectId, kind) - missing.size
  }

  /** False if the file is missing from a project that can be read. */
  isMounted(record: DocumentRecord): boolean {
    return !this.missingFiles.canBeDeleted(record)
  }

  /** Ids of documents whose files are missing, and may return. */
  async missing(projectId: string, kind: DocumentKind): Promise<ReadonlySet<string>> {
    const slice = new TimeSlice()
    const missing = new Set<string>()
    for (const record of this.missingFiles.missingIn(projectId)) {
      while (slice.isOver) await slice.pause()
      if (record.kind === kind && this.isMissing(record)) missing.add(record.id)
    }
    return missing
  }

  /** Deletes it unless the file turns up under another name. @throws WorkspaceError `unavailable` */
  async confirmDeletion(record: DocumentRecord): Promise<void> {
    try {
      await this.missingFiles.deleteNow(record)
    } catch (error) {
      throw readUnavailableError(error)
    }
    const current = this.shared.catalogue.find(record.id)
    if (current && this.isMissing(current))
      this.requireReadable(this.shared.projects.find(current.projectId)!, current)
  }

  /** A write checks the folder, since its disk may be unmounted. @throws WorkspaceError `unavailable` */
  requireUsable(project: Project, intent: 'read' | 'write' = 'read'): void {
    const hasProblem = this.roots.problemOf(project) !== null
    if (intent === 'write' || hasProblem) {
      const isChecked = !hasProblem && this.checkedThisTurn.has(project.id)
      const problem = isChecked ? null : this.roots.check(project)
      if (problem === null) this.noteChecked(project)
      if (problem === null || (intent === 'read' && this.roots.isUnfinished(project))) return
      throw unusable(project, problem)
    }
  }

  /** Writes are placed in a later turn than their check, so those of one turn can share it. */
  private noteChecked({ id }: Project): void {
    if (this.checkedThisTurn.size === 0) setImmediate(() => this.checkedThisTurn.clear())
    this.checkedThisTurn.add(id)
  }

  /** Checks even for a read, before something is reported as missing. @throws WorkspaceError `unavailable` */
  requireMounted(project: Project): void {
    const problem = this.roots.check(project)
    if (problem !== null) throw unusable(project, problem)
  }

  conflictCopies(record: DocumentRecord, project: Project): string[] {
    return this.folderScan.conflictCopies(pathInHome(project, record.path))
  }

  /** A request during a scan causes another scan. */
  scan(): Promise<void> {
    return this.scanScheduler.scan()
  }

  /** Another process may have added a project, or confirmed a deletion. */
  async refresh(): Promise<void> {
    await this.scan()
    await this.missingFiles.decide()
  }

  problems(): Problem[] {
    const { roots, folderScan, missingFiles, watcher } = this
    return diskProblems(this.shared.projects.all(), { roots, folderScan, missingFiles, watcher })
  }

  skipped(): Skipped[] {
    return this.skippedFiles.skipped()
  }

  untrackedFolders(project: Project): UntrackedFolder[] {
    return this.folderScan.untrackedFolders(project)
  }

  private requireReadable(project: Project, record: DocumentRecord): void {
    const problem = this.roots.check(project)
    if (problem) throw unusable(project, problem)
    if (this.missingFiles.awaitingConfirmation(project.id) > 0) {
      throw new WorkspaceError(
        'unavailable',
        `The file ${record.path} vanished from the disk together with many others. ` +
          `Restore it, or let an owner confirm the deletion: workroom doctor --confirm-deletions ${project.slug}`,
      )
    }
  }

  /** @returns whether something has changed that was not known */
  private followHint(hint: Hint): boolean {
    const { path } = hint
    try {
      // Shared by hints that are followed together, since all came before.
      const stat = this.shared.tree.statCached(path)
      const scanned = this.ingester.scannedPath(path)
      if (scanned && this.ingester.isEcho(hint, stat, scanned)) return false
      if (scanned) {
        this.stability.noteChange(hint)
        this.ingester.enqueueHint({ path, stat })
      }
      this.markDirty(path, stat)
    } catch (error) {
      this.shared.onProblem(`A change on the disk could not be checked: ${path}`, error)
    }
    return true
  }

  private markDirty(path: string, stat: PathStat): void {
    const [, folder, ...names] = path.split('/')
    const project = folder === undefined ? null : this.roots.projectIn(folder)
    const inner = names.join('/')
    const isFolder = stat.kind === 'skipped' && stat.reason === 'folder'
    if (!project || inner === '') this.scanScheduler.markAllDirty()
    else if (isInSkillsFolder(inner)) this.skillsChanged.emit(project)
    else if (isFolder || this.shared.catalogue.folders.hasDocuments(project.id, inner))
      this.scanScheduler.markDirty(path)
    else if (isUntracked(inner)) this.scanScheduler.markDirty(path.slice(0, path.lastIndexOf('/')))
  }

  private handleWatcherProblem(state: WatcherState): void {
    if (state.problem) this.shared.onProblem(`The folders cannot be watched: ${state.problem}`)
    this.scanScheduler.markAllDirty()
  }

  private rewatchUnwatched(): void {
    if (!this.watcher?.state().problem) {
      this.scansUntilRewatch = 1
      this.scansBetweenRewatches = 1
    } else if (--this.scansUntilRewatch === 0) {
      this.scansUntilRewatch = this.scansBetweenRewatches
      this.scansBetweenRewatches = Math.min(2 * this.scansBetweenRewatches, maxScansBetweenRewatches)
      void this.watcher.rewatch()
    }
  }
}

const unusable = (project: Project, problem: string) =>
  new WorkspaceError('unavailable', `The project ${project.slug} cannot be used: ${problem}.`)
