import { TimeSlice } from '../../../data/scheduling/time-slice.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { pathInHome } from '../model/document-paths.ts'
import type { ProjectRoots } from '../storage/project-roots.ts'
import { isMissing } from './skipped-files.ts'

/** Editors and git remove files and bring them back. */
const graceMs = 2000
/** For a folder that repeatedly vanishes and returns. */
const maxRestlessMs = 60_000
/** More deletions at once, and more than this share of a project, need confirmation. */
const massDeletionCount = 20
const massDeletionShare = 0.25
/** Allows for a restart of the server after the confirmation. */
const confirmationMs = 60 * 60 * 1000
const removalsPerCommit = 16

interface MissingFileActions {
  /** Scans everything, since a missing file may be there under another name. */
  lookEverywhere(): Promise<void>
  remove(record: DocumentRecord): Promise<void>
}

export class MissingFiles {
  private readonly deps: DocumentsDeps
  private readonly roots: ProjectRoots
  private readonly sinceMs = new Map<string, number>()
  private readonly unconfirmed = new Map<string, Set<string>>()
  private readonly slice = new TimeSlice()
  private timer: NodeJS.Timeout | null = null
  private ringing: Promise<void> = Promise.resolve()
  private isStopped = false
  private deeds: MissingFileActions = { lookEverywhere: async () => {}, remove: async () => {} }

  constructor(deps: DocumentsDeps, roots: ProjectRoots) {
    this.deps = deps
    this.roots = roots
  }

  start(deeds: MissingFileActions): void {
    this.deeds = deeds
  }

  missingSince(projectId: string): DocumentRecord[] {
    return [...this.sinceMs.keys()].flatMap((id) => {
      const record = this.deps.catalogue.find(id)
      return record?.projectId === projectId ? record : []
    })
  }

  add(record: DocumentRecord): void {
    if (this.sinceMs.has(record.id)) return
    this.sinceMs.set(record.id, this.deps.diskNow())
    this.scheduleCheck(graceMs)
  }

  clear({ id }: DocumentRecord): void {
    if (!this.sinceMs.delete(id)) return
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
    return this.sinceMs.has(record.id)
  }

  awaitingConfirmation(projectId: string): number {
    return this.unconfirmed.get(projectId)?.size ?? 0
  }

  stop(): Promise<void> {
    this.isStopped = true
    if (this.timer) clearTimeout(this.timer)
    return this.ringing
  }

  /** Decides by project, to notice a mass deletion. @param waitMs 0 at start, when no editor can be saving */
  async decide(waitMs = graceMs): Promise<void> {
    const due = new Map<string, DocumentRecord[]>()
    for (const [id, sinceMs] of this.sinceMs) {
      const record = this.deps.catalogue.find(id)
      if (!record) this.sinceMs.delete(id)
      else if (sinceMs + waitMs <= this.deps.diskNow() && this.hasRested(record, sinceMs, waitMs)) {
        const records = due.get(record.projectId)
        if (records) records.push(record)
        else due.set(record.projectId, [record])
      }
    }
    for (const [projectId, records] of due) await this.settleProject(projectId, records)
  }

  async deleteNow({ id }: DocumentRecord): Promise<void> {
    await this.deeds.lookEverywhere()
    const record = this.isStopped ? null : this.deps.catalogue.find(id)
    if (record && this.isMissing(record)) await this.settleProject(record.projectId, [record])
  }

  private scheduleCheck(waitMs: number): void {
    if (!this.isStopped) this.timer ??= setTimeout(() => this.check(), waitMs).unref()
  }

  private check(): void {
    this.timer = null
    this.ringing = this.deeds
      .lookEverywhere()
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
    const nowMs = this.deps.diskNow()
    let minWaitMs: number | null = null
    for (const [id, sinceMs] of this.sinceMs) {
      if (this.needsConfirmation(id)) continue
      const waitMs = sinceMs + graceMs - nowMs
      // Overdue: its project cannot be used, or the database failed.
      minWaitMs = Math.min(minWaitMs ?? graceMs, waitMs > 0 ? waitMs : graceMs)
    }
    return minWaitMs
  }

  /** If its folder is gone, too, the one above must be unchanged; otherwise the watcher reports a return. */
  private hasRested({ projectId, path }: DocumentRecord, sinceMs: number, waitMs: number): boolean {
    const project = this.deps.projects.find(projectId)
    const nowMs = this.deps.diskNow()
    if (!project || waitMs === 0 || sinceMs + maxRestlessMs <= nowMs) return true
    const names = pathInHome(project, path).split('/').slice(0, -1)
    if (this.deps.tree.folderStamp(names.join('/')) !== null) return true
    while (names.pop() !== undefined && names.length > 0) {
      const stamp = this.deps.tree.folderStamp(names.join('/'))
      if (stamp) return Math.max(stamp.mtimeMs, stamp.ctimeMs) + waitMs <= nowMs
    }
    return true
  }

  private needsConfirmation(id: string): boolean {
    for (const ids of this.unconfirmed.values()) if (ids.has(id)) return true
    return false
  }

  private async settleProject(projectId: string, records: DocumentRecord[]): Promise<void> {
    const project = this.deps.projects.find(projectId)
    if (!project || this.roots.check(project) !== null) return
    // After a disk failure during a write, a file may still have to be put back.
    const owed = new Set(this.deps.tree.restoreSetAside().notRestored)
    const away = await this.stillMissing(project, records)
    const gone = away.filter(({ path }) => !owed.has(pathInHome(project, path)))
    const awayCount = this.missingCount(projectId)
    const isTooMany =
      awayCount > massDeletionCount &&
      awayCount > massDeletionShare * this.deps.catalogue.countInProject(projectId)
    const held = this.unconfirmed.get(projectId)
    if (isTooMany || held) {
      if (!this.isConfirmed(project)) {
        this.unconfirmed.set(projectId, new Set([...(held ?? []), ...gone.map(({ id }) => id)]))
        return
      }
      // A confirmation covers the files that are missing now, not those of the next accident.
      await this.deps.projects.consumeConfirmation(project)
    }
    this.unconfirmed.delete(projectId)
    while (gone.length > 0) {
      await Promise.all(
        gone.splice(0, removalsPerCommit).map(async (record) => {
          await this.deeds.remove(record)
          this.sinceMs.delete(record.id)
        }),
      )
    }
  }

  private async stillMissing(project: Project, records: DocumentRecord[]): Promise<DocumentRecord[]> {
    const gone: DocumentRecord[] = []
    for (const record of records) {
      while (this.slice.isOver) await this.slice.pause()
      const stat = this.deps.tree.stat(pathInHome(project, record.path))
      if (stat.kind === 'file') this.clear(record)
      if (isMissing(stat)) gone.push(record)
    }
    // Others may have returned since.
    return gone.filter(({ id }) => this.sinceMs.has(id))
  }

  /** Includes files that have just vanished, since an `rm` of many takes time. */
  private missingCount(projectId: string): number {
    return this.missingSince(projectId).length
  }

  private isConfirmed({ deletionsConfirmedMs }: Project): boolean {
    return deletionsConfirmedMs !== null && this.deps.clock.now() - deletionsConfirmedMs < confirmationMs
  }
}
