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
const fewChanges = 200
const fewEntries = 2000

/** An hour, at two scans a minute. */
const maxScansBetweenRewatches = 120

/** The watcher's hints only trigger comparisons (`docs/architecture.md#an-edit-on-the-disk`). */
export class DiskSync {
  readonly caughtUp = new Signal<void>()
  /** Something changed in the skills folder of a project, which has no documents. */
  readonly skillsChanged = new Signal<Project>()
  private readonly shared: DocumentsDeps
  private readonly settling: StabilityTracker
  private readonly looks: StampChecker
  private readonly oddities = new SkippedFiles()
  private readonly roots: ProjectRoots
  private readonly absences: MissingFiles
  private readonly intake: Ingester
  private readonly sweep: FolderScan
  private readonly passes: ScanScheduler
  /** Ids of the projects whose folders were found usable in this turn. */
  private readonly checkedThisTurn = new Set<string>()
  private watcher: Watcher | null = null
  private readonly hints: HintQueue
  private scansUntilRewatch = 1
  private scansBetweenRewatches = 1
  private starting: Promise<void> = Promise.resolve()
  private isCompared = false
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
    this.settling = new StabilityTracker(shared.diskNow)
    this.looks = new StampChecker(shared.tree, shared.diskNow)
    this.roots = roots
    this.absences = new MissingFiles(shared, this.roots)
    const deps = {
      changeCommitter,
      locks,
      looks: this.looks,
      oddities: this.oddities,
      settling: this.settling,
      roots: this.roots,
      absences: this.absences,
    }
    this.intake = new Ingester(shared, { ...deps, followed: () => this.hints.processed() })
    this.sweep = new FolderScan(shared, { ...deps, intake: this.intake })
    this.passes = new ScanScheduler({
      all: () => this.sweep.all(),
      below: (folders) => this.sweep.below(folders),
      beforeRegular: () => this.rewatchUnwatched(),
      onProblem: shared.onProblem,
    })
    this.hints = new HintQueue({
      follow: (hint) => this.followHint(hint),
      onOverflow: () => this.passes.markAllDirty(),
      onBurst: () => this.passes.scanFolder(burstMs, shared.scanEveryMs),
      diskNow: shared.diskNow,
    })
    this.absences.start({
      lookEverywhere: () => this.scan(),
      remove: (record) =>
        locks.run([record.id], async () => {
          // It may have been written, moved or commented on since.
          const now = shared.catalogue.find(record.id)
          if (now && this.absences.canBeDeleted(now))
            await changeCommitter.commitFromDisk(() => [changeFromDeletion(shared, now)])
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
    await Promise.race([this.starting, this.untilKnownToBeLong()])
    isInBackground = true
  }

  /** Null once everything that happened while the server was down is ingested. */
  get progress(): IngestProgress | null {
    if (this.isCaughtUp) return null
    const { queued, ended } = this.intake.counts
    return { done: ended, total: ended + queued }
  }

  private async untilKnownToBeLong(): Promise<void> {
    await this.pause(startWaitMs)
    while (!this.isCaughtUp && this.sweep.comparedCount <= fewEntries) {
      const { queued, ended } = this.intake.counts
      if (queued + ended > fewChanges) return
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
      this.isCompared = true
      this.isCaughtUp = true
      this.caughtUp.emit()
    }
    if (this.isStopped) return
    this.watcher = await watchTree(this.shared.tree, {
      isExcluded: isInFilesFolder,
      onHint: (hint) => this.hints.add(hint),
      onProblem: (state) => this.handleTrouble(state),
    })
    // Finds what changed between the scan and the first watch.
    await this.scan()
    this.passes.scanFolder(this.shared.scanEveryMs, this.shared.scanEveryMs)
  }

  /** Changes that cannot be recorded, as on a full disk, stay readable and are ingested by a later scan. */
  private async catchUp(): Promise<void> {
    try {
      const { taken } = await this.sweep.all()
      this.isCompared = true
      await taken
      await this.absences.decide(0)
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
    this.sweep.stop()
    const ended = [this.absences.stop(), this.intake.stop(), this.passes.stop()]
    await this.starting.catch(() => {})
    await this.watcher?.close()
    await Promise.all(ended)
  }

  /** Ingests an unseen edit. @throws WorkspaceError `unavailable`, also if a deletion needs confirmation */
  async reconcile(record: DocumentRecord): Promise<void> {
    const project = this.shared.projects.find(record.projectId)!
    await this.checkPath(pathInHome(project, record.path))
    const now = this.shared.catalogue.find(record.id)
    if (now === null) return
    if (this.isMissing(now)) this.unreadableError(project, now)
    const reason = this.oddities.covers(pathInHome(project, now.path))
    if (reason) throw new WorkspaceError('unavailable', `The file ${now.path} is there, but ${reason}.`)
  }

  isReconciled(record: DocumentRecord, project: Project): boolean {
    return this.looks.isUnchanged(pathInHome(project, record.path), record)
  }

  /** @param stamp of the document's file, read in this turn */
  isReconciledAt(stamp: FileStamp, record: DocumentRecord, project: Project): boolean {
    return this.looks.verifyStamp(pathInHome(project, record.path), record, stamp)
  }

  /** Uses a `stat` that the requests of one turn share. */
  isReconciledCached(record: DocumentRecord, project: Project): boolean {
    return this.looks.isUnchangedCached(pathInHome(project, record.path), record)
  }

  /** @param path in the home @throws WorkspaceError `unavailable` if the disk fails */
  async checkPath(path: string): Promise<void> {
    if (!isSafeName(path)) return
    try {
      await this.intake.ingestNow(path, 'answering')
    } catch (error) {
      throw readUnavailableError(error)
    }
  }

  /** Compares only folders in which entries came or went since the last scan. */
  async rescanFolder(project: Project, folder: string): Promise<void> {
    await this.sweep.rescan(project, folder)
  }

  /** As `rescanFolder`, but brief during the scan of a start: lists then say that they are incomplete. */
  async rescanForList(project: Project, folder: string): Promise<void> {
    const rescan = this.rescanFolder(project, folder)
    if (this.isCompared) return rescan
    await Promise.race([rescan, this.pause(startWaitMs)])
  }

  isMissing(record: DocumentRecord): boolean {
    const project = this.shared.projects.find(record.projectId)!
    return this.absences.isMissing(record) && !this.isReconciled(record, project)
  }

  get copiesVersion(): number {
    return this.sweep.copiesVersion
  }

  async listed(projectId: string, kind: DocumentKind, authorId = ''): Promise<DocumentRecord[]> {
    const records = this.shared.catalogue.ofKind(projectId, kind, authorId)
    const away = await this.missing(projectId, kind)
    return away.size === 0 ? records : records.filter(({ id }) => !away.has(id))
  }

  /** Not for drafts. */
  async countListed(projectId: string, kind: DocumentKind): Promise<number> {
    const away = await this.missing(projectId, kind)
    return this.shared.catalogue.countOfKind(projectId, kind) - away.size
  }

  /** False if the file is missing from a project that can be read. */
  isMounted(record: DocumentRecord): boolean {
    return !this.absences.canBeDeleted(record)
  }

  /** Ids of documents whose files are missing, and may return. */
  async missing(projectId: string, kind: DocumentKind): Promise<ReadonlySet<string>> {
    const slice = new TimeSlice()
    const away = new Set<string>()
    for (const record of this.absences.missingSince(projectId)) {
      while (slice.isOver) await slice.pause()
      if (record.kind === kind && this.isMissing(record)) away.add(record.id)
    }
    return away
  }

  /** Deletes it unless the file turns up under another name. @throws WorkspaceError `unavailable` */
  async confirmDeletion(record: DocumentRecord): Promise<void> {
    try {
      await this.absences.deleteNow(record)
    } catch (error) {
      throw readUnavailableError(error)
    }
    const now = this.shared.catalogue.find(record.id)
    if (now && this.isMissing(now)) this.unreadableError(this.shared.projects.find(now.projectId)!, now)
  }

  /** A write checks the folder, since its disk may be unmounted. @throws WorkspaceError `unavailable` */
  requireUsable(project: Project, intent: 'read' | 'write' = 'read'): void {
    const isTroubled = this.roots.trouble(project) !== null
    if (intent === 'write' || isTroubled) {
      const isChecked = !isTroubled && this.checkedThisTurn.has(project.id)
      const trouble = isChecked ? null : this.roots.check(project)
      if (trouble === null) this.noteChecked(project)
      if (trouble === null || (intent === 'read' && this.roots.isUnfinished(project))) return
      throw unusable(project, trouble)
    }
  }

  /** Writes are placed in a later turn than their check, so those of one turn can share it. */
  private noteChecked({ id }: Project): void {
    if (this.checkedThisTurn.size === 0) setImmediate(() => this.checkedThisTurn.clear())
    this.checkedThisTurn.add(id)
  }

  /** Checks even for a read, before something is reported as missing. @throws WorkspaceError `unavailable` */
  requireMounted(project: Project): void {
    const trouble = this.roots.check(project)
    if (trouble !== null) throw unusable(project, trouble)
  }

  conflictCopies(record: DocumentRecord, project: Project): string[] {
    return this.sweep.conflictCopies(pathInHome(project, record.path))
  }

  /** A request during a scan causes another scan. */
  scan(): Promise<void> {
    return this.passes.scan()
  }

  /** Another process may have added a project, or confirmed a deletion. */
  async refresh(): Promise<void> {
    await this.scan()
    await this.absences.decide()
  }

  problems(): Problem[] {
    const { roots, sweep, absences, watcher } = this
    return diskProblems(this.shared.projects.all(), { roots, sweep, absences, watcher })
  }

  skipped(): Skipped[] {
    return this.oddities.skipped()
  }

  untrackedFolders(project: Project): UntrackedFolder[] {
    return this.sweep.untrackedFolders(project)
  }

  private unreadableError(project: Project, record: DocumentRecord): void {
    const trouble = this.roots.check(project)
    if (trouble) throw unusable(project, trouble)
    if (this.absences.awaitingConfirmation(project.id) > 0) {
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
      const scanned = this.intake.scannedPath(path)
      if (scanned && this.intake.isEcho(hint, stat, scanned)) return false
      if (scanned) {
        this.settling.noteChange(hint)
        this.intake.enqueueHint({ path, stat })
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
    if (!project || inner === '') this.passes.markAllDirty()
    else if (isInSkillsFolder(inner)) this.skillsChanged.emit(project)
    else if (isFolder || this.shared.catalogue.folders.hasDocuments(project.id, inner))
      this.passes.markDirty(path)
    else if (isUntracked(inner)) this.passes.markDirty(path.slice(0, path.lastIndexOf('/')))
  }

  private handleTrouble(state: WatcherState): void {
    if (state.problem) this.shared.onProblem(`The folders cannot be watched: ${state.problem}`)
    this.passes.markAllDirty()
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

const unusable = (project: Project, trouble: string) =>
  new WorkspaceError('unavailable', `The project ${project.slug} cannot be used: ${trouble}.`)
