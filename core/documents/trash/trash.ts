import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { DiskError, nameKey } from '../../../data/tree/index.ts'
import type { Caller, Member } from '../../access/member.ts'
import { hasScope, isAdmin, maySeeDraft, requireDeletion, requireScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { writeUnavailableError } from '../../errors/unavailable.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { restoreTreePath } from '../../paths.ts'
import { requireWritable } from '../../projects/archiving.ts'
import { type Precondition, requirePrecondition } from '../../revisions/preconditions.ts'
import type { AddressResolver, ResolvedAddress, ResolvedDocument } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { changeFromDeletion } from '../disk/disk-changes.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { changeWithoutMove, zeroBlockIds } from '../model/change.ts'
import { filenameOf, nounIn, parseDocumentPath, pathInHome } from '../model/document-paths.ts'
import { trashMs } from '../model/retention.ts'
import { scopeFor } from '../model/scopes.ts'
import type { DeleteResult, FileAddress, TrashRow, WriteResult } from '../model/types.ts'
import { writeResult } from '../reading/results.ts'
import type { ChangeCommitter } from '../recording/change-committer.ts'
import { availableFilePath } from '../writing/available-file-path.ts'
import type { Changes } from '../writing/changes.ts'

const purgeRetryMs = 60 * 60 * 1000
const dayMs = 24 * 60 * 60 * 1000
const maxPurgedPerCommit = 200

interface TrashDeps {
  addressing: AddressResolver
  changes: Changes
  disk: DiskSync
  changeCommitter: ChangeCommitter
  locks: Locks
}

/** Deleted files stay in `trash/`, their last revisions in the database. */
export class Trash {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: TrashDeps,
  ) {}

  /** Also removes symbolic links. @throws WorkspaceError `forbidden` for all but author, owners and admins */
  async remove(caller: Caller, address: FileAddress, precondition: Precondition): Promise<DeleteResult> {
    const work = async (target: ResolvedAddress) => {
      const link = target.record ? null : await this.removeLink(caller, target, precondition)
      return link ?? this.removeDocument(caller, this.deps.addressing.requirePresent(target), precondition)
    }
    return this.deps.addressing.withLock(caller, address, work, { search: 'everywhere', precondition })
  }

  /** Newest first: documents, cards, and the caller's own drafts; no posts. */
  async list(caller: Caller, slug: string): Promise<{ project: string; trash: TrashRow[] }> {
    requireScope(caller, 'documents:read')
    const project = this.shared.projects.require(caller.member, slug)
    const { documents, members } = this.shared
    const rows = documents
      .restorable(project.id)
      .filter(
        (record) =>
          this.maySee(caller.member, record) &&
          record.kind !== 'post' &&
          hasScope(caller, scopeFor(record.kind, 'read')),
      )
    return {
      project: project.slug,
      trash: rows.map((record) => ({
        id: record.id,
        kind: record.kind,
        filename: filenameOf(record),
        title: record.title,
        deletedAt: record.deletedMs!,
        deletedBy: members.find(record.deletedBy!)!.name,
        path: restoreTreePath(project, record.id),
      })),
    }
  }

  /** Restores to the former path, or a similar one if that is taken. @throws `not_found`, `forbidden` */
  async restore(caller: Caller, slug: string, id: string): Promise<WriteResult> {
    const project = this.shared.projects.require(caller.member, slug)
    requireWritable(project)
    this.deps.disk.requireUsable(project, 'write')
    return this.deps.locks.run([id], async () => {
      const record = this.shared.documents.find(id)
      if (
        record?.projectId !== project.id ||
        !this.isRestorable(record) ||
        !this.maySee(caller.member, record)
      ) {
        throw new WorkspaceError(
          'not_found',
          `There is nothing with the id ${JSON.stringify(id)} in the trash.`,
        )
      }
      requireScope(caller, scopeFor(record.kind, 'write'))
      if (record.deletedBy !== caller.member.id) requireDeletion(caller.member, record.authorId, record.kind)
      const hasFile = record.trashPath !== null && this.shared.tree.stat(record.trashPath).kind === 'file'
      const bytes = hasFile ? null : this.shared.contents.get(id, record.revision).stored
      const before = hasFile ? record : { ...record, trashPath: null }
      const restored = await this.deps.changeCommitter.commitAndPlace(bytes, () => {
        const path = availableFilePath(this.shared, project, record.path)
        const after = {
          ...record,
          path,
          pathKey: nameKey(path),
          deletedMs: null,
          deletedBy: null,
          trashPath: null,
        }
        const origin = { actorId: caller.member.id, via: 'api', atMs: this.shared.clock.now() } as const
        return changeWithoutMove(origin, before, after)
      })
      return writeResult(this.shared, project, restored, {
        created: true,
        changed: true,
        blockIds: zeroBlockIds,
      })
    })
  }

  /** Purges what is due by wall clock and elapsed time. @returns when to call again (Unix ms), or null */
  async purgeExpired(): Promise<number | null> {
    const { database, documents, clock } = this.shared
    const tomorrowMs = clock.now() + dayMs
    // A deletion stamped while the clock was ahead counts from the day on which that is noticed.
    if (clock.retentionCutoff(trashMs) > 0 && documents.hasDeletedAfter(tomorrowMs)) {
      await database.commit(() => documents.restampDeleted(tomorrowMs, clock.now()))
    }
    for (;;) {
      const due = documents.deletedBefore(clock.retentionCutoff(trashMs)).map(({ id }) => id)
      if (due.length === 0) break
      await this.deps.locks.run(due, () => this.purge(due))
    }
    const firstMs = documents.firstDeletedMs()
    if (firstMs === null) return null
    // What is due only by the wall clock waits until enough time has elapsed.
    const dueMs = firstMs + trashMs + 1
    return dueMs > clock.now() ? Math.min(dueMs, clock.now() + trashMs) : clock.now() + purgeRetryMs
  }

  async purgeProject(project: Project): Promise<void> {
    for (;;) {
      const records = [...this.shared.catalogue.inProject(project.id)].slice(0, maxPurgedPerCommit)
      if (records.length === 0) break
      const ids = records.map(({ id }) => id)
      await this.deps.locks.run(ids, async () => {
        await this.deps.changeCommitter.commitFromDisk(() =>
          records.map((one) => changeFromDeletion(this.shared, one)),
        )
        await this.purge(ids)
      })
    }
  }

  /** Removes files first: a crash in between leaves no unknown file, and the next start continues. */
  private async purge(ids: string[]): Promise<void> {
    const { documents, documentMoves, revisions, formerPages, database, onPurge } = this.shared
    const deleted = ids.map((id) => documents.find(id)!).filter(({ deletedMs }) => deletedMs !== null)
    for (const record of deleted) this.removeFiles(record)
    await database.commit(() => {
      for (const { id } of deleted) {
        revisions.removeAll(id)
        formerPages.removeAll(id)
        documentMoves.removeAll(id)
        onPurge(id)
        documents.forgetTrashFile(id)
      }
    })
  }

  /** A file that cannot be removed does not affect the others; `doctor` finds it. */
  private removeFiles(record: DocumentRecord): void {
    try {
      if (record.trashPath) this.shared.tree.remove(record.trashPath)
      this.shared.attachmentFiles.remove(record)
    } catch (error) {
      if (!(error instanceof DiskError)) throw error
      this.shared.onProblem(`What was left of ${record.path} is still on the disk: remove it by hand`, error)
    }
  }

  /**
   * Removes a symbolic link, never its target; null if there is none. Only owners and admins may: it has no author.
   * @throws WorkspaceError `forbidden`; `conflict` for a condition on the content; `unavailable`
   */
  private async removeLink(
    caller: Caller,
    target: ResolvedAddress,
    precondition: Precondition,
  ): Promise<DeleteResult | null> {
    const { tree } = this.shared
    const { project, address, column } = target
    const path = this.deps.addressing
      .candidateFolders(caller, project, address, column)
      .find((candidate) => tree.isLink(pathInHome(project, candidate)))
    if (path === undefined) return null
    requireDeletion(caller.member, null, 'symbolic link')
    requirePrecondition(precondition, null, nounIn(address.folder))
    const link = pathInHome(project, path)
    try {
      if (!tree.removeLink(link)) return null
      await tree.flush(link)
    } catch (error) {
      throw writeUnavailableError(error)
    }
    // Removes it from the list of skipped files.
    await this.deps.disk.checkPath(link)
    return { id: null, filename: parseDocumentPath(path)!.filename, deleted: true }
  }

  private async removeDocument(
    caller: Caller,
    { record, project, address }: ResolvedDocument,
    precondition: Precondition,
  ): Promise<DeleteResult> {
    const noun = nounIn(address.folder)
    requireDeletion(caller.member, record.authorId, noun)
    requirePrecondition(precondition, record, noun)
    await this.deps.changes.remove(caller.member, project, record)
    return { id: record.id, filename: filenameOf(record), deleted: true }
  }

  /** True until it is purged, whatever its age by the clock. */
  private isRestorable(record: DocumentRecord): boolean {
    return record.deletedMs !== null && this.shared.revisions.count(record.id) > 0
  }

  private maySee(member: Member, record: DocumentRecord): boolean {
    if (record.kind === 'draft') return maySeeDraft(member, record.authorId)
    return record.kind !== 'post' || record.authorId === member.id || isAdmin(member)
  }
}
