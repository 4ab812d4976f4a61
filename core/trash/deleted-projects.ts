import { TimeSlice } from '../../data/scheduling/time-slice.ts'
import { Signal } from '../../data/signal.ts'
import { DiskError } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { requireAdministration } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { Locks } from '../concurrency/name-locks.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import type { DocumentInternals } from '../documents/index.ts'
import { deletedProjectFolder } from '../documents/model/document-paths.ts'
import { trashMs } from '../documents/model/retention.ts'
import type { Trash } from '../documents/trash/trash.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { markerName } from '../projects/project-folders.ts'
import type { RoomAttachmentStore } from '../room-attachments/room-attachment-store.ts'

export interface DeletedProjectView {
  _id: string
  slug: string
  name: string
  deletedAt: number
  deletedBy: string
}

type DeletedProjectsDeps = SharedDeps & { attachmentStore: Pick<RoomAttachmentStore, 'removeOfProject'> }

/** A write may wait for any name, since a project is seldom deleted. */
const coversAll = () => true

/**
 * Deleted projects, whose folders are kept in `trash/<id>`. The row changes first: a folder with the marker
 * of a deleted project belongs to nobody until it is moved, and the next start finishes the move.
 */
export class DeletedProjects {
  private readonly deps: DeletedProjectsDeps
  private readonly disk: DiskSync
  private readonly locks: Locks
  private readonly trash: Trash
  private readonly journal: DocumentInternals['journal']
  private readonly projectDeleted = new Signal<number>()

  constructor(
    deps: DeletedProjectsDeps,
    services: Pick<DocumentInternals, 'disk' | 'journal' | 'locks' | 'trash'>,
  ) {
    this.deps = deps
    this.disk = services.disk
    this.locks = services.locks
    this.trash = services.trash
    this.journal = services.journal
  }

  /** Calls `listener` with the time at which a deleted project is to be purged. */
  onDelete(listener: (dueMs: number) => void): void {
    this.projectDeleted.listen(listener)
  }

  /** @param name as a confirmation. @throws WorkspaceError `bad_request` for another name */
  async delete(caller: Caller, slugOrId: string, name: string | undefined): Promise<void> {
    const project = this.deps.projects.requireListed(caller.member, slugOrId)
    requireAdministration(caller)
    requireConfirmation(project, name)
    await this.locks.runWithBarrier(coversAll, async () => {
      this.disk.requireMounted(project)
      await this.journal.checkpoint()
      const deleted = await this.deps.projects.markDeleted(project, caller.member)
      try {
        this.moveAway(deleted)
      } catch (error) {
        await this.deps.projects.unmarkDeleted(deleted, project.folder)
        throw writeUnavailableError(error)
      }
      await this.flush(deletedProjectFolder(deleted), 'projects')
      this.projectDeleted.emit(deleted.deletedMs! + trashMs + 1)
    })
  }

  /** Newest deletion first. */
  list(caller: Caller): DeletedProjectView[] {
    requireAdministration(caller)
    const { members, projects } = this.deps
    return projects
      .deleted()
      .toSorted((one, other) => other.deletedMs! - one.deletedMs!)
      .map(({ id, slug, name, deletedMs, deletedBy }) => ({
        _id: id,
        slug,
        name,
        deletedAt: deletedMs!,
        deletedBy: members.find(deletedBy!)?.name ?? '',
      }))
  }

  /** The folder gets a similar name if its own is taken. */
  async restore(caller: Caller, slugOrId: string): Promise<Project> {
    requireAdministration(caller)
    const { projects, tree } = this.deps
    const deleted = projects.deleted().find(({ id, slug }) => id === slugOrId || slug === slugOrId)
    if (!deleted) {
      throw new WorkspaceError('not_found', `There is no project ${slugOrId} in the trash.`)
    }
    await this.locks.runWithBarrier(coversAll, async () => {
      const from = deletedProjectFolder(deleted)
      if (tree.stat(from).kind === 'missing') {
        throw new WorkspaceError('unavailable', `Its folder ${from} is missing. Restore it first.`)
      }
      const folder = this.availableFolder(deleted)
      await projects.unmarkDeleted(deleted, folder)
      try {
        tree.moveFolder(from, `projects/${folder}`)
      } catch (error) {
        await projects.markDeleted({ ...deleted, folder }, caller.member)
        throw writeUnavailableError(error)
      }
      await this.flush(`projects/${folder}`, 'trash')
    })
    await this.disk.scan()
    return projects.find(deleted.id)!
  }

