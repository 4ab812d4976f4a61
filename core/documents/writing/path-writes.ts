import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { nameKey } from '../../../data/tree/index.ts'
import type { Caller, Member } from '../../access/member.ts'
import { requireDeletion, requireOwnDocument } from '../../access/permissions.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { preconditionError, type WriteCondition } from '../../revisions/condition.ts'
import type { PathResolver, ProjectPath } from '../addressing/path-resolver.ts'
import { isSameFile } from '../addressing/same-file.ts'
import { analyseDiskFile } from '../content/analysis.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { parseDocumentPath, pathInHome } from '../model/document-paths.ts'
import { immutablePostError } from '../model/published.ts'
import type { DocumentKind } from '../model/types.ts'
import type { DocumentPresence } from '../presence/presence.ts'
import type { Changes, WriteLocation } from './changes.ts'
import { requireValidFields } from './validate-fields.ts'

interface PathWriteResult {
  record: DocumentRecord
  created: boolean
}

/** Deleting a file and writing it again this soon is a save: it stays the same document. */
const resaveMs = 60 * 1000

const nounOf = (kind: DocumentKind): string => (kind === 'home' ? 'home page' : kind)

interface PathWritesDeps {
  byPath: PathResolver
  changes: Changes
  presence: DocumentPresence
}

