import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { nameKey } from '../../../data/tree/index.ts'
import { authorOf, type Caller, type Member } from '../../access/member.ts'
import { mayReadProject, requireScope } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { DueTimer } from '../../time/due-timer.ts'
import type { AddressResolver, ResolvedDocument } from '../addressing/address-resolver.ts'
import { mapBlock } from '../content/block-mapping.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { Change } from '../model/change.ts'
import { filenameOf, nounIn, pagePath, treePath } from '../model/document-paths.ts'
import {
  type FileAddress,
  type PresenceKind,
  type PresenceList,
  type PresenceResult,
  type PresentMember,
  presenceKinds,
} from '../model/types.ts'
import type { Reads } from '../reading/reads.ts'
import { PresenceEntries, type PresenceEntry, presenceMs } from './presence-entries.ts'

export class DocumentPresence {
  private readonly shared: DocumentsDeps
  private readonly addressing: AddressResolver
  private readonly reads: Reads
  private readonly entries: PresenceEntries
  private readonly expiryTimer: DueTimer

  constructor(shared: DocumentsDeps, deps: { addressing: AddressResolver; reads: Reads }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.reads = deps.reads
    this.entries = new PresenceEntries(shared.clock, (id) => shared.changeTopics.markChanged(`here:${id}`))
    this.expiryTimer = new DueTimer(
      shared.clock,
      async () => this.entries.removeExpired(),
      (error) => shared.onProblem('Expired presence could not be removed; this is tried again', error),
    )
  }

  /** `block` as spelled by the caller; `kind` defaults to `editing`. @throws WorkspaceError `invalid` */
  async beat(
    caller: Caller,
    address: FileAddress,
    state: { kind?: string; block?: string },
  ): Promise<PresenceResult> {
    const { record, project } = await this.require(caller, address)
    const kind = requirePresenceKind(state.kind)
    const block = state.block === undefined ? null : await this.resolve(record, project, state.block)
    // A write during the await may have changed the blocks, and rebinds only stored entries.
    if (this.shared.catalogue.find(record.id) !== record) return this.beat(caller, address, state)
    this.put(record, { memberId: caller.member.id, kind, block })
    return this.result(record, project, { present: true, block })
  }

  /** @throws WorkspaceError as `beat` */
  async leave(caller: Caller, address: FileAddress): Promise<PresenceResult> {
    const { record, project } = await this.require(caller, address)
    this.entries.remove(record.id, caller.member.id)
    return this.result(record, project, { present: false, block: null })
  }

  list(caller: Caller, memberName?: string): PresenceList {
    requireScope(caller, 'documents:read')
    const { catalogue, pageUrl, projects } = this.shared
    const member = memberName === undefined ? null : this.requestedMember(caller, memberName)
    const visible = new Set(projects.readableBy(caller.member).map(({ id }) => id))
    const documents = this.entries.documentsOf().flatMap((id) => {
      const record = catalogue.find(id)
      if (!record || !visible.has(record.projectId)) return []
      const project = projects.find(record.projectId)!
      const here = this.membersIn(record, project).filter(({ memberId }) => !member || memberId === member.id)
      if (here.length === 0) return []
      return {
        docId: id,
        title: record.title,
        filename: filenameOf(record),
        path: treePath(project, record),
        project: { slug: project.slug, name: project.name },
        url: pageUrl(pagePath(project, record)),
        here,
      }
    })
    return {
      ttlSeconds: presenceMs / 1000,
      member: member && authorOf(member),
      documents: documents.sort((one, other) => other.here[0]!.lastSeenAt - one.here[0]!.lastSeenAt),
    }
  }

  /** Counts a write as presence. @param block the written block; absent to keep the member's position */
  recordWrite({ id: memberId }: Member, record: DocumentRecord, block?: string | null): void {
    if (record.kind !== 'document') return
    const blockBefore = this.entries.in(record.id).find((entry) => entry.memberId === memberId)?.block ?? null
    this.put(record, { memberId, kind: 'editing', block: block === undefined ? blockBefore : block })
  }

  rebindAfterWrite(record: DocumentRecord, content: Change['content']): void {
    if (record.deletedMs !== null || record.kind !== 'document') this.entries.removeAll(record.id)
    else if (content)
      this.entries.rebind(record.id, (block) => mapBlock(block, content, this.shared.members.names()))
  }

  stop(): Promise<void> {
    return this.expiryTimer.stop()
  }

  private async require(caller: Caller, address: FileAddress): Promise<ResolvedDocument> {
    if (address.folder === 'documents') return this.addressing.require(caller, address, 'read')
    this.addressing.requireProject(caller, address.project, 'documents', 'read')
    throw new WorkspaceError(
      'invalid',
      `A ${nounIn(address.folder)} has no presence; only documents under docs/ have.`,
    )
  }

  private put(record: DocumentRecord, entry: Omit<PresenceEntry, 'lastSeenMs'>): void {
    this.entries.put(record.id, entry)
    this.expiryTimer.dueAt(this.shared.clock.now() + presenceMs)
  }

  private result(
    record: DocumentRecord,
    project: Project,
    { present, block }: { present: boolean; block: string | null },
  ): PresenceResult {
    return {
      document: { id: record.id, title: record.title, path: treePath(project, record) },
      present,
      block,
      blockResolved: block !== null,
      here: this.membersIn(record, project),
    }
  }

  membersIn(record: DocumentRecord, project: Project): PresentMember[] {
    const { members, projects } = this.shared
    return this.entries.in(record.id).flatMap(({ memberId, kind, block, lastSeenMs }) => {
      const member = members.find(memberId)
      if (member?.status !== 'active' || !mayReadProject(projects.roleOf(project, member))) return []
      return { memberId, name: member.name, type: member.type, kind, block, lastSeenAt: lastSeenMs }
    })
  }

  /** An exact name takes precedence over one in another case, and that over a slug. */
  private requestedMember(caller: Caller, memberName: string): Member {
    if (memberName === 'self') return caller.member
    const { members } = this.shared
    const member =
      members.find(memberName) ??
      members.active().find(({ name }) => name === memberName) ??
      members.active().find(({ name }) => nameKey(name) === nameKey(memberName)) ??
      members.resolve(memberName)
    if (member?.status === 'active') return member
    throw new WorkspaceError('not_found', `There is no active member ${JSON.stringify(memberName)}.`, {
      next: { step: 'list members' },
    })
  }

  private async resolve(
    record: DocumentRecord,
    project: Project,
    requestedId: string,
  ): Promise<string | null> {
    const id = requestedId.toLowerCase()
    const blocks = await this.reads.ownBlocks(record, project)
    return blocks.some((block) => block.id === id) ? id : null
  }
}

function requirePresenceKind(kind: string | undefined): PresenceKind {
  if (kind === undefined) return 'editing'
  const found = presenceKinds.find((one) => one === kind)
  if (found) return found
  throw new WorkspaceError(
    'invalid',
    `The kind must be one of ${presenceKinds.join(', ')}, not ${JSON.stringify(kind)}.`,
  )
}
