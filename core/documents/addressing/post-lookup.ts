import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Caller } from '../../access/member.ts'
import { maySeeDraft } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { treeFolderFor } from '../model/document-paths.ts'
import { postsOf } from '../sorting/post-list.ts'
import type { SortedLists } from '../sorting/sorted-lists.ts'
import type { AddressResolver, ResolvedDocument } from './address-resolver.ts'

export class PostLookup {
  constructor(
    private readonly deps: DocumentsDeps,
    private readonly addressing: AddressResolver,
    private readonly disk: DiskSync,
    private readonly sorted: SortedLists,
  ) {}

  /** @throws WorkspaceError `not_found`, also for others' drafts; `forbidden`; `conflict` if archived */
  async find(caller: Caller, id: string, intent: 'read' | 'write'): Promise<ResolvedDocument> {
    await this.reconcile(id)
    const { kind, projectId, id: name } = this.requirePost(caller, id)
    return this.addressing.require(caller, { project: projectId, folder: treeFolderFor[kind], name }, intent)
  }

  /** Most recent activity first. `missing`: ids whose files are missing. @throws as `DocumentLists.posts` */
  async inProject(
    caller: Caller,
    idOrSlug: string,
  ): Promise<{ project: Project; records: readonly DocumentRecord[]; missing: ReadonlySet<string> }> {
    const project = this.addressing.requireProject(caller, idOrSlug, 'posts', 'read')
    await this.disk.rescanFolder(project, 'posts')
    const missing = await this.disk.missing(project.id, 'post')
    return { project, records: await this.sorted.inOrder(project, postsOf(project)), missing }
  }

  async reconcileRecord(record: DocumentRecord, project: Project): Promise<DocumentRecord | null> {
    if (!this.disk.isReconciled(record, project)) await this.disk.reconcile(record)
    const current = this.deps.catalogue.find(record.id)
    return current?.kind === 'post' ? current : null
  }

  /** A draft may have been moved to the posts on the disk, or a post to the drafts. */
  private async reconcile(id: string): Promise<void> {
    const record = this.deps.catalogue.find(id.toLowerCase())
    const project = record && this.deps.projects.find(record.projectId)
    if (!project || this.disk.isReconciled(record, project)) return
    for (const folder of ['posts', 'drafts']) await this.disk.rescanFolder(project, folder)
  }

  private requirePost(caller: Caller, id: string): DocumentRecord & { kind: 'post' | 'draft' } {
    const record = this.deps.catalogue.find(id.toLowerCase())
    const isPost = record?.kind === 'post' || record?.kind === 'draft'
    if (isPost && (record.kind === 'post' || maySeeDraft(caller.member, record.authorId))) {
      return record as DocumentRecord & { kind: 'post' | 'draft' }
    }
    throw new WorkspaceError('not_found', `There is no post ${JSON.stringify(id)}.`, {
      next: { step: 'list posts' },
    })
  }
}
