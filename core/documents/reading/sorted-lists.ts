import { LRUCache } from 'lru-cache'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Project } from '../../access/project.ts'
import { mapInSlices } from '../../concurrency/map-in-slices.ts'
import { sortInSlices } from '../../concurrency/sort-in-slices.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DocumentKind } from '../model/types.ts'
import type { ListOrder } from './list-order.ts'
import { cutPage, type PageRequest } from './list-page.ts'

/** One list of a project's documents. */
export interface DocumentList<Row extends object> {
  /** Unique in the workspace. */
  name: string
  kind: DocumentKind
  /** Of drafts. */
  authorId?: string
  includes?: (record: DocumentRecord) => boolean
  order: ListOrder
  /** @param isKept false in a long list, of which the rows would take much memory */
  row: (record: DocumentRecord, isKept: boolean) => Row
}

interface RowsOfList {
  basis: readonly unknown[]
  rows: Promise<readonly object[]>
}

/** `ids`: of all sorted lists together; `rows`: of all whole ones. */
const maxCached = { lists: 1000, ids: 500_000, rows: 20_000 }

/** Lists stay sorted until a document of the project changes, and whole lists stay made. */
export class SortedLists {
  private readonly deps: Pick<DocumentsDeps, 'catalogue' | 'members'>
  private readonly copiesVersion: () => number
  private readonly orders = new LRUCache<string, { version: number; ids: readonly string[] }>({
    max: maxCached.lists,
    maxSize: maxCached.ids,
    sizeCalculation: ({ ids }) => ids.length + 1,
  })
  private readonly whole = new LRUCache<string, RowsOfList>({ max: maxCached.lists, maxSize: maxCached.rows })

  /** @param copiesVersion increases when conflict copies come or go */
  constructor(deps: Pick<DocumentsDeps, 'catalogue' | 'members'>, copiesVersion: () => number) {
    this.deps = deps
    this.copiesVersion = copiesVersion
  }

  /** The same frozen array until something in it changes, unless it is long or a document is left out. */
  rows<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    leftOut: ReadonlySet<string>,
  ): Promise<readonly Row[]> {
    if (leftOut.size > 0) return this.makeRows(project, list, leftOut)
    const { catalogue, members } = this.deps
    const basis = [project, catalogue.changesIn(project.id), members.version, this.copiesVersion()]
    const known = this.whole.get(list.name)
    if (known?.basis.every((value, index) => value === basis[index])) {
      return known.rows as Promise<readonly Row[]>
    }
    const rows = this.makeRows(project, list, leftOut).then((made) => Object.freeze(made))
    const cached = { basis, rows }
    this.whole.set(list.name, cached, { size: this.size(project, list) + 1 })
    rows.catch(() => {
      if (this.whole.peek(list.name) === cached) this.whole.delete(list.name)
    })
    return rows
  }

  /** @throws WorkspaceError `bad_request` for a cursor of another list */
  async page<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    leftOut: ReadonlySet<string>,
    request: PageRequest,
  ): Promise<{ rows: Row[]; nextCursor: string | null }> {
    const { name, order } = list
    const how = { list: name, order, isShown: ({ id }: DocumentRecord) => !leftOut.has(id) }
    const { catalogue } = this.deps
    const ids = this.sortedIds(project, name)
    // No other turn may come between the look at the version and this: the ids are those of the catalogue.
    const sorted = ids
      ? { length: ids.length, at: (index: number) => catalogue.find(ids[index]!)! }
      : await this.sort(project, list).then((records) => ({
          length: records.length,
          at: (index: number) => records[index]!,
        }))
    const { records, nextCursor } = cutPage(sorted, how, request)
    const isKept = this.size(project, list) < maxCached.rows
    return { rows: records.map((record) => list.row(record, isKept)), nextCursor }
  }

  private async makeRows<Row extends object>(
    project: Project,
    list: DocumentList<Row>,
    leftOut: ReadonlySet<string>,
  ): Promise<Row[]> {
    const ids = this.sortedIds(project, list.name)
    const records = ids ? await this.recordsOf(ids) : await this.sort(project, list)
    const shown = leftOut.size === 0 ? records : records.filter(({ id }) => !leftOut.has(id))
    const isKept = this.size(project, list) < maxCached.rows
    return mapInSlices(shown, (record) => list.row(record, isKept))
  }

  private size({ id }: Project, { kind, authorId }: Pick<DocumentList<object>, 'kind' | 'authorId'>): number {
    return this.deps.catalogue.countOfKind(id, kind, authorId)
  }

  private sortedIds(project: Project, name: string): readonly string[] | null {
    const known = this.orders.get(name)
    return known?.version === this.deps.catalogue.changesIn(project.id) ? known.ids : null
  }

  private async sort(
    project: Project,
    { name, kind, authorId, includes, order }: Omit<DocumentList<object>, 'row'>,
  ): Promise<DocumentRecord[]> {
    const { catalogue } = this.deps
    const version = catalogue.changesIn(project.id)
    const belongs = (record: DocumentRecord) =>
      record.projectId === project.id && record.kind === kind && (includes?.(record) ?? true)
    const found = await this.recordsOf(catalogue.idsOfKind(project.id, kind, authorId), belongs)
    const records = await sortInSlices(found, order.compare)
    this.orders.set(name, { version, ids: records.map(({ id }) => id) })
    return records
  }

  /** Without those that are deleted meanwhile. */
  private async recordsOf(
    ids: readonly string[],
    belongs: (record: DocumentRecord) => boolean = () => true,
  ): Promise<DocumentRecord[]> {
    const { catalogue } = this.deps
    const found = await mapInSlices(ids, (id) => {
      const record = catalogue.find(id)
      return record !== null && belongs(record) ? record : null
    })
    return found.filter((record) => record !== null)
  }
}
