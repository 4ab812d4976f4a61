import { posix } from 'node:path'
import type { Database } from '../../data/database.ts'
import { Signal } from '../../data/signal.ts'
import type { TrashedFile, TrashedFilesTable } from '../../data/tables/trashed-files.ts'
import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireFileDeletion, requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import { pathInHome } from '../documents/model/document-paths.ts'
import { trashMs } from '../documents/model/retention.ts'
import { commitOrUnavailable, writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Clock } from '../time/clock.ts'
import { extensionOf, numberedName } from './file-names.ts'

interface FileTrashDeps
  extends Pick<
    SharedDeps,
    'clock' | 'database' | 'tree' | 'newId' | 'members' | 'projects' | 'changeTopics' | 'onProblem'
  > {
  trashedFiles: TrashedFilesTable
}

/** For each project: the oldest are purged first, the newest deletion never. */
const maxFiles = 10_000
const maxBytes = 10 * 1024 ** 3
const maxListed = 1000
const minPurgeIntervalMs = 1000
const dayMs = 24 * 60 * 60 * 1000
const retryIntervalMs = 60 * 60 * 1000
const batchSize = 200

/** Deleted files that were no documents, such as uploads, in `trash/<project>/deleted`. */
export class FileTrash {
  private readonly clock: Clock
  private readonly database: Database
  private readonly tree: Tree
  private readonly files: TrashedFilesTable
  private readonly deps: FileTrashDeps
  private readonly moved = new Signal<number>()

  constructor(deps: FileTrashDeps) {
    this.clock = deps.clock
    this.database = deps.database
    this.tree = deps.tree
    this.files = deps.trashedFiles
    this.deps = deps
  }

  onMoved(listener: (dueMs: number) => void): void {
    this.moved.listen(listener)
  }

  /** Adds rows for files without one, such as those deleted during a backup. Their former paths are lost. */
  async recordUnknownFiles(): Promise<void> {
    const rows = this.deps.projects.all().flatMap((project) => {
      const names = this.tree.names(folderOf(project)) ?? []
      return names.flatMap((name) => this.rowForUnknownFile(project, `${folderOf(project)}/${name}`) ?? [])
    })
    if (rows.length === 0) return
    try {
      await this.database.commit(() => {
        for (const row of rows) this.files.put(row)
      })
    } catch (error) {
      this.deps.onProblem('Files in the trash without a known deletion cannot be listed', error)
    }
  }

  /** Durable. Returns an id for `restore`. @throws DiskError with the file still at its path */
  async moveToTrash(member: Member, project: Project, path: string): Promise<string> {
    const source = pathInHome(project, path)
    const stat = this.tree.statAnySize(source)
    const bytes = stat.kind === 'file' ? stat.stamp.size : 0
    return this.recordWhile(member, project, { path, bytes }, (trashPath) => this.move(source, trashPath))
  }

  /** Records a file that a write replaces. `replace` must move it to `trashPath`, durably. Returns its id. */
  async recordWhile(
    member: Member,
    project: Project,
    { path, bytes }: Pick<TrashedFile, 'path' | 'bytes'>,
    replace: (trashPath: string) => Promise<void>,
  ): Promise<string> {
    const id = this.deps.newId('file')
    const row: TrashedFile = {
      id,
      projectId: project.id,
      path,
      trashPath: `${folderOf(project)}/${id}-${extensionOf(posix.basename(path))}`,
      bytes,
      deletedMs: this.clock.now(),
      deletedBy: member.id,
    }
    // First, because after a crash a row without a file is better than a file without a row.
    await commitOrUnavailable(this.database, () => this.files.put(row))
    try {
      await replace(row.trashPath)
    } catch (error) {
      if (this.tree.statAnySize(row.trashPath).kind !== 'file') {
        await this.database.commit(() => this.files.remove(id))
      }
      throw error
    }
    this.deps.changeTopics.markChanged(`project:${project.id}`)
    this.moved.emit(row.deletedMs + trashMs + 1)
    await this.enforceLimits(project)
    return id
  }

  /** Must be called inside the commit that deletes the folder. */
  recordDeletion(
    member: Member,
    project: Project,
    files: readonly Pick<TrashedFile, 'path' | 'trashPath' | 'bytes'>[],
  ): void {
    const deletedMs = this.clock.now()
    for (const file of files) {
      this.files.put({
        ...file,
        id: this.deps.newId('file'),
        projectId: project.id,
        deletedMs,
        deletedBy: member.id,
      })
    }
    if (files.length > 0) this.moved.emit(deletedMs + trashMs + 1)
  }

