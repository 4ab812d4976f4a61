import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { nameKey } from '../../../data/tree/index.ts'
import { type Author, authorOf, type Caller } from '../../access/member.ts'
import { mayDelete, mayManageProject } from '../../access/permissions.ts'
import type { Project } from '../../access/project.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { filenameOf, kindInFolder, pageKey, pagePath, treePath } from '../model/document-paths.ts'
import { mayRead } from '../model/readable-documents.ts'
import type {
  Address,
  DocumentDetails,
  Folder,
  ListedChanges,
  OpenDocumentDetails,
  PresentMember,
} from '../model/types.ts'
import { type UntrackedFolder, untrackedDraftsSummary } from '../model/untracked-folders.ts'
import { unreachedByPost } from './results.ts'

const maxChanges = 50

type MembersPresent = (record: DocumentRecord, project: Project) => PresentMember[]

interface DocumentDetailsReaderDeps {
  addressing: AddressResolver
  disk: DiskSync
  presentMembers: MembersPresent
}

export class DocumentDetailsReader {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: DocumentDetailsReaderDeps,
  ) {}

  /** @throws WorkspaceError as a read of the file */
  async read(caller: Caller, address: Address): Promise<OpenDocumentDetails> {
    const { record, project } = await this.deps.addressing.require(caller, address, 'read')
    const { contents, revisions } = this.shared
    const path = treePath(project, record)
    const { digest } = contents.get(record.id, record.revision)
    const isOwnPost =
      (record.kind === 'post' || record.kind === 'draft') && record.authorId === caller.member.id
    return {
      ...this.detailsOf(project, record),
      revisionCount: revisions.count(record.id),
      attachments: record.attachments.map((file) => ({ ...file, path: `${path}/attachments/${file.id}` })),
      links: digest.links ?? [],
      unreached: isOwnPost ? unreachedByPost(this.shared, project, digest, record.authorId) : [],
      here: record.kind === 'document' ? this.deps.presentMembers(record, project) : [],
      may: this.permissions(caller, project, record),
    }
  }

  /** Returns the page path of a document that moved or was published; null if the caller may not read it. */
  movedTo(caller: Caller, { project: slug, folder, name }: Address): string | null {
    const { catalogue, formerPages, projects } = this.shared
    const { id: projectId } = this.deps.addressing.requireProject(caller, slug, folder, 'read')
    const authorId = folder === 'drafts' ? caller.member.id : ''
    const id = formerPages.find({ projectId, key: pageKey(folder, name), authorId })
    const record = id === undefined ? null : catalogue.find(id)
    if (!record || !mayRead(caller, record, projects)) return null
    return pagePath(projects.find(record.projectId)!, record)
  }

  /** Most recent activity first; only the caller's own drafts. @throws WorkspaceError as the folder's list */
  async list(caller: Caller, slug: string, folder: Folder, limit?: number): Promise<DocumentDetails[]> {
    const project = this.deps.addressing.requireProject(caller, slug, folder, 'read')
    await this.deps.disk.rescanFolder(project, folder)
    const records = await this.deps.disk.listed(
      project.id,
      kindInFolder[folder],
      folder === 'drafts' ? caller.member.id : '',
    )
    return records
      .sort((one, other) => other.activityMs - one.activityMs || (one.id < other.id ? 1 : -1))
      .slice(0, limit)
      .map((record) => this.detailsOf(project, record))
  }

  /** Returns what changed after a `ChangeTopics` sequence; null if unknown or too much. @throws as `list` */
  async listedChanges(caller: Caller, slug: string, sequence: number): Promise<ListedChanges | null> {
    const project = this.deps.addressing.requireProject(caller, slug, 'documents', 'read')
    const changed = this.shared.changeTopics.listedChangedSince(sequence, project.id)
    if (changed === null || changed.length > maxChanges) return null
    const documents = await this.list(caller, slug, 'documents')
    const listed = new Set(documents.map(({ id }) => id))
    return {
      documents,
      changedIds: new Set(changed),
      removedIds: changed.filter((id) => !listed.has(id)),
    }
  }

  /** @throws WorkspaceError as the list of documents */
  untrackedFolders(caller: Caller, slug: string): UntrackedFolder[] {
    const project = this.deps.addressing.requireProject(caller, slug, 'documents', 'read')
    const found = this.deps.disk.untrackedFolders(project)
    // The names of drafts are visible to their authors only.
    const isAmongDrafts = ({ folder }: UntrackedFolder) => nameKey(folder.split('/')[0]!) === 'drafts'
    const drafts = found.filter(isAmongDrafts)
    const others = found.filter((folder) => !isAmongDrafts(folder))
    const count = drafts.reduce((sum, folder) => sum + folder.count, 0)
    return count === 0 ? others : [...others, untrackedDraftsSummary(count)]
  }

  private detailsOf(project: Project, record: DocumentRecord): DocumentDetails {
    return {
      id: record.id,
      projectId: record.projectId,
      kind: record.kind,
      title: record.title,
      filename: filenameOf(record),
      path: treePath(project, record),
      page: pagePath(project, record),
      author: this.writer(record.authorId),
      editor: this.writer(record.editorId),
      publishedAt: record.publishedMs,
      editedAt: record.editedMs,
      lastActivityAt: record.activityMs,
      scheduledFor: record.scheduledMs,
      isPinned: record.isPinned,
      commentCount: record.commentCount,
      bytes: record.bytes,
      revision: record.revision,
      conflictCopies: this.deps.disk.conflictCopies(record, project),
    }
  }

  private permissions(
    { member }: Caller,
    project: Project,
    record: DocumentRecord,
  ): OpenDocumentDetails['may'] {
    const isOpen = project.archivedMs === null
    const isPost = record.kind === 'post'
    const role = this.shared.projects.roleOf(project, member)
    return {
      edit: isOpen && !isPost,
      remove: isOpen && mayDelete(member, record.authorId),
      publish: isOpen && record.kind === 'draft',
      pin: isOpen && isPost && mayManageProject(member, role),
      comment: isOpen && (isPost || record.kind === 'document' || record.kind === 'card'),
    }
  }

  private writer(id: string): Author {
    return authorOf(this.shared.members.find(id)!)
  }
}
