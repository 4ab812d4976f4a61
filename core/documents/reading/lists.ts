import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { isIgnoredName, isSafeName, nameKey } from '../../../data/tree/index.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { columnTreePath, libraryTreePath } from '../../paths.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import type { IngestProgress } from '../disk/ingest-progress.ts'
import { byPosition } from '../model/card-order.ts'
import { columns, requireColumn } from '../model/columns.ts'
import { columnOf, filenameOf, pagePath, pathInHome, treePath } from '../model/document-paths.ts'
import type { Rows } from '../model/lazy-rows.ts'
import type {
  CardRow,
  ColumnRow,
  DocumentFolder,
  DocumentRow,
  Folder,
  Locations,
  PlannedCard,
  PostRow,
} from '../model/types.ts'
import { ListOrder, lastEdited, mostRecentlyEdited } from '../sorting/list-order.ts'
import type { PageRequest } from '../sorting/list-page.ts'
import { mostRecentlyActive, postsOf } from '../sorting/post-list.ts'
import type { DocumentList, SortedLists } from '../sorting/sorted-lists.ts'
import { RowCache } from './row-cache.ts'

const nothingMissing: ReadonlySet<string> = new Set()

const inColumn = new ListOrder(
  ({ position }) => position!,
  ({ number }) => number!,
  'ascending',
)

/** `nextCursor` is absent without paging, and null on the last list page. */
type List<Rows> = { project: string; ingesting?: IngestProgress } & Rows & { nextCursor?: string | null }

/** `docs/interface.md#the-file-tree`. All throw `forbidden`, `not_found`, `bad_request` (cursor). */
export class DocumentLists {
  private readonly cachedRows = new RowCache()

  constructor(
    private readonly deps: DocumentsDeps,
    private readonly addressing: AddressResolver,
    private readonly disk: DiskSync,
    private readonly sorted: SortedLists,
  ) {}

  async posts(caller: Caller, slug: string, page?: PageRequest): Promise<List<{ posts: Rows<PostRow> }>> {
    const { project, state, list } = await this.open<PostRow>(caller, slug, 'posts', (project) => ({
      ...postsOf(project),
      row: (record, isCacheable) => this.postRow(project, record, isCacheable),
    }))
    const { rows, ...end } = await this.rows(project, list, page)
    return { project: project.slug, ...state, posts: rows, ...end }
  }

  async drafts(caller: Caller, slug: string, page?: PageRequest): Promise<List<{ posts: Rows<PostRow> }>> {
    const { project, state, list } = await this.open<PostRow>(caller, slug, 'drafts', (project) => ({
      name: `${project.id}/drafts/${caller.member.id}`,
      kind: 'draft',
      authorId: caller.member.id,
      order: mostRecentlyActive,
      row: (record, isCacheable) => this.postRow(project, record, isCacheable),
    }))
    const { rows, ...end } = await this.rows(project, list, page)
    return { project: project.slug, ...state, posts: rows, ...end }
  }

  async documents(
    caller: Caller,
    slug: string,
    page?: PageRequest,
  ): Promise<List<{ documents: Rows<DocumentRow> }>> {
    const { project, state, list } = await this.open<DocumentRow>(caller, slug, 'documents', (project) => ({
      name: `${project.id}/documents`,
      kind: 'document',
      order: mostRecentlyEdited,
      row: (record, isCacheable) => this.documentRow(project, record, isCacheable),
    }))
    const { rows, ...end } = await this.rows(project, list, page)
    return { project: project.slug, ...state, documents: rows, ...end }
  }

  /** At any depth, ignoring the folder's case; null if it does not exist. */
  async documentsBelow(
    caller: Caller,
    slug: string,
    folder: string,
    page?: PageRequest,
  ): Promise<List<DocumentFolder> | null> {
    const key = `${nameKey(`documents/${folder}`)}/`
    const { project, state, list } = await this.open<DocumentRow>(caller, slug, 'documents', (project) => ({
      name: `${project.id}/${key}`,
      kind: 'document',
      includes: ({ pathKey }) => pathKey.startsWith(key),
      order: mostRecentlyEdited,
      row: (record, isCacheable) => this.documentRow(project, record, isCacheable),
    }))
    const { rows, ...end } = await this.rows(project, list, page, nothingMissing)
    const isKnown = rows.length > 0 || page?.cursor || this.isEmptyFolder(project, `documents/${folder}`)
    if (!isKnown) return null
    return { project: project.slug, ...state, folder, documents: rows, ...end }
  }

  private isEmptyFolder(project: Project, path: string): boolean {
    // The name of a document refers to a document, which does not exist.
    if (/\.md$/i.test(path) || !isSafeName(path) || path.split('/').some(isIgnoredName)) return false
    const stat = this.deps.tree.stat(pathInHome(project, path))
    return stat.kind === 'skipped' && stat.reason === 'folder'
  }

  async library(caller: Caller, slug: string) {
    const { project, state } = await this.rescan(caller, slug, 'documents')
    const path = libraryTreePath(project)
    const { counts: projectCounts } = this.deps
    const files = await projectCounts.files(project)
    const counts = {
      documents: await this.disk.countListed(project.id, 'document'),
      files,
      repositories: projectCounts.repositories(project.id),
    }
    return {
      project: project.slug,
      ...state,
      folders: Object.entries(counts).map(([name, count]) => ({ name, count, path: `${path}/${name}` })),
    }
  }

  async board(caller: Caller, slug: string): Promise<List<{ columns: ColumnRow[] }>> {
    const { project, state } = await this.rescan(caller, slug, 'board')
    const cards = await this.disk.listed(project.id, 'card')
    const rows = columns.map(({ name, title }) => ({
      name,
      title,
      count: cards.filter((card) => columnOf(card) === name).length,
      path: columnTreePath(project, name),
    }))
    return { project: project.slug, ...state, columns: rows }
  }

