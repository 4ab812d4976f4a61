import { LRUCache } from 'lru-cache'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import { mapInSlices } from '../../concurrency/map-in-slices.ts'
import { sortInSlices } from '../../concurrency/sort-in-slices.ts'
import type { RecordChange } from '../catalogue/record-changes.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { LazyRows, type Rows } from '../model/lazy-rows.ts'
import type { DocumentKind } from '../model/types.ts'
import type { ListOrder } from './list-order.ts'
import { cutPage, type PageRequest } from './list-page.ts'

export interface DocumentList<Row extends object> {
  /** Unique in the workspace. */
  name: string
  kind: DocumentKind
  authorId?: string
  includes?: (record: DocumentRecord) => boolean
  order: ListOrder
  /** @param isCacheable false in a long list, whose rows would take much memory */
  row: (record: DocumentRecord, isCacheable: boolean) => Row
}

interface RowsOfList {
  basis: readonly unknown[]
  rows: Promise<readonly object[]>
}

/** `records` limits all sorted lists together, `rows` all whole ones. A list with more rows is never held as a whole. */
const maxCached = { lists: 1000, records: 500_000, rows: 20_000 }

/** Keeps lists sorted while their documents change, and whole lists until something in them changes. */
export class SortedLists {
  private readonly deps: Pick<DocumentsDeps, 'catalogue' | 'members'>
  private readonly copiesVersion: () => number
  private readonly maxRows: number
  private readonly orders = new LRUCache<string, { version: number; records: readonly DocumentRecord[] }>({
    max: maxCached.lists,
    maxSize: maxCached.records,
    sizeCalculation: ({ records }) => records.length + 1,
  })
  private readonly wholeLists: LRUCache<string, RowsOfList>

  /** @param maxRows of a list that is held as a whole */
  constructor(
    deps: Pick<DocumentsDeps, 'catalogue' | 'members'>,
    copiesVersion: () => number,
    maxRows = maxCached.rows,
  ) {
    this.deps = deps
    this.copiesVersion = copiesVersion
    this.maxRows = maxRows
    this.wholeLists = new LRUCache({ max: maxCached.lists, maxSize: maxRows })
  }

  /** Returns the same frozen array until something in it changes, unless it is too long or ids are left out. */
  async rows<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    excluded: ReadonlySet<string>,
  ): Promise<Rows<Row>> {
    if (!this.isCacheable(project, list)) {
      return LazyRows.of(await this.included(project, list, excluded), (record) => list.row(record, false))
    }
    if (excluded.size > 0) return this.makeRows(project, list, excluded)
    const { catalogue, members } = this.deps
    const basis = [project, catalogue.changesIn(project.id), members.version, this.copiesVersion()]
    const previous = this.wholeLists.get(list.name)
    if (previous?.basis.every((value, index) => value === basis[index])) {
      return previous.rows as Promise<readonly Row[]>
    }
    const rows = this.makeRows(project, list, excluded).then((made) => Object.freeze(made))
    const cached = { basis, rows }
    this.wholeLists.set(list.name, cached, { size: this.size(project, list) + 1 })
    rows.catch(() => {
      if (this.wholeLists.peek(list.name) === cached) this.wholeLists.delete(list.name)
    })
    return rows
  }

  async page<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    excluded: ReadonlySet<string>,
    request: PageRequest,
  ): Promise<{ rows: Row[]; nextCursor: string | null }> {
    const { name, order } = list
    const options = { list: name, order, isShown: ({ id }: DocumentRecord) => !excluded.has(id) }
    const { records, nextCursor } = cutPage(await this.inOrder(project, list), options, request)
    const isCacheable = this.isCacheable(project, list)
    return { rows: records.map((record) => list.row(record, isCacheable)), nextCursor }
  }

  /** Possibly a moment old; includes documents whose files are missing. */
  async inOrder(
    project: Project,
    list: Omit<DocumentList<object>, 'row'>,
  ): Promise<readonly DocumentRecord[]> {
    return this.update(project, list) ?? (await this.sort(project, list))
  }

  private async makeRows<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    excluded: ReadonlySet<string>,
  ): Promise<Row[]> {
    const records = await this.included(project, list, excluded)
    return mapInSlices(records, (record) => list.row(record, true))
  }

  private async included(
    project: Project,
    list: DocumentList<object>,
    excluded: ReadonlySet<string>,
  ): Promise<readonly DocumentRecord[]> {
    const records = await this.inOrder(project, list)
    return excluded.size === 0 ? records : records.filter(({ id }) => !excluded.has(id))
  }

  private isCacheable(project: Project, list: DocumentList<object>): boolean {
    return this.size(project, list) < this.maxRows
  }

  private size({ id }: Project, { kind, authorId }: Pick<DocumentList<object>, 'kind' | 'authorId'>): number {
    return this.deps.catalogue.countOfKind(id, kind, authorId)
  }

  private update(
    project: Project,
    list: Omit<DocumentList<object>, 'row'>,
  ): readonly DocumentRecord[] | null {
    const cached = this.orders.get(list.name)
    const { catalogue } = this.deps
    const changes = cached && catalogue.changesSince(project.id, cached.version)
    if (!changes) return null
    const listChanges = changes.filter(
      ({ before, after }) =>
        (before && belongs(before, project, list)) || (after && belongs(after, project, list)),
    )
    const records =
      listChanges.length === 0 ? cached.records : applyChanges(cached.records, listChanges, project, list)
    this.orders.set(list.name, { version: catalogue.changesIn(project.id), records })
    return records
  }

  private async sort(
    project: Project,
    list: Omit<DocumentList<object>, 'row'>,
  ): Promise<readonly DocumentRecord[]> {
    const { catalogue } = this.deps
    const version = catalogue.changesIn(project.id)
    const ids = catalogue.idsOfKind(project.id, list.kind, list.authorId)
    const found = await this.recordsOf(ids, (record) => belongs(record, project, list))
    const records = await sortInSlices(found, list.order.compare)
    this.orders.set(list.name, { version, records })
    return records
  }

  private async recordsOf(
    ids: readonly string[],
    isIncluded: (record: DocumentRecord) => boolean,
  ): Promise<DocumentRecord[]> {
    const { catalogue } = this.deps
    const found = await mapInSlices(ids, (id) => {
      const record = catalogue.find(id)
      return record !== null && isIncluded(record) ? record : null
    })
    return found.filter((record) => record !== null)
  }
}

const belongs = (
  record: DocumentRecord,
  project: Project,
  { kind, authorId, includes }: Omit<DocumentList<object>, 'row'>,
): boolean =>
  record.projectId === project.id &&
  record.kind === kind &&
  (authorId === undefined || record.authorId === authorId) &&
  (includes?.(record) ?? true)

/**
 * Returns a copy, since readers iterate the former list in slices. The list may already contain some of the
 * changes, since it was sorted in slices: a record at its position is replaced.
 */
function applyChanges(
  sorted: readonly DocumentRecord[],
  changes: readonly RecordChange[],
  project: Project,
  list: Omit<DocumentList<object>, 'row'>,
): DocumentRecord[] {
  const records = [...sorted]
  for (const { before, after } of changes) {
    if (before && belongs(before, project, list)) {
      const index = list.order.indexIn(records, before)
      if (records[index]?.id === before.id) records.splice(index, 1)
    }
    if (after && belongs(after, project, list)) {
      const index = list.order.indexIn(records, after)
      records.splice(index, records[index]?.id === after.id ? 1 : 0, after)
    }
  }
  return records
}
