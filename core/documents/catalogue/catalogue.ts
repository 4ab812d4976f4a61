import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { type FileStamp, nameKey } from '../../../data/tree/index.ts'
import { slugOf } from '../../text/slug.ts'
import { filenameOf, parseDocumentPath } from '../model/document-paths.ts'
import type { DocumentKind } from '../model/types.ts'
import { RecordCompactor } from './compact-record.ts'
import { FolderIndex } from './folder-index.ts'
import { LateIndexes } from './late-indexes.ts'
import { MultiMap, ScopedMultiMap } from './multi-map.ts'
import { groupOf, type NameGroup, nameGroup } from './name-groups.ts'
import { type RecordChange, RecordChanges } from './record-changes.ts'

/** By publication, then by id, which sorts by creation time. */
const isNewer = (a: DocumentRecord, b: DocumentRecord) =>
  a.publishedMs > b.publishedMs || (a.publishedMs === b.publishedMs && a.id > b.id)

export const titleKey = (title: string): string =>
  title.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()

/** All live documents. Records are immutable, and replaced once a write is durable and its file placed. */
export class Catalogue {
  private readonly compactor = new RecordCompactor()
  private readonly records = new Map<string, DocumentRecord>()
  private readonly byPath = new Map<string, Map<string, string>>()
  /** Documents whose path differs from its key. */
  private readonly byKey = new ScopedMultiMap()
  private readonly byGroup = new MultiMap()
  /** All kinds but documents, whose names are their paths. */
  private readonly byName = new ScopedMultiMap()
  private readonly late = new LateIndexes(this.records)
  private readonly byNumber = new Map<string, string>()
  private readonly byProject = new MultiMap()
  private readonly changes = new RecordChanges()
  readonly folders = new FolderIndex()

  /** Fills an empty catalogue, and takes over the records. */
  load(records: Iterable<DocumentRecord>): void {
    for (const loaded of records) {
      const record = this.compactor.adopt(loaded)
      this.add(record)
      this.late.addLater(record)
    }
  }

  /** Completes `load`. Look-ups that need the rest do not wait for it. */
  finishLoading(): Promise<void> {
    return this.late.addLoaded()
  }

  put(changed: DocumentRecord): void {
    const before = this.take(changed.id) ?? null
    const record = this.compactor.copy(changed)
    const { projectId } = record
    const isMoved = before !== null && before.projectId !== projectId
    if (isMoved) this.changes.add(before.projectId, { before, after: null })
    this.changes.add(projectId, { before: isMoved ? null : before, after: record })
    this.add(record)
    this.late.add(record)
  }

  private add(record: DocumentRecord): void {
    const { id, projectId } = record
    this.records.set(id, record)
    this.addPath(record)
    this.byProject.add(projectId, id)
    this.byGroup.add(groupOf(record), id)
    if (record.number !== null) this.byNumber.set(`${projectId} ${record.number}`, id)
  }

  /** Like `put`, for a record of which only the path within its project has changed. */
  relocate(moved: DocumentRecord): void {
    const record = this.compactor.copy(moved)
    const before = this.records.get(record.id)!
    this.changes.add(record.projectId, { before, after: record })
    this.removePath(before)
    this.addPath(record)
    this.records.set(record.id, record)
  }

  remove(id: string): void {
    const record = this.take(id)
    if (record) this.changes.add(record.projectId, { before: record, after: null })
  }

  private take(id: string): DocumentRecord | undefined {
    const record = this.records.get(id)
    if (!record) return undefined
    const { projectId } = record
    this.records.delete(id)
    this.removePath(record)
    this.byProject.remove(projectId, id)
    this.byGroup.remove(groupOf(record), id)
    this.late.remove(record)
    if (record.number !== null) this.byNumber.delete(`${projectId} ${record.number}`)
    return record
  }

  private addPath(record: DocumentRecord): void {
    const { id, projectId, path, pathKey } = record
    const paths = this.byPath.get(projectId) ?? new Map<string, string>()
    this.byPath.set(projectId, paths.set(path, id))
    if (pathKey !== path) this.byKey.add(projectId, pathKey, id)
    if (record.kind !== 'document') this.byName.add(groupOf(record), nameKey(qualifiedName(record)), id)
    this.folders.add(projectId, path, id)
  }

  private removePath(record: DocumentRecord): void {
    const { id, projectId, path, pathKey } = record
    const paths = this.byPath.get(projectId)
    if (paths?.get(path) === id) paths.delete(path)
    if (pathKey !== path) this.byKey.remove(projectId, pathKey, id)
    if (record.kind !== 'document') this.byName.remove(groupOf(record), nameKey(qualifiedName(record)), id)
    this.folders.remove(projectId, path, id)
  }

  find(id: string): DocumentRecord | null {
    return this.records.get(id) ?? null
  }

  at(projectId: string, path: string): DocumentRecord | null {
    const id = this.byPath.get(projectId)?.get(path)
    return id === undefined ? null : this.find(id)
  }

  /** Ignores case and normal form. */
  atSimilarPath(projectId: string, path: string): DocumentRecord[] {
    const key = nameKey(path)
    const others = this.all(this.byKey.get(projectId, key))
    const record = this.at(projectId, key)
    return record?.pathKey === key ? [record, ...others] : others
  }

