import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { isIgnoredName, isSafeName, nameKey } from '../../../data/tree/index.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import { mapInSlices } from '../../concurrency/map-in-slices.ts'
import { columnTreePath, libraryTreePath } from '../../paths.ts'
import type { AddressResolver } from '../addressing/address-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import type { IngestProgress } from '../disk/ingest-progress.ts'
import { byPosition } from '../model/card-order.ts'
import { columns, requireColumn } from '../model/columns.ts'
import { columnOf, filenameOf, pagePath, pathInHome, treePath } from '../model/document-paths.ts'
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
import { ListCache } from './list-cache.ts'
import { cursorOf, firstInOrder, type ListPosition, parseCursor } from './list-pages.ts'
import { RowCache } from './row-cache.ts'

const lastEdited = (record: DocumentRecord) => record.editedMs ?? record.publishedMs

const newestFirst =
  (timeOf: (record: DocumentRecord) => number) =>
  (a: DocumentRecord, b: DocumentRecord): number =>
    timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1)

const maxPageSize = 1000

const isAfter = (record: DocumentRecord, { timeMs, id }: ListPosition): boolean =>
  lastEdited(record) < timeMs || (lastEdited(record) === timeMs && record.id < id)

type List<Rows> = { project: string; ingesting?: IngestProgress } & Rows

/** `docs/interface.md#the-file-tree`. All throw WorkspaceError `forbidden` and `not_found` for the project. */
export class DocumentLists {
  private readonly deps: DocumentsDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync
  private readonly rows = new RowCache()
  private readonly wholeLists = new ListCache()

  constructor(deps: DocumentsDeps, addressing: AddressResolver, disk: DiskSync) {
    this.deps = deps
    this.addressing = addressing
    this.disk = disk
  }

  /** Most recent activity first. */
  async posts(caller: Caller, slug: string): Promise<List<{ posts: PostRow[] }>> {
    const { project, state } = await this.rescan(caller, slug, 'posts')
    return {
      project: project.slug,
      ...state,
      posts: await this.listOf(project, 'post', (records) => this.postRows(project, records)),
    }
  }

  /** Own drafts, most recent activity first. */
  async drafts(caller: Caller, slug: string): Promise<List<{ posts: PostRow[] }>> {
    const { project, state } = await this.rescan(caller, slug, 'drafts')
    const own = await this.disk.listed(project.id, 'draft', caller.member.id)
    return { project: project.slug, ...state, posts: await this.postRows(project, own) }
  }

  /** Most recently edited first. */
  async documents(caller: Caller, slug: string): Promise<List<{ documents: DocumentRow[] }>> {
    const { project, state } = await this.rescan(caller, slug, 'documents')
    const documents = await this.listOf(project, 'document', (records) =>
      mapInSlices(records.sort(newestFirst(lastEdited)), (record) => this.documentRow(project, record)),
    )
    return { project: project.slug, ...state, documents }
  }

  /**
   * Most recently edited first.
   * @param options `limit`: capped at 1,000. `cursor`: the `nextCursor` of the previous page
   * @throws WorkspaceError `bad_request` for an invalid cursor
   */
  async documentsPage(
    caller: Caller,
    slug: string,
    { limit, cursor }: { limit: number; cursor?: string },
  ): Promise<List<{ documents: DocumentRow[]; nextCursor: string | null }>> {
    const { project, state } = await this.rescan(caller, slug, 'documents')
    const after = cursor === undefined ? null : parseCursor(cursor, (id) => this.wasDocumentOf(project, id))
    const listed = await this.disk.listed(project.id, 'document')
    const remaining = after === null ? listed : listed.filter((record) => isAfter(record, after))
    const count = Math.min(limit, maxPageSize)
    const records = await firstInOrder(remaining, count, newestFirst(lastEdited))
    const last = remaining.length > count ? records.at(-1)! : null
    return {
      project: project.slug,
      ...state,
      documents: await mapInSlices(records, (record) => this.documentRow(project, record)),
      nextCursor: last && cursorOf({ timeMs: lastEdited(last), id: last.id }),
    }
  }

  private wasDocumentOf(project: Project, id: string): boolean {
    const record = this.deps.documents.find(id)
    return record?.projectId === project.id && record.kind === 'document'
  }