/** Keeps bytes and names as sent, but attributes changes to the member. The caller checks access. */
export class PathWrites {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: PathWritesDeps,
  ) {}

  /** @throws WorkspaceError `precondition_failed`, `forbidden`, `conflict`, `invalid`, `unavailable` */
  put(caller: Caller, at: ProjectPath, bytes: Buffer, condition: WriteCondition): Promise<PathWriteResult> {
    return this.deps.byPath.withLock(caller.member, [at], ([existing], sinceMs) =>
      this.write(caller, at, existing ?? null, { bytes, condition, sinceMs }),
    )
  }

  /**
   * Keeps the document's id, also in another project; over an existing document, that one gets its bytes.
   * @throws WorkspaceError as `put`; `not_found`; `forbidden` if it would be taken from other members
   */
  async move(
    caller: Caller,
    from: ProjectPath,
    to: ProjectPath,
    condition: WriteCondition,
  ): Promise<PathWriteResult> {
    await this.deps.byPath.releasePath(caller.member, to)
    return this.deps.byPath.withLock(caller.member, [from, to], async ([source, existing], sinceMs) => {
      const record = this.deps.byPath.unlessMissing(source ?? null)
      if (!record) throw new WorkspaceError('not_found', `There is no ${from.path} (any more).`)
      const target = existing?.id === record.id ? null : (existing ?? null)
      requireCondition(condition, this.deps.byPath.unlessMissing(target))
      this.requireMovable(caller.member, record, from, to)
      const content = this.shared.contents.get(record.id, record.revision)
      if (this.deps.byPath.unlessMissing(target)) {
        requireDeletion(caller.member, record.authorId, nounOf(record.kind))
        const placed = await this.write(caller, to, target, {
          bytes: content.stored,
          condition: () => true,
          sinceMs,
        })
        await this.deps.changes.remove(caller.member, from.project, record)
        return placed
      }
      const { kind } = parseDocumentPath(to.path)!
      const isOtherKind = kind !== record.kind
      requireValidFields(this.shared, caller, kind, content.digest, isOtherKind ? null : content.digest)
      const moved = await this.deps.changes.commit(
        { actorId: caller.member.id, via: 'api' },
        this.locationOf(to, record),
        null,
      )
      this.deps.presence.recordWrite(caller.member, moved)
      return { record: moved, created: true }
    })
  }

  /** @throws WorkspaceError `not_found`, `precondition_failed`, `forbidden` */
  remove(caller: Caller, at: ProjectPath, condition: WriteCondition): Promise<void> {
    return this.deps.byPath.withLock(caller.member, [at], async ([existing]) => {
      const record = this.deps.byPath.unlessMissing(existing ?? null)
      requireCondition(condition, record)
      if (!record) throw new WorkspaceError('not_found', `There is no ${at.path} (any more).`)
      this.requireRemovable(caller.member, record)
      await this.deps.changes.remove(caller.member, at.project, record)
    })
  }

  requireRemovable(member: Member, record: DocumentRecord): void {
    requireDeletion(member, record.authorId, nounOf(record.kind))
  }

  private requireMovable(member: Member, record: DocumentRecord, from: ProjectPath, to: ProjectPath): void {
    if (record.kind === 'post') throw immutablePostError(member, record)
    if (record.kind === 'home') {
      throw new WorkspaceError('forbidden', 'The home page of a project stays README.md. Copy it instead.')
    }
    const { kind } = parseDocumentPath(to.path)!
    if (from.project.id !== to.project.id) requireDeletion(member, record.authorId, nounOf(record.kind))
    if (kind === record.kind) return
    if (kind === 'draft') requireOwnDocument(member, record.authorId, 'make it a draft again')
    if (kind === 'post') requireOwnDocument(member, record.authorId, 'publish it')
  }

  private async write(
    caller: Caller,
    at: ProjectPath,
    existing: DocumentRecord | null,
    { bytes, condition, sinceMs }: { bytes: Buffer; condition: WriteCondition; sinceMs: number },
  ): Promise<PathWriteResult> {
    const current = this.deps.byPath.unlessMissing(existing)
    requireCondition(condition, current)
    if (current?.kind === 'post') throw immutablePostError(caller.member, current)
    const before = existing ?? this.removedRecently(caller.member, at)
    const contentBefore = before && this.shared.contents.find(before.id, before.revision)
    const analysis = await analyseDiskFile(
      this.shared,
      bytes,
      contentBefore && before,
      contentBefore,
      'answering',
      sinceMs,
    )
    requireValidFields(
      this.shared,
      caller,
      parseDocumentPath(at.path)!.kind,
      analysis.digest,
      contentBefore?.digest ?? null,
    )
    const to = { before, keepsPath: current !== null, location: () => this.locationOf(at, before) }
    const { record } = await this.deps.changes.write(caller.member, to, analysis)
    return { record, created: current === null }
  }

  private removedRecently(member: Member, { project, path }: ProjectPath): DocumentRecord | null {
    const { clock, documents } = this.shared
    const removed = documents.lastRemovedFrom(project.id, path, clock.now() - resaveMs)
    const isByMember = removed?.deletedBy === member.id && removed.kind === parseDocumentPath(path)!.kind
    const isHidden = removed?.kind === 'post' || (removed?.kind === 'draft' && removed.authorId !== member.id)
    return removed && isByMember && !isHidden ? removed : null
  }

  private locationOf(at: ProjectPath, before: DocumentRecord | null): WriteLocation {
    const { project, path } = at
    const { kind, column = null } = parseDocumentPath(path)!
    const current = this.deps.byPath.unlessMissing(before)
    // A file that vanished from the disk is written without previous bytes.
    const isMissing = before !== null && current === null && before.deletedMs === null
    return {
      before,
      contentBefore: before && this.shared.contents.find(before.id, before.revision),
      project,
      kind,
      column,
      path,
      stamp: isMissing ? null : (before?.stamp ?? null),
      isMissing,
      requireFree: () => this.requireFree(at, before),
    }
  }

  /** Must be called inside a commit, where names just allotted are seen. */
  private requireFree({ project, path }: ProjectPath, before: DocumentRecord | null): void {
    const { documents, tree } = this.shared
    const key = nameKey(path)
    const isOwn = before?.deletedMs === null && before.projectId === project.id && before.pathKey === key
    if (isOwn && (before.path === path || isSameFile(tree, project, before.path, path))) return
    // Another spelling is another name, except for the home page: a project has one.
    const isTaken = path.includes('/') ? documents.isAt(project.id, path) : documents.isTaken(project.id, key)
    if (tree.stat(pathInHome(project, path)).kind === 'missing' && !isTaken) return
    throw new WorkspaceError(
      'conflict',
      `${path} is occupied by a link, a folder or a file that has just appeared. Choose another name.`,
    )
  }
}

function requireCondition(condition: WriteCondition, current: DocumentRecord | null): void {
  if (condition(current?.revision ?? null)) return
  throw preconditionError(current !== null)
}