  inProject(projectId: string): DocumentRecord[] {
    return this.all(this.byProject.get(projectId))
  }

  inFolder(projectId: string, folder: string): DocumentRecord[] {
    return this.all(this.folders.in(projectId, folder))
  }

  ofKind(projectId: string, kind: DocumentKind, authorId = ''): DocumentRecord[] {
    return this.all(this.byGroup.get(nameGroup(projectId, kind, authorId)))
  }

  /** Increases when a record of the project is added, replaced or removed. */
  changesIn(projectId: string): number {
    return this.changes.count(projectId)
  }

  /** @param count earlier `changesIn` @returns null if there were too many since */
  changesSince(projectId: string, count: number): RecordChange[] | null {
    return this.changes.since(projectId, count)
  }

  idsOfKind(projectId: string, kind: DocumentKind, authorId = ''): string[] {
    return [...this.byGroup.get(nameGroup(projectId, kind, authorId))]
  }

  countInProject(projectId: string): number {
    return this.byProject.size(projectId)
  }

  countOfKind(projectId: string, kind: DocumentKind, authorId = ''): number {
    return this.byGroup.size(nameGroup(projectId, kind, authorId))
  }

  withFile({ dev, ino, birthtimeMs }: FileStamp): DocumentRecord[] {
    // Without a birth time an inode number is ambiguous: the next file may reuse it.
    if (birthtimeMs === 0) return []
    return this.all(this.late.withInode(ino)).filter(
      ({ stamp }) => stamp?.dev === dev && stamp.birthtimeMs === birthtimeMs,
    )
  }

  withRevision(revision: string): DocumentRecord[] {
    return this.all(this.late.withRevision(revision))
  }

  cardWithNumber(projectId: string, number: number): DocumentRecord | null {
    const id = this.byNumber.get(`${projectId} ${number}`)
    return id === undefined ? null : this.find(id)
  }

  /**
   * Resolves a name (`docs/interface.md#addresses`): exact file name, its other spellings, slug of the title
   * (newest first, with or without date), id, or card number. `column` restricts cards' file names to one.
   */
  resolve(
    projectId: string,
    kind: Exclude<DocumentKind, 'home'>,
    name: string,
    options: { authorId?: string; column?: string } = {},
  ): DocumentRecord | null {
    const group = nameGroup(projectId, kind, options.authorId ?? '')
    const column = options.column ? `${options.column}/` : ''
    const findByFilename = (filename: string) =>
      kind === 'document'
        ? this.atSimilarPath(projectId, `documents/${filename}`)
        : this.all(this.byName.get(group, nameKey(filename)))
    return (
      bestSpelled(findByFilename(column + name), column + name) ??
      bestSpelled(findByFilename(`${column}${name}.md`), `${column}${name}.md`) ??
      this.byTitle(group, name) ??
      this.byId(group, name) ??
      (kind === 'card' ? this.byCardNumber(projectId, name) : null)
    )
  }

  withTitle(projectId: string, kind: DocumentKind, title: string): DocumentRecord | null {
    const key = titleKey(title)
    return this.all(this.late.withSlug(nameGroup(projectId, kind, ''), slugOf(title)))
      .filter((record) => titleKey(record.title) === key)
      .reduce<DocumentRecord | null>(
        (newest, record) => (newest === null || isNewer(record, newest) ? record : newest),
        null,
      )
  }

  private byTitle(group: NameGroup, name: string): DocumentRecord | null {
    const stem = name.replace(/\.md$/i, '').normalize('NFC').toLowerCase()
    for (const slug of [stem, stem.replace(/^\d{4}-\d{2}-\d{2}-/, '')]) {
      const found = this.all(this.late.withSlug(group, slug))
      if (found.length > 0)
        return found.reduce((newest, record) => (isNewer(record, newest) ? record : newest))
    }
    return null
  }

  private byId(group: NameGroup, name: string): DocumentRecord | null {
    const record = this.find(name.replace(/\.md$/i, '').toLowerCase())
    return record && groupOf(record) === group ? record : null
  }

  private byCardNumber(projectId: string, name: string): DocumentRecord | null {
    const number = /^(\d{1,9}(?=$)|\d{4,9}(?=-))/.exec(name.replace(/\.md$/i, ''))?.[1]
    return number === undefined ? null : this.cardWithNumber(projectId, Number(number))
  }

  private all(ids: Iterable<string>): DocumentRecord[] {
    const records: DocumentRecord[] = []
    for (const id of ids) records.push(this.records.get(id)!)
    return records
  }
}

const bestSpelled = (records: DocumentRecord[], name: string): DocumentRecord | null =>
  records.find((record) => qualifiedName(record) === name) ?? records[0] ?? null

/** Includes a card's column, since columns may contain files of the same name. */
function qualifiedName(record: DocumentRecord): string {
  const parsed = parseDocumentPath(record.path)
  if (!parsed) return filenameOf(record)
  return parsed.column ? `${parsed.column}/${parsed.filename}` : parsed.filename
}
