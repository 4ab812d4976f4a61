import type { Database } from '../../data/database.ts'
import type { DocumentRecord, DocumentsTable } from '../../data/tables/documents.ts'
import { authorOf, type Caller } from '../access/member.ts'
import { requireProjectManager } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { PostLookup } from '../documents/addressing/post-lookup.ts'
import type { DocumentMetadata } from '../documents/catalogue/document-metadata.ts'
import type { RevisionContents } from '../documents/catalogue/revision-contents.ts'
import type { Documents } from '../documents/index.ts'
import { filenameOf, pagePath, treePath } from '../documents/model/document-paths.ts'
import { scheduledMsOf, scheduleProblem } from '../documents/model/schedule.ts'
import { firstIndex } from '../documents/sorting/list-order.ts'
import { mostRecentlyActive } from '../documents/sorting/post-list.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import type { Unreached } from '../inbox/unreached.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { postText, requireBody, requireTitle, textBelowTitle } from './post-text.ts'
import type { NewPost, PostPage, PostView } from './types.ts'

interface PostsDeps {
  database: Database
  documents: DocumentsTable
  contents: RevisionContents
  metadata: DocumentMetadata
  members: MemberStore
  projects: ProjectStore
  newId: NewId
  pageUrl: (path: string) => string
  postRecords: PostLookup
  writes: Documents['writes']
}

const maxPageSize = 100

/** Counts stored bytes of all texts of a list page. */
const maxPageBytes = 1024 * 1024

const maxTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The posts of the tree as JSON (`docs/interface.md#posts-and-comments`). */
export class Posts {
  constructor(private readonly deps: PostsDeps) {}

  /** Most recent activity first. Returns fewer than `limit` if their texts are long. */
  async page(
    caller: Caller,
    idOrSlug: string,
    { limit, cursor = '' }: { limit: number; cursor?: string },
  ): Promise<PostPage> {
    const { project, records, missing } = await this.deps.postRecords.inProject(caller, idOrSlug)
    const after = cursor === '' ? null : this.parseCursor(cursor, project)
    const start =
      after === null
        ? 0
        : firstIndex(records.length, (index) =>
            mostRecentlyActive.isAfter(records[index]!, { key: after.activityMs, tie: after.id }),
          )
    const { page: pageRecords, hasMore } = fitPage(records, start, missing, Math.min(limit, maxPageSize))
    const posts: PostView[] = []
    for (const record of pageRecords) {
      const current = await this.deps.postRecords.reconcileRecord(record, project)
      if (current) posts.push(this.viewOf(current, project))
    }
    return { posts, nextCursor: hasMore ? cursorOf(pageRecords.at(-1)!) : null }
  }

  async get(caller: Caller, id: string): Promise<PostView> {
    const { record, project } = await this.deps.postRecords.find(caller, id, 'read')
    return this.viewOf(record, project)
  }

  /** A scheduled post is a draft until then. `unreached`: mentioned members who are not notified. */
  async create(
    caller: Caller,
    idOrSlug: string,
    request: NewPost,
  ): Promise<{ post: PostView; unreached: Unreached[] }> {
    const { newId, projects, writes } = this.deps
    const title = requireTitle(request.title)
    requireBody(request.body)
    const scheduledMs = scheduledMsFor(request)
    const isDraft = request.isDraft ?? scheduledMs !== null
    const project = projects.require(caller.member, idOrSlug)
    // Named by id, so that nothing is overwritten; the file is then named after its title.
    const address = { project: project.id, folder: isDraft ? 'drafts' : 'posts', name: newId('doc') } as const
    const text = Buffer.from(postText(title, request.body, scheduledMs))
    const { id, unreached = [] } = await writes.put(caller, address, text, { kind: 'none' })
    return { post: this.currentView(id), unreached }
  }

  /** @throws WorkspaceError `forbidden` except for a lead, owner or admin; `bad_request` for a draft */
  async setPinned(caller: Caller, id: string, isPinned: boolean): Promise<PostView> {
    const { metadata, database, postRecords, projects } = this.deps
    const { record, project } = await postRecords.find(caller, id, 'write')
    requireProjectManager(caller.member, projects.roleOf(project, caller.member), 'pin its posts')
    if (record.kind === 'draft') {
      throw new WorkspaceError('bad_request', 'A draft cannot be pinned. Publish it first.')
    }
    await commitOrUnavailable(database, () => metadata.update(record.id, () => ({ isPinned })))
    return this.currentView(record.id)
  }

  private currentView(id: string): PostView {
    const record = this.deps.documents.find(id)!
    return this.viewOf(record, this.deps.projects.find(record.projectId)!)
  }

  private viewOf(record: DocumentRecord, project: Project): PostView {
    const { contents, members, pageUrl } = this.deps
    const { stored, digest } = contents.get(record.id, record.revision)
    return {
      _id: record.id,
      projectId: project.id,
      title: record.title,
      body: textBelowTitle(stored, digest),
      author: authorOf(members.find(record.authorId)!),
      publishedAt: record.publishedMs,
      editedAt: record.editedMs,
      isDraft: record.kind === 'draft',
      isPinned: record.isPinned,
      scheduledFor: record.scheduledMs,
      commentCount: record.commentCount,
      lastActivityAt: record.activityMs,
      filename: filenameOf(record),
      path: treePath(project, record),
      url: pageUrl(pagePath(project, record)),
    }
  }

  private parseCursor(cursor: string, project: Project): Position {
    const [, activityMs, id] = /^(\d{1,16})-(doc_[0-9a-z]{26})$/.exec(cursor) ?? []
    const post = id === undefined ? undefined : this.deps.documents.find(id)
    if (id !== undefined && post?.projectId === project.id && post.kind === 'post') {
      return { activityMs: Number(activityMs), id }
    }
    throw new WorkspaceError(
      'bad_request',
      'The cursor does not belong to this list. Send nextCursor of the previous page, or leave it out to start.',
    )
  }
}

/** New activity moves a post before its position; no other post moves. */
type Position = Pick<DocumentRecord, 'activityMs' | 'id'>

const cursorOf = ({ activityMs, id }: Position): string => `${activityMs}-${id}`

function fitPage(
  records: readonly DocumentRecord[],
  start: number,
  missing: ReadonlySet<string>,
  limit: number,
): { page: DocumentRecord[]; hasMore: boolean } {
  const page: DocumentRecord[] = []
  let bytes = 0
  for (let index = start; index < records.length; index++) {
    const record = records[index]!
    if (missing.has(record.id)) continue
    bytes += record.bytes
    if (page.length === limit || (page.length > 0 && bytes > maxPageBytes)) return { page, hasMore: true }
    page.push(record)
  }
  return { page, hasMore: false }
}

function scheduledMsFor({ isDraft, scheduledFor = null }: NewPost): number | null {
  if (scheduledFor === null) return null
  const scheduledMs = scheduledMsOf({ scheduledFor })
  if (scheduledMs === null || !(scheduledMs <= maxTimeMs)) {
    throw new WorkspaceError('bad_request', scheduleProblem)
  }
  if (isDraft !== false) return scheduledMs
  throw new WorkspaceError(
    'bad_request',
    'A post that is scheduled is a draft until then. Leave isDraft out, or send true.',
  )
}