  list(project: Project): TrashedFile[] {
    return this.files.newest(project.id, maxListed).filter((row) => this.hasFile(row))
  }

  /** Returns the path, which differs if the former one is taken; null for an unknown id. @throws `conflict` */
  async restore(caller: Caller, project: Project, id: string): Promise<string | null> {
    const row = this.files.find(id)
    if (row?.projectId !== project.id || !this.hasFile(row)) return null
    requireScope(caller, 'documents:write')
    if (row.deletedBy !== caller.member.id) {
      requireFileDeletion(caller.member, this.deps.projects.roleOf(project, caller.member))
    }
    try {
      const path = this.availablePath(project, row.path)
      await this.move(row.trashPath, pathInHome(project, path))
      await this.database.commit(() => this.files.remove(id))
      this.deps.changeTopics.markChanged(`project:${project.id}`)
      return path
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }

  /** Returns when the next file is due, or null. */
  async purgeExpired(): Promise<number | null> {
    const maxDeletedMs = this.clock.now() + dayMs
    // A file deleted while the clock was ahead counts from the day on which that is noticed.
    if (this.clock.retentionCutoff(trashMs) > 0 && this.files.hasDeletedAfter(maxDeletedMs)) {
      await this.database.commit(() => this.files.restampDeleted(maxDeletedMs, this.clock.now()))
    }
    for (;;) {
      const due = this.files.deletedBefore(this.clock.retentionCutoff(trashMs) - 1, batchSize)
      if (due.length === 0) break
      await this.purge(due)
    }
    const firstMs = this.files.firstDeletedMs()
    if (firstMs === null) return null
    const [nowMs, dueMs] = [this.clock.now(), firstMs + trashMs + 1]
    // What is due only by the wall clock waits for elapsed time.
    return dueMs > nowMs
      ? Math.min(Math.max(dueMs, nowMs + minPurgeIntervalMs), nowMs + trashMs)
      : nowMs + retryIntervalMs
  }

  private async enforceLimits(project: Project): Promise<void> {
    for (;;) {
      const { count, bytes } = this.files.total(project.id)
      if (count <= 1 || (count <= maxFiles && bytes <= maxBytes)) return
      await this.purge([this.files.oldest(project.id)!])
    }
  }

  private async purge(rows: TrashedFile[]): Promise<void> {
    for (const { trashPath, path } of rows) {
      try {
        this.tree.remove(trashPath)
      } catch (error) {
        if (!(error instanceof DiskError)) throw error
        this.deps.onProblem(
          `What was left of ${path} is still on the disk, in ${trashPath}: remove it by hand`,
          error,
        )
      }
    }
    await this.database.commit(() => {
      for (const { id } of rows) this.files.remove(id)
    })
  }

  private rowForUnknownFile(project: Project, trashPath: string): TrashedFile | null {
    const [, id = '', name = ''] = /\/deleted\/(file_[0-9a-z]{26})-(.+)$/s.exec(trashPath) ?? []
    const stat = this.tree.statAnySize(trashPath)
    if (name === '' || stat.kind !== 'file' || this.files.find(id) !== null) return null
    return {
      id,
      projectId: project.id,
      path: `files/${name}`,
      trashPath,
      bytes: stat.stamp.size,
      deletedMs: this.clock.now(),
      deletedBy: this.deps.members.firstOwner().id,
    }
  }

  private availablePath(project: Project, path: string): string {
    const folder = posix.dirname(path)
    for (let parent = folder; parent !== '.'; parent = posix.dirname(parent)) {
      if (this.tree.statAnySize(pathInHome(project, parent)).kind !== 'file') continue
      throw new WorkspaceError(
        'conflict',
        `${parent} is now a file and was a folder. Move it away, then restore this.`,
      )
    }
    for (let n = 1; ; n++) {
      const candidate = `${folder}/${numberedName(posix.basename(path), n)}`
      if (this.tree.statAnySize(pathInHome(project, candidate)).kind === 'missing') return candidate
    }
  }

  private hasFile({ trashPath }: TrashedFile): boolean {
    return this.tree.statAnySize(trashPath).kind === 'file'
  }

  /** Durable, including the names of new folders. */
  private async move(from: string, to: string): Promise<void> {
    const changed = [to]
    for (let folder = posix.dirname(to); this.isMissing(folder); folder = posix.dirname(folder))
      changed.push(folder)
    this.tree.move(from, to)
    for (const path of [...changed, from]) await this.tree.flush(path)
  }

  private isMissing(folder: string): boolean {
    return folder.includes('/') && this.tree.folderStamp(folder) === null
  }
}

const folderOf = ({ folder }: Pick<Project, 'folder'>): string => `trash/${folder}/deleted`
