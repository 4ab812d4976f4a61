import { posix } from 'node:path'
import type { TrashedFile } from '../../data/tables/trashed-files.ts'
import { isIgnoredName } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { Locks } from '../concurrency/name-locks.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { DocumentInternals } from '../documents/index.ts'
import { trashMs } from '../documents/model/retention.ts'
import type { TrashRow, WriteResult } from '../documents/model/types.ts'
import type { Trash } from '../documents/trash/trash.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { FileTrash } from '../files/file-trash.ts'
import { filesTreePath, mountPath, restoreTreePath } from '../paths.ts'
import { requireWritable } from '../projects/archiving.ts'
import { DueTimer } from '../time/due-timer.ts'
import type { DeletedProjects } from './deleted-projects.ts'

interface RestoredFile {
  id: string
  filename: string
  path: string
  created: true
}

export class ProjectTrash {
  private readonly deps: SharedDeps
  private readonly disk: DiskSync
  private readonly locks: Locks
  private readonly trash: Trash
  private readonly fileTrash: FileTrash
  private readonly deletedProjects: DeletedProjects
  private readonly timer: DueTimer

  constructor(
    deps: SharedDeps,
    services: Pick<DocumentInternals, 'disk' | 'locks' | 'trash' | 'onCommitted'> & {
      fileTrash: FileTrash
      deletedProjects: DeletedProjects
    },
  ) {
    this.deps = deps
    this.disk = services.disk
    this.locks = services.locks
    this.trash = services.trash
    this.fileTrash = services.fileTrash
    this.deletedProjects = services.deletedProjects
    this.timer = new DueTimer(
      deps.clock,
      () => this.empty(),
      (error) => deps.onProblem('The trash could not be emptied; this is tried again', error),
    )
    this.fileTrash.onMoved((dueMs) => this.timer.dueAt(dueMs))
    this.deletedProjects.onDelete((dueMs) => this.timer.dueAt(dueMs))
    services.onCommitted(({ deletedMs }) => {
      if (deletedMs !== null) this.timer.dueAt(deletedMs + trashMs + 1)
    })
  }

  async start(): Promise<void> {
    await this.fileTrash.recordUnknownFiles()
    await this.timer.start()
  }

  stop(): Promise<void> {
    return this.timer.stop()
  }

  /** Newest deletion first. */
  async list(caller: Caller, slug: string): Promise<{ project: string; trash: TrashRow[] }> {
    const { project: ownSlug, trash } = await this.trash.list(caller, slug)
    const project = this.deps.projects.require(caller.member, slug)
    const files = this.fileTrash.list(project).map((file) => this.rowOf(project, file))
    const rows = [...trash, ...files].sort((one, other) => other.deletedAt - one.deletedAt)
    return { project: ownSlug, trash: rows }
  }

  /** Restores to a similar path if the former one is taken. */
  async restore(caller: Caller, slug: string, id: string): Promise<WriteResult | RestoredFile> {
    if (!id.startsWith('file_')) return this.trash.restore(caller, slug, id)
    const project = this.deps.projects.require(caller.member, slug)
    requireWritable(project)
    this.disk.requireUsable(project, 'write')
    const path = await this.locks.run([id], () => this.fileTrash.restore(caller, project, id))
    if (path !== null) return { id, filename: path, path: addressOf(project, path), created: true }
    throw new WorkspaceError('not_found', `There is nothing with the id ${JSON.stringify(id)} in the trash.`)
  }

  private async empty(): Promise<number | null> {
    const dueMs = [
      await this.trash.purgeExpired(),
      await this.fileTrash.purgeExpired(),
      await this.deletedProjects.purgeExpired(),
    ].filter((ms) => ms !== null)
    return dueMs.length > 0 ? Math.min(...dueMs) : null
  }

  private rowOf(project: Project, { id, path, deletedMs, deletedBy }: TrashedFile): TrashRow {
    return {
      id,
      kind: 'file',
      filename: path,
      title: posix.basename(path),
      deletedAt: deletedMs,
      deletedBy: this.deps.members.find(deletedBy)!.name,
      path: restoreTreePath(project, id),
    }
  }
}

/** Only listed uploads have an address besides the mount's. */
function addressOf(project: Project, path: string): string {
  const [top, ...rest] = path.split('/')
  return top === 'files' && !rest.some(isIgnoredName)
    ? filesTreePath(project, rest.join('/'))
    : mountPath(project, path)
}
