import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { SearchFilter } from '../../data/tables/search.ts'
import type { Caller, Scope } from '../access/member.ts'
import { hasScope, requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { Catalogue } from '../documents/catalogue/catalogue.ts'
import type { IngestProgress } from '../documents/disk/ingest-progress.ts'
import { baseKinds } from '../documents/model/document-kinds.ts'
import { commentPagePath, pagePath, treePath } from '../documents/model/document-paths.ts'
import { readableDocuments } from '../documents/model/readable-documents.ts'
import type { DocumentKind } from '../documents/model/types.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { LinkResolver } from '../links/link-resolver.ts'
import { replaceReferences } from '../links/replace-references.ts'
import type { MemberStore } from '../members/member-store.ts'
import { messagePagePath, transcriptPath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { EntryFinder } from './entry-finder.ts'
import type { FoundEntry } from './find-entries.ts'
import { applyOperators } from './operator-filter.ts'
import { splitOperators } from './search-operators.ts'
import { anyWords, parseSearchQuery, requireQuery } from './search-query.ts'

interface SearchDeps {
  catalogue: Catalogue
  members: Pick<MemberStore, 'resolve' | 'active'>
  memberships: Memberships
  projects: ProjectStore
  rooms: RoomsTable
  references: LinkResolver
  entries: Pick<EntryFinder, 'find'>
  pageUrl: (path: string) => string
  isMounted: (record: DocumentRecord) => boolean
  /** Not null while documents may be missing from the index. */
  ingestProgress: () => IngestProgress | null
}

export const searchTypes = ['document', 'post', 'card', 'comment', 'message'] as const
type SearchType = (typeof searchTypes)[number]

interface SearchRequest {
  query: string
  type?: string
  project?: string
  limit: number
  /** For the dates in the query; defaults to UTC. */
  timeZone?: string
}

export interface SearchResult {
  id: string
  type: SearchType
  /** For a comment, the post's title; for a message, the room's name. */
  title: string
  /** `/v1/fs/…`: the file, the comment's post, or the room's transcript. */
  path: string
  url: string
  snippet: string
}

/** Larger limits are reduced to this one. */
export const maxResults = 50

const kindsOf: Record<'document' | 'post' | 'card', readonly DocumentKind[]> = {
  document: ['document', 'home'],
  post: ['post', 'draft'],
  card: ['card'],
}

const scopeOf: Record<SearchType, Scope> = {
  document: 'documents:read',
  post: 'posts:read',
  card: 'cards:read',
  comment: 'posts:read',
  message: 'rooms:read',
}

export class Search {
  constructor(private readonly deps: SearchDeps) {}

  /** Matches in titles come first; without words, the newest entries (`docs/interface.md#search`). */
  async find(
    caller: Caller,
    request: SearchRequest,
  ): Promise<{ query: string; ingesting?: IngestProgress; results: SearchResult[] }> {
    const { query } = request
    const ingesting = this.deps.ingestProgress()
    requireQuery(query)
    const { words, operators } = splitOperators(query)
    const parsed = words === '' ? anyWords : parseSearchQuery(words)
    const type = requireSearchType(request.type)
    if (type) requireScope(caller, scopeOf[type])
    const project =
      request.project === undefined ? null : this.deps.projects.require(caller.member, request.project)
    if (parsed === null) return { query, results: [] }
    const readable = this.filterFor(caller, type, project)
    const { timeZone = 'UTC' } = request
    const filter = applyOperators(operators, readable, { caller, timeZone }, this.deps)
    const limit = Math.min(request.limit, maxResults)
    const found = await this.deps.entries.find({ query: parsed, filter, limit })
    const results = found.map((entry) => this.resultOf(caller, entry)).filter((result) => result !== null)
    return { query, ...(ingesting && { ingesting }), results }
  }

  private filterFor(caller: Caller, type: SearchType | null, project: Project | null): SearchFilter {
    const readable = readableDocuments(caller, this.deps.projects)
    const isRequested = (other: SearchType) => type === null || type === other
    const requestedKinds = (['document', 'post', 'card'] as const)
      .filter(isRequested)
      .flatMap((kind) => kindsOf[kind])
    return {
      ...readable,
      ...(project && { projects: [project.id] }),
      kinds: readable.kinds.filter((kind) => requestedKinds.some((other) => other === kind)),
      comments: isRequested('comment') && hasScope(caller, scopeOf.comment),
      commentedKinds: isRequested('comment')
        ? readable.kinds.filter((kind) => kind === 'document' || kind === 'card')
        : [],
      rooms: isRequested('message') && hasScope(caller, scopeOf.message) ? this.roomsOf(caller, project) : [],
    }
  }

  private roomsOf({ member }: Caller, project: Project | null): string[] {
    const { memberships, rooms } = this.deps
    return rooms
      .joinedBy(member.id)
      .filter((room) => memberships.mayEnterProjectOf(room, member))
      .filter(({ projectId }) => project === null || projectId === project.id)
      .map(({ id }) => id)
  }

  private resultOf(caller: Caller, entry: FoundEntry): SearchResult | null {
    const location = entry.type === 'message' ? this.roomLocation(entry) : this.documentLocation(entry)
    if (!location) return null
    const reader = { caller, projectId: this.projectOf(entry) }
    const snippet = replaceReferences(this.deps.references, reader, entry.snippet)
    return { id: entry.subjectId, ...location, snippet }
  }

  private projectOf({ type, containerId }: FoundEntry): string | null {
    const { catalogue, memberships } = this.deps
    const container = type === 'message' ? memberships.find(containerId) : catalogue.find(containerId)
    return container?.projectId ?? null
  }

  private roomLocation({ containerId, subjectId }: FoundEntry): Omit<SearchResult, 'id' | 'snippet'> | null {
    const room = this.deps.memberships.find(containerId)
    if (!room) return null
    const url = this.deps.pageUrl(messagePagePath(room, subjectId))
    return { type: 'message', title: room.name, path: transcriptPath(room), url }
  }

  private documentLocation({
    type,
    containerId,
    subjectId,
  }: FoundEntry): Omit<SearchResult, 'id' | 'snippet'> | null {
    const { catalogue, isMounted, pageUrl, projects } = this.deps
    const record = catalogue.find(containerId)
    const project = record && projects.find(record.projectId)
    if (!record || !project || !isMounted(record)) return null
    const isComment = type === 'comment'
    const page = isComment ? commentPagePath(project, record, subjectId) : pagePath(project, record)
    return {
      type: isComment ? 'comment' : baseKinds[record.kind],
      title: record.title,
      path: treePath(project, record),
      url: pageUrl(page),
    }
  }
}

/** @throws WorkspaceError `bad_request`, naming the types that there are */
export function requireSearchType(type: string | undefined): SearchType | null {
  if (type === undefined) return null
  const found = searchTypes.find((one) => one === type)
  if (found) return found
  throw new WorkspaceError(
    'bad_request',
    `There is no type ${JSON.stringify(type.slice(0, 40))} to search for. The types are: ${searchTypes.join(', ')}.`,
  )
}
