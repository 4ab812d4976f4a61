import { isDeepStrictEqual } from 'node:util'
import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { Timer } from '../../time/clock.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { ProjectRoots } from '../storage/project-roots.ts'
import { isMissing } from './skipped-files.ts'

/** Editors and git remove files and bring them back. */
const graceMs = 2000
/** For a folder that repeatedly vanishes and returns. */
const maxUnstableMs = 60_000
/** More deletions at once, and more than this share of a project, need confirmation. */
const massDeletionCount = 20
const massDeletionShare = 0.25
/** Allows for a restart of the server after the confirmation. */
const confirmationMs = 60 * 60 * 1000
const removalsPerCommit = 16

interface MissingFileActions {
  /** Scans everything, since a missing file may be there under another name. */
  scanAll(): Promise<void>
  remove(record: DocumentRecord): Promise<void>
}

type FolderStamp = NonNullable<ReturnType<DocumentsDeps['tree']['folderStamp']>>

interface MissingSince {
  elapsedMs: number
  /** As `parentOfGone`, when the file was found missing. */
  parent: FolderStamp | null
}

export class MissingFiles {
  private readonly missingSince = new Map<string, MissingSince>()
  private readonly unconfirmed = new Map<string, Set<string>>()
  private readonly slice = new TimeSlice()
  private timer: Timer | null = null
  private checking: Promise<void> = Promise.resolve()
  private isStopped = false
  private actions: MissingFileActions = { scanAll: async () => {}, remove: async () => {} }

  constructor(
    private readonly deps: DocumentsDeps,
    private readonly roots: ProjectRoots,
  ) {}

  start(actions: MissingFileActions): void {
    this.actions = actions
  }

  missingIn(projectId: string): DocumentRecord[] {
    return [...this.missingSince.keys()].flatMap((id) => {
      const record = this.deps.catalogue.find(id)
      return record?.projectId === projectId ? record : []
    })
  }

  add(record: DocumentRecord): void {
    if (this.missingSince.has(record.id)) return
    this.missingSince.set(record.id, {
      elapsedMs: this.deps.clock.elapsed(),
      parent: this.parentOfGone(record),
    })
    this.scheduleCheck(graceMs)
  }

  clear({ id }: DocumentRecord): void {
    if (!this.missingSince.delete(id)) return
    for (const [projectId, ids] of this.unconfirmed) {
      if (ids.delete(id) && ids.size === 0) this.unconfirmed.delete(projectId)
    }
  }

  /** Checks the disk; false while the project's folder cannot be used. */
  canBeDeleted({ projectId, path }: DocumentRecord): boolean {
    const project = this.deps.projects.find(projectId)!
    return isMissing(this.deps.tree.stat(pathInHome(project, path))) && this.roots.check(project) === null
  }

  isMissing(record: DocumentRecord): boolean {
    return this.missingSince.has(record.id)
  }

  awaitingConfirmation(projectId: string): number {
    return this.unconfirmed.get(projectId)?.size ?? 0
  }

  stop(): Promise<void> {
    this.isStopped = true
    this.timer?.cancel()
    return this.checking
  }

  /** Decides by project, to notice a mass deletion. @param waitMs 0 at start, when no editor can be saving */
  async decide(waitMs = graceMs): Promise<void> {
    const due = new Map<string, DocumentRecord[]>()
    const nowMs = this.deps.clock.elapsed()
    for (const [id, since] of this.missingSince) {
      const record = this.deps.catalogue.find(id)
      if (!record) this.missingSince.delete(id)
      else if (since.elapsedMs + waitMs <= nowMs && this.isFolderStable(record, since, waitMs)) {
        const records = due.get(record.projectId)
        if (records) records.push(record)
        else due.set(record.projectId, [record])
      }
    }
    for (const [projectId, records] of due) await this.decideForProject(projectId, records)
  }

  async deleteNow({ id }: DocumentRecord): Promise<void> {
    await this.actions.scanAll()
    const record = this.isStopped ? null : this.deps.catalogue.find(id)
    if (record && this.isMissing(record)) await this.decideForProject(record.projectId, [record])
  }

  private scheduleCheck(waitMs: number): void {
    if (!this.isStopped) this.timer ??= this.deps.clock.after(waitMs, () => this.check())
  }

