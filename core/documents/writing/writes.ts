import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { nameKey } from '../../../data/tree/index.ts'
import type { Caller, Member } from '../../access/member.ts'
import { requireScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { Analysis } from '../../markdown/index.ts'
import { type Precondition, requirePrecondition } from '../../revisions/preconditions.ts'
import { slugOf } from '../../text/slug.ts'
import type { AddressResolver, LockedAddress, ResolvedAddress } from '../addressing/address-resolver.ts'
import type { RevisionContent } from '../catalogue/revision-contents.ts'
import { analyseDiskFile, analyseSent } from '../content/analysis.ts'
import { writtenBlockId, writtenBlockIds } from '../content/block-mapping.ts'
import { mentionCandidates } from '../content/mention-candidates.ts'
import { findSourceDraft, mentionsEverybody } from '../content/source-draft.ts'
import { neighbouringBlocks } from '../content/stale-block.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { type Actor, zeroBlockIds } from '../model/change.ts'
import { type ColumnName, findColumn } from '../model/columns.ts'
import { columnOf, isMarkdown, kindOf, nounIn, treePath } from '../model/document-paths.ts'
import { immutablePostError } from '../model/published.ts'
import type { FileAddress, WriteResult } from '../model/types.ts'
import type { DocumentPresence } from '../presence/presence.ts'
import type { Reads } from '../reading/reads.ts'
import { unreachedByPost, writeResult } from '../reading/results.ts'
import type { Changes, WriteLocation } from './changes.ts'
import { folderFor, pathFor, subFolderOf, type WriteDestination } from './destinations.ts'
import { requireValidFields } from './validate-fields.ts'

interface WrittenBlock {
  id: string | null
  written: string[]
}

interface WriteOptions {
  block?: WrittenBlock
  newDocument?: NewDocumentFields
  committing?: () => void
}

/** The first bytes of the envelope, with which every read begins. */
const readBeginning = Buffer.from('---\n')

type NewDocumentFields = NonNullable<WriteLocation['newDocument']>

interface WritesDeps {
  addressing: AddressResolver
  disk: DiskSync
  changes: Changes
  locks: Locks
  presence: DocumentPresence
  reads: Reads
}

export class Writes {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: WritesDeps,
  ) {}

  /** `docs/interface.md#writing-a-file`; below posts/ it publishes. */
  async put(
    caller: Caller,
    address: FileAddress,
    body: Uint8Array,
    precondition: Precondition,
  ): Promise<WriteResult> {
    const putTo = (ignoresRequested: boolean) =>
      this.deps.addressing.withLock(
        caller,
        address,
        (locked) => this.putLocked(caller, locked, body, precondition),
        {
          precondition,
          ignoresRequested,
        },
      )
    const mayMeanRequested = precondition.kind !== 'none' || this.mayMeanRequested(caller, address)
    const written = mayMeanRequested ? await putTo(false) : null
    return written ?? (await putTo(true))!
  }

  /** A write means the document last created there only if that is the caller's and has the same title. */
  private mayMeanRequested(caller: Caller, address: FileAddress): boolean {
    const record = this.deps.addressing.requestedDocument(caller, address)
    return record !== null && record.kind !== 'post' && record.editorId === caller.member.id
  }

  /** Returns null if the body is a new document, and not the one last created by a write to the address. */
  private async putLocked(
    caller: Caller,
    locked: LockedAddress,
    body: Uint8Array,
    precondition: Precondition,
  ): Promise<WriteResult | null> {
    // A former name is available to a write that creates.
    const isFree = locked.name !== 'current' && precondition.kind === 'create'
    const target = isFree ? { ...locked, record: null } : locked
    const { record, sinceMs } = target
    const isAssumed = locked.name === 'requested' && precondition.kind === 'none'
    if (!isAssumed) this.requireChangeable(caller, target, precondition)
    const isReadBack = record !== null && this.matchesRead(record, target.project, body)
    const before = record && this.shared.contents.get(record.id, record.revision)
    const analysis = isReadBack ? null : await analyseSent(this.shared, body, record, before, { sinceMs })
    if (isAssumed) {
      // First, since a new document does not depend on where the other one is now.
      if (record && analysis && !hasTitleOf(record, analysis)) return null
      this.requireChangeable(caller, target, precondition)
    }
    if (analysis === null) {
      this.deps.presence.recordWrite(caller.member, record!)
      return this.unchangedResult(target.project, record!)
    }
    const isPublication = record === null && target.address.folder === 'posts'
    if (isPublication) return this.publishUpload(caller, target, body, analysis)
    return this.write(caller, target, before, analysis)
  }

  /** A copy of a draft keeps what a read of it does not show: the members of `@channel`, attachments. */
  private async publishUpload(
    caller: Caller,
    target: LockedAddress,
    sent: Uint8Array,
    analysis: Analysis,
  ): Promise<WriteResult> {
    const { shared } = this
    const { project, sinceMs } = target
    const draft = findSourceDraft(shared, project, caller, { sent, digest: analysis.digest })
    if (draft === null) return this.write(caller, target, null, analysis)
    const finalAnalysis = mentionsEverybody(draft.digest)
      ? await analyseSent(shared, sent, null, null, { sinceMs, mentionedIn: draft.digest })
      : analysis
    const to = { project, id: shared.newId('doc') }
    const attachments = await shared.attachmentFiles.copy(draft.record, to)
    try {
      const written = await this.write(caller, target, null, finalAnalysis, {
        newDocument: { id: to.id, attachments },
      })
      shared.attachmentFiles.confirm(attachments, to)
      return written
    } catch (error) {
      await shared.attachmentFiles.discard(attachments, to)
      throw error
    }
  }

  /** Replaces one block's source, and no other byte. */
  putBlock(
    caller: Caller,
    address: FileAddress,
    block: string,
    body: Uint8Array,
    precondition: Precondition,
  ): Promise<WriteResult> {
    const work = async (target: LockedAddress) => {
      this.requireChangeable(caller, target, precondition)
      const { record, project } = this.deps.addressing.requirePresent(target)
      const before = this.shared.contents.get(record.id, record.revision)
      const request = {
        before: { ...before, title: record.title },
        block,
        replacement: body,
        people: mentionCandidates(this.shared.members, body, before.digest),
        names: this.shared.members.names(),
        read: this.deps.reads.render(record, project).body,
      }
      const outcome = await this.shared.markdown.writeBlock(request, target.sinceMs)
      if (outcome.kind === 'stale') {
        const all = `${treePath(project, record)}?view=blocks`
        throw new WorkspaceError(
          'conflict',
          `There is no block ${JSON.stringify(block)} in this file (any more). Take the new id from blocks, which lists those near its former position, and write again; ${all} reads all of them.`,
          {
            fields: {
              block,
              blocks: neighbouringBlocks(this.shared, record, block, outcome.blocks),
              allBlocks: all,
              currentRevision: record.revision,
            },
          },
        )
      }
      if (outcome.kind === 'refusal') throw new WorkspaceError('invalid', outcome.message)
      const names = this.shared.members.names()
      return this.write(caller, target, before, outcome, {
        block: {
          id: writtenBlockId(block, before.digest, outcome, names),
          written: writtenBlockIds(block, before.digest, outcome, names),
        },
      })
    }
    return this.deps.addressing.withLock(caller, address, work, { precondition })
  }

  restore(caller: Caller, address: FileAddress, revision: string): Promise<WriteResult> {
    return this.deps.addressing.withLockOnExisting(caller, address, async (target) => {
      this.requireChangeable(caller, target, { kind: 'none' })
      const { record } = target
      const old = this.shared.contents.find(record.id, revision)
      if (!old)
        throw new WorkspaceError('not_found', `This file has no revision ${JSON.stringify(revision)}.`)
      const before = this.shared.contents.get(record.id, record.revision)
      const analysis = await analyseDiskFile(
        this.shared,
        old.stored,
        record,
        before,
        'answering',
        target.sinceMs,
      )
      return this.write(caller, target, before, analysis)
    })
  }

  /** The file moves to posts/, the id stays. */
  async publish(caller: Caller, address: FileAddress): Promise<WriteResult> {
    requireScope(caller, 'posts:write')
    return this.deps.addressing.withLockOnExisting(caller, address, ({ record, project }) =>
      this.publishDraft(record, project, { actorId: caller.member.id, via: 'api' }, this.shared.clock.now()),
    )
  }

  /** Does nothing if the draft is no longer due. */
  async publishDue(id: string): Promise<void> {
    const found = this.shared.catalogue.find(id)
    if (!found) return
    await this.deps.disk.reconcile(found)
    await this.deps.locks.run([id], async () => {
      const { catalogue, projects, clock } = this.shared
      const record = catalogue.find(id)
      const isDue =
        record?.kind === 'draft' && record.scheduledMs !== null && record.scheduledMs <= clock.now()
      if (!isDue || this.deps.disk.isMissing(record)) return
      await this.publishDraft(
        record,
        projects.find(record.projectId)!,
        { actorId: record.authorId, via: 'schedule' },
        record.scheduledMs!,
      )
    })
  }

  /** The file changes its folder, never its bytes. */
  async moveCard(
    member: Member,
    { project, record }: { project: Project; record: DocumentRecord },
    column: ColumnName,
    position: string | undefined,
  ): Promise<DocumentRecord> {
    const contentBefore = this.shared.contents.get(record.id, record.revision)
    const destination: WriteDestination = { kind: 'card', column, authorId: record.authorId }
    const to = this.locationOf({ project, record, contentBefore }, destination, {
      ...(position !== undefined && { position }),
    })
    return this.deps.changes.commit({ actorId: member.id, via: 'api' }, to, null)
  }

  /** @throws WorkspaceError `forbidden`, `conflict` */
  requireChangeable(
    caller: Caller,
    { record, address, project, column }: ResolvedAddress,
    precondition: Precondition,
  ): void {
    if (record?.kind === 'post') throw immutablePostError(caller.member, record)
    requirePrecondition(precondition, record, nounIn(address.folder))
    if (record && column && columnOf(record) !== column) {
      throw new WorkspaceError(
        'conflict',
        `The card ${record.number} is in another column: ${treePath(project, record)}. Write it there, or move it first.`,
      )
    }
  }

  /** Whether the body equals a read, so that nothing need be parsed or written. */
  private matchesRead(record: DocumentRecord, project: Project, body: Uint8Array): boolean {
    const isLikeRead = readBeginning.every((byte, index) => body[index] === byte)
    return isLikeRead && this.deps.reads.render(record, project).body.equals(body)
  }

  /** Requires the lock of the document. */
  async write(
    caller: Caller,
    target: ResolvedAddress,
    before: RevisionContent | null,
    analysis: Analysis,
    { block, newDocument, committing }: WriteOptions = {},
  ): Promise<WriteResult> {
    const { member } = caller
    const { record, project } = target
    const kind = record?.kind ?? kindOf(target.address.folder)
    requireValidFields(this.shared, caller, kind, analysis.digest, before?.digest ?? null)
    const column = kind === 'card' ? this.requestedColumn(target, analysis, before) : null
    const authorId = record?.authorId ?? member.id
    const to = {
      before: record,
      keepsPath: record !== null && (column === null || column === columnOf(record)),
      location: () => ({
        ...this.locationOf(
          { project, record, contentBefore: before },
          { kind, column, authorId },
          {
            folder: subFolderOf(target.address),
            requestedName: target.address.name,
            ...(newDocument && { newDocument }),
          },
        ),
        ...(committing && { committing }),
      }),
    }
    const written = await this.deps.changes.write(member, to, analysis, block?.id)
    if (!written.changed) return this.unchangedResult(project, written.record, block)
    return writeResult(this.shared, project, written.record, {
      created: record === null,
      changed: true,
      blockIds: { ...analysis.blockIds, ...(block && { written: block.written }) },
      ...(kind === 'post' && {
        unreached: unreachedByPost(this.shared, project, analysis.digest, authorId),
      }),
    })
  }

  /** The column of the address, unless a new `column:` key names another. */
  private requestedColumn(
    { record, column }: ResolvedAddress,
    analysis: Analysis,
    before: RevisionContent | null,
  ): ColumnName {
    const current = (record && columnOf(record)) ?? column!
    const requested = analysis.digest.frontmatter?.fields.column
    const columnBefore = before?.digest.frontmatter?.fields.column
    if (requested === undefined || requested === null || requested === columnBefore) return current
    const found = typeof requested === 'string' ? findColumn(requested) : null
    if (!found)
      throw new WorkspaceError(
        'invalid',
        `The card's column ${JSON.stringify(requested)} does not exist. The board has four columns.`,
      )
    return found
  }

  private async publishDraft(
    record: DocumentRecord,
    project: Project,
    actor: Actor,
    publishedMs: number,
  ): Promise<WriteResult> {
    const before = this.shared.contents.get(record.id, record.revision)
    const to = this.locationOf(
      { project, record, contentBefore: before },
      { kind: 'post', column: null, authorId: record.authorId },
      { publishedMs },
    )
    const placed = await this.deps.changes.commit(actor, to, null)
    return writeResult(this.shared, project, placed, {
      created: false,
      changed: true,
      blockIds: zeroBlockIds,
      unreached: unreachedByPost(this.shared, project, before.digest, record.authorId),
    })
  }

  /** The path is found inside the commit, where the title is known and names are allotted. */
  private locationOf(
    {
      project,
      record,
      contentBefore,
    }: { project: Project; record: DocumentRecord | null; contentBefore: RevisionContent | null },
    { kind, column, authorId }: WriteDestination,
    options: { folder?: string; requestedName?: string } & Pick<
      WriteLocation,
      'publishedMs' | 'position' | 'newDocument'
    >,
  ): WriteLocation {
    const { folder: subFolder = '', requestedName, ...fields } = options
    const { publishedMs } = fields
    const folder = folderFor(this.shared, project, record, { kind, column, authorId }, subFolder)
    return {
      ...fields,
      ...(requestedName !== undefined &&
        kind !== 'home' && { requestedKey: nameKey(`${folder}/${fileNameIn(requestedName)}`) }),
      before: record,
      contentBefore,
      project,
      kind,
      column,
      authorId,
      stamp: record?.stamp ?? null,
      path: ({ atMs, ...named }) => {
        const dayMs = publishedMs ?? (kind === 'post' ? atMs : (record?.createdMs ?? atMs))
        return pathFor(this.shared, project, record, kind, folder, { ...named, dayMs })
      },
    }
  }

  unchangedResult(project: Project, record: DocumentRecord, block?: WrittenBlock): WriteResult {
    const { digest } = this.shared.contents.get(record.id, record.revision)
    const total = digest.blocks?.split(' ').filter(Boolean).length ?? 0
    return writeResult(this.shared, project, record, {
      created: false,
      changed: false,
      blockIds: { rebound: 0, orphaned: 0, total, ...(block && { written: block.written }) },
    })
  }
}

/** A body without a title leaves the record its own, such as that of its file name. */
const hasTitleOf = (record: DocumentRecord, { digest }: Analysis): boolean =>
  digest.title === null || slugOf(digest.title) === slugOf(record.title)

/** @param address of a file, also without `.md` and with folders */
function fileNameIn(address: string): string {
  const name = address.split('/').at(-1)!
  return isMarkdown(name) ? name : `${name}.md`
}