  /** Finishes moves that a crash interrupted. Must run before the folders are checked. */
  recover(): void {
    const { projects, tree } = this.deps
    for (const project of projects.deleted()) this.tryTo(() => this.moveAway(project))
    for (const { id, folder } of projects.all()) {
      const from = deletedProjectFolder({ id })
      const isRestored = tree.stat(`projects/${folder}`).kind !== 'missing'
      if (isRestored || !this.isMarked(from, id)) continue
      this.tryTo(() => tree.moveFolder(from, `projects/${folder}`))
    }
  }

  /** Returns when the next purge is due, Unix milliseconds, or null. */
  async purgeExpired(): Promise<number | null> {
    const { clock, projects } = this.deps
    const cutoffMs = clock.retentionCutoff(trashMs)
    for (const project of projects.deleted()) {
      if (project.deletedMs! <= cutoffMs) await this.purge(project)
    }
    const times = projects.deleted().map(({ deletedMs }) => deletedMs! + trashMs + 1)
    return times.length === 0 ? null : Math.max(Math.min(...times), clock.now() + minPurgeIntervalMs)
  }

  /** The folder first, so that a crash leaves no unknown folder and the next start continues. */
  private async purge(project: Project): Promise<void> {
    const { attachmentStore, database } = this.deps
    await this.removeFolder(deletedProjectFolder(project))
    await database.commit(() => attachmentStore.removeOfProject(project.id))
    await this.trash.purgeProject(project)
    await this.deps.projects.forgetDeleted(project)
  }

  private moveAway(deleted: Project): void {
    const from = `projects/${deleted.deletedFolder}`
    if (this.isMarked(from, deleted.id)) this.deps.tree.moveFolder(from, deletedProjectFolder(deleted))
  }

  private isMarked(folder: string, id: string): boolean {
    return this.deps.tree.read(`${folder}/${markerName}`)?.bytes.toString().trim() === id
  }

  private availableFolder({ deletedFolder, id }: Project): string {
    const { projects, tree } = this.deps
    const isAvailable = (folder: string) =>
      tree.stat(`projects/${folder}`).kind === 'missing' && projects.isFolderAvailable(folder)
    const names = [
      deletedFolder!,
      ...Array.from({ length: 98 }, (_, index) => `${deletedFolder}-${index + 2}`),
    ]
    return names.find(isAvailable) ?? id
  }

  /** Removes links, never what they point to. What cannot be removed does not affect the others. */
  private async removeFolder(folder: string): Promise<void> {
    const { tree } = this.deps
    const slice = new TimeSlice()
    for (const { name, stat } of tree.entries(folder) ?? []) {
      while (slice.isOver) await slice.pause()
      const path = `${folder}/${name}`
      if (stat.kind === 'skipped' && stat.reason === 'folder') await this.removeFolder(path)
      else this.tryTo(() => tree.remove(path))
    }
    tree.removeEmptyFolder(folder)
  }

  private tryTo(work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.deps.onProblem('The folder of a deleted project could not be moved or removed', error)
    }
  }

  /** The next start repeats a rename that is not durable yet. */
  private async flush(...paths: string[]): Promise<void> {
    try {
      for (const path of paths) await this.deps.tree.flush(path)
    } catch (error) {
      this.deps.onProblem('The move of a project could not be made durable', error)
    }
  }
}

const minPurgeIntervalMs = 60 * 60 * 1000

function requireConfirmation(project: Project, name: string | undefined): void {
  if (name === project.name) return
  throw new WorkspaceError(
    'bad_request',
    `To delete this project with everything in it, confirm its name: ?name=${encodeURIComponent(project.name)}`,
  )
}