  /** At any depth, ignoring the folder's case; null if it does not exist. */
  async documentsBelow(caller: Caller, slug: string, folder: string): Promise<List<DocumentFolder> | null> {
    const { project, state } = await this.rescan(caller, slug, 'documents')
    const key = `${nameKey(`documents/${folder}`)}/`
    const records = this.deps.catalogue
      .ofKind(project.id, 'document')
      .filter(({ pathKey }) => pathKey.startsWith(key))
      .sort(newestFirst(lastEdited))
    if (records.length === 0 && !this.isEmptyFolder(project, `documents/${folder}`)) return null
    return {
      project: project.slug,
      ...state,
      folder,
      documents: await mapInSlices(records, (record) => this.documentRow(project, record)),
    }
  }

  private isEmptyFolder(project: Project, path: string): boolean {
    // A name of a document refers to a document, which does not exist.
    if (/\.md$/i.test(path) || !isSafeName(path) || path.split('/').some(isIgnoredName)) return false
    const stat = this.deps.tree.stat(pathInHome(project, path))
    return stat.kind === 'odd' && stat.odd === 'folder'
  }

  async library(caller: Caller, slug: string) {
    const { project, state } = await this.rescan(caller, slug, 'documents')
    const path = libraryTreePath(project)
    const { counts: others } = this.deps
    const files = await others.files(project)
    const counts = {
      documents: await this.disk.countListed(project.id, 'document'),
      files,
      repositories: others.repositories(project.id),
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
  ): Promise<List<{ column: string; cards: CardRow[] }>> {
    const { project, state } = await this.rescan(caller, slug, 'board')
    const column = requireColumn(spelled)
    const cards = (await this.disk.listed(project.id, 'card'))
      .filter((card) => columnOf(card) === column)
      .sort(byPosition)
    return {
      project: project.slug,
      ...state,
      column,
      cards: await mapInSlices(cards, (card) => this.cardRow(project, card)),
    }
  }

  /** Questions and cards in progress, by position within their columns. */
  async plannedCards(caller: Caller, slug: string): Promise<PlannedCard[]> {
    const { project } = await this.rescan(caller, slug, 'board')
    return (await this.disk.listed(project.id, 'card'))
      .filter((card) => card.card!.isQuestion || columnOf(card) === '03-in-progress')
      .sort(byPosition)
      .map((card) => this.cardFacts(project, card))
  }

  postCount(projectId: string): number {
    return this.deps.catalogue.countOfKind(projectId, 'post')
  }

  count(projectId: string): number {
    return this.deps.catalogue.countInProject(projectId)
  }

  private async rescan(
    caller: Caller,
    slug: string,
    folder: Folder,
  ): Promise<{ project: Project; state: { ingesting?: IngestProgress } }> {
    const project = this.addressing.requireProject(caller, slug, folder, 'read')
    // Before reading rows, so that a list that claims to be complete is.
    const ingesting = this.disk.progress
    await this.disk.rescanFolder(project, folder)
    return { project, state: ingesting ? { ingesting } : {} }
  }

  private async listOf<Row extends object>(
    project: Project,
    kind: 'document' | 'post',
    rowsOf: (records: DocumentRecord[]) => Promise<Row[]>,
  ): Promise<Row[]> {
    const { catalogue, members } = this.deps
    const make = async () => rowsOf(await this.disk.listed(project.id, kind))
    // A missing file returns without a change of the catalogue.
    if (this.disk.hasMissing(project.id)) return make()
    const basis = [project, catalogue.changesIn(project.id), this.disk.copiesVersion, members.version]
    return this.wholeLists.get(`${project.id} ${kind}`, basis, make)
  }

  private postRows(project: Project, records: DocumentRecord[]): Promise<PostRow[]> {
    return mapInSlices(records.sort(newestFirst(({ activityMs }) => activityMs)), (record) => {
      const copies = this.disk.conflictCopies(record, project)
      return this.rows.get(record, [project], copies, () => ({
        filename: filenameOf(record),
        id: record.id,
        title: record.title,
        publishedAt: record.publishedMs,
        isDraft: record.kind === 'draft',
        ...this.addressesOf(project, record, copies),
      }))
    })
  }

  private documentRow(project: Project, record: DocumentRecord): DocumentRow {
    const author = this.deps.members.find(record.authorId)!.name
    const copies = this.disk.conflictCopies(record, project)
    return this.rows.get(record, [project, author], copies, () => ({
      filename: filenameOf(record),
      id: record.id,
      title: record.title,
      author,
      lastEditedAt: lastEdited(record),
      bytes: record.bytes,
      ...this.addressesOf(project, record, copies),
    }))
  }

  private cardRow(project: Project, record: DocumentRecord): CardRow {
    const { priority, labels, assignees } = record.card!
    const copies = this.disk.conflictCopies(record, project)
    return this.rows.get(record, [project], copies, () => ({
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
    }))
  }

  private cardFacts(project: Project, record: DocumentRecord): PlannedCard {
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