  private check(): void {
    this.timer = null
    this.checking = this.actions
      .scanAll()
      // A scan that was stopped has not seen everything.
      .then(() => (this.isStopped ? undefined : this.decide()))
      .catch((error) =>
        this.deps.onProblem('Deletions on the disk could not be recorded; this is tried again', error),
      )
      .finally(() => {
        const waitMs = this.waitMs()
        if (waitMs !== null) this.scheduleCheck(waitMs)
      })
  }

  private waitMs(): number | null {
    const nowMs = this.deps.clock.elapsed()
    let minWaitMs: number | null = null
    for (const [id, { elapsedMs }] of this.missingSince) {
      if (this.needsConfirmation(id)) continue
      const waitMs = elapsedMs + graceMs - nowMs
      // Overdue: its project cannot be used, its folder is unstable, or the database failed.
      minWaitMs = Math.min(minWaitMs ?? graceMs, waitMs > 0 ? waitMs : graceMs)
    }
    return minWaitMs
  }

  /** If its folder is gone, too, the one above must be unchanged; otherwise the watcher reports a return. */
  private isFolderStable(record: DocumentRecord, since: MissingSince, waitMs: number): boolean {
    if (waitMs === 0 || this.deps.clock.elapsed() - since.elapsedMs >= maxUnstableMs) return true
    const parent = this.parentOfGone(record)
    if (!parent || isDeepStrictEqual(parent, since.parent)) return true
    return Math.max(parent.mtimeMs, parent.ctimeMs) + waitMs <= this.deps.diskNow()
  }

  /** The stamp of the nearest folder above a folder that is gone; null if the file's folder is there. */
  private parentOfGone({ projectId, path }: DocumentRecord): FolderStamp | null {
    const { projects, tree } = this.deps
    const project = projects.find(projectId)
    const names = project ? pathInHome(project, path).split('/').slice(0, -1) : []
    if (tree.folderStamp(names.join('/')) !== null) return null
    while (names.pop() !== undefined && names.length > 0) {
      const stamp = tree.folderStamp(names.join('/'))
      if (stamp) return stamp
    }
    return null
  }

  private needsConfirmation(id: string): boolean {
    for (const ids of this.unconfirmed.values()) if (ids.has(id)) return true
    return false
  }

  private async decideForProject(projectId: string, records: DocumentRecord[]): Promise<void> {
    const project = this.deps.projects.find(projectId)
    if (!project || this.roots.check(project) !== null) return
    // After a disk failure during a write, a file may still have to be put back.
    const notRestored = new Set(this.deps.tree.restoreSetAside().notRestored)
    const missing = await this.stillMissing(project, records)
    const deletable = missing.filter(({ path }) => !notRestored.has(pathInHome(project, path)))
    const missingCount = this.missingCount(projectId)
    const isMassDeletion =
      missingCount > massDeletionCount &&
      missingCount > massDeletionShare * this.deps.catalogue.countInProject(projectId)
    const unconfirmed = this.unconfirmed.get(projectId)
    if (isMassDeletion || unconfirmed) {
      if (!this.isConfirmed(project)) {
        this.unconfirmed.set(projectId, new Set([...(unconfirmed ?? []), ...deletable.map(({ id }) => id)]))
        return
      }
      // A confirmation covers the files that are missing now, not those of the next accident.
      await this.deps.projects.consumeConfirmation(project)
    }
    this.unconfirmed.delete(projectId)
    while (deletable.length > 0) {
      await Promise.all(
        deletable.splice(0, removalsPerCommit).map(async (record) => {
          await this.actions.remove(record)
          this.missingSince.delete(record.id)
        }),
      )
    }
  }

  private async stillMissing(project: Project, records: DocumentRecord[]): Promise<DocumentRecord[]> {
    const missing: DocumentRecord[] = []
    for (const record of records) {
      while (this.slice.isOver) await this.slice.pause()
      const stat = this.deps.tree.stat(pathInHome(project, record.path))
      if (stat.kind === 'file') this.clear(record)
      if (isMissing(stat)) missing.push(record)
    }
    // Others may have returned since.
    return missing.filter(({ id }) => this.missingSince.has(id))
  }

  /** Includes files that have just vanished, since an `rm` of many takes time. */
  private missingCount(projectId: string): number {
    return this.missingIn(projectId).length
  }

  private isConfirmed({ deletionsConfirmedMs }: Project): boolean {
    return deletionsConfirmedMs !== null && this.deps.clock.now() - deletionsConfirmedMs < confirmationMs
  }
}