  /** @throws WorkspaceError `bad_request` for an unknown column */
  async column(
    caller: Caller,
    slug: string,
    spelled: string,
    page?: PageRequest,
  ): Promise<List<{ column: string; cards: Rows<CardRow> }>> {
    const columnOfList = (project: Project): DocumentList<CardRow> => {
      const column = requireColumn(spelled)
      return {
        name: `${project.id}/board/${column}`,
        kind: 'card',
        includes: (card) => columnOf(card) === column,
        order: inColumn,
        row: (record, isCacheable) => this.cardRow(project, record, isCacheable),
      }
    }
    const { project, state, list } = await this.open(caller, slug, 'board', columnOfList)
    const { rows, ...end } = await this.rows(project, list, page)
    return { project: project.slug, ...state, column: requireColumn(spelled), cards: rows, ...end }
  }

  /** Questions and cards in progress, by position within their columns. */
  async plannedCards(caller: Caller, slug: string): Promise<PlannedCard[]> {
    const { project } = await this.rescan(caller, slug, 'board')
    return (await this.disk.listed(project.id, 'card'))
      .filter((card) => card.card!.isQuestion || columnOf(card) === '03-in-progress')
      .sort(byPosition)
      .map((card) => this.plannedCard(project, card))
  }

  postCount(projectId: string): number {
    return this.deps.catalogue.countOfKind(projectId, 'post')
  }

  count(projectId: string): number {
    return this.deps.catalogue.countInProject(projectId)
  }

  /** Sorts a list while its folder is compared with the disk: after a start, both take a while. */
  private async open<Row extends object>(
    caller: Caller,
    slug: string,
    folder: Folder,
    listIn: (project: Project) => DocumentList<Row>,
  ) {
    const project = this.addressing.requireProject(caller, slug, folder, 'read')
    const list = listIn(project)
    const [state] = await Promise.all([
      this.rescanProject(project, folder),
      this.sorted.inOrder(project, list),
    ])
    return { project, state, list }
  }

  private async rescan(
    caller: Caller,
    slug: string,
    folder: Folder,
  ): Promise<{ project: Project; state: { ingesting?: IngestProgress } }> {
    const project = this.addressing.requireProject(caller, slug, folder, 'read')
    return { project, state: await this.rescanProject(project, folder) }
  }

  private async rescanProject(project: Project, folder: Folder): Promise<{ ingesting?: IngestProgress }> {
    // Before reading rows, so that a list that claims to be complete is.
    const ingesting = this.disk.progress
    await this.disk.rescanForList(project, folder)
    return ingesting ? { ingesting } : {}
  }

  /** @param missing default: the documents whose files are missing */
  private async rows<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    page: PageRequest | undefined,
    missing?: ReadonlySet<string>,
  ): Promise<{ rows: Rows<Row>; nextCursor?: string | null }> {
    const excluded = missing ?? (await this.disk.missing(project.id, list.kind))
    if (page) return this.sorted.page(project, list, excluded, page)
    return { rows: await this.sorted.rows(project, list, excluded) }
  }

  private postRow(project: Project, record: DocumentRecord, isCacheable: boolean): PostRow {
    const copies = this.disk.conflictCopies(record, project)
    const make = () => ({
      filename: filenameOf(record),
      id: record.id,
      title: record.title,
      publishedAt: record.publishedMs,
      isDraft: record.kind === 'draft',
      ...this.addressesOf(project, record, copies),
    })
    return isCacheable && copies.length === 0 ? this.cachedRows.get(record, [project], make) : make()
  }

  private documentRow(project: Project, record: DocumentRecord, isCacheable: boolean): DocumentRow {
    const author = this.deps.members.find(record.authorId)!.name
    const copies = this.disk.conflictCopies(record, project)
    const make = () => ({
      filename: filenameOf(record),
      id: record.id,
      title: record.title,
      author,
      lastEditedAt: lastEdited(record),
      bytes: record.bytes,
      ...this.addressesOf(project, record, copies),
    })
    return isCacheable && copies.length === 0 ? this.cachedRows.get(record, [project, author], make) : make()
  }

  private cardRow(project: Project, record: DocumentRecord, isCacheable: boolean): CardRow {
    const { priority, labels, assignees } = record.card!
    const copies = this.disk.conflictCopies(record, project)
    const make = () => ({
      filename: filenameOf(record),
      id: record.id,
      number: record.number!,
      title: record.title,
      status: record.status!,
      priority,
      labels,
      assignees,
      lastActivityAt: record.activityMs,
      ...this.addressesOf(project, record, copies),
    })
    return isCacheable && copies.length === 0 ? this.cachedRows.get(record, [project], make) : make()
  }

  private plannedCard(project: Project, record: DocumentRecord): PlannedCard {
    const { assignees, isQuestion = false, blockedBy = [], resolution = null } = record.card!
    return {
      number: record.number!,
      title: record.title,
      column: columnOf(record)!,
      isQuestion,
      isClosed: record.status === 'closed',
      assignees,
      blockedBy: [...new Set(blockedBy)].filter(
        (number) =>
          number !== record.number && this.deps.catalogue.cardWithNumber(project.id, number) !== null,
      ),
      resolution,
      lastActivityAt: record.activityMs,
      path: treePath(project, record),
    }
  }

  private addressesOf(project: Project, record: DocumentRecord, conflictCopies: string[]): Locations {
    return {
      path: treePath(project, record),
      url: this.deps.pageUrl(pagePath(project, record)),
      ...(conflictCopies.length > 0 ? { conflictCopies } : {}),
    }
  }
}
