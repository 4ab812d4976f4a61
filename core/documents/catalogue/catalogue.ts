import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { type FileStamp, nameKey } from '../../../data/tree/index.ts'
import { slugOf } from '../../text/slug.ts'
import { filenameOf, parseDocumentPath } from '../model/document-paths.ts'
import type { DocumentKind } from '../model/types.ts'
import { FolderIndex } from './folder-index.ts'

type NameGroup = string

const groupOf = (record: DocumentRecord): NameGroup =>
  group(record.projectId, record.kind, record.kind === 'draft' ? record.authorId : '')

const group = (projectId: string, kind: DocumentKind, authorId: string): NameGroup =>
  `${projectId} ${kind} ${authorId}`

const fileKey = (stamp: FileStamp) => `${stamp.dev}:${stamp.ino}:${stamp.birthtimeMs}`

/** By publication, then by id, which sorts by time. */
const isNewer = (a: DocumentRecord, b: DocumentRecord) =>
  a.publishedMs > b.publishedMs || (a.publishedMs === b.publishedMs && a.id > b.id)

/** Ignores case, white space and normal form. */
export const titleKey = (title: string): string =>
  title.normalize('NFC').replace(/\s+/gu, ' ').trim().toLowerCase()

class MultiMap {
  private readonly ids = new Map<string, Set<string>>()

  add(key: string, id: string): void {
    const ids = this.ids.get(key)
    if (ids) ids.add(id)
    else this.ids.set(key, new Set([id]))
  }

  remove(key: string, id: string): void {
    const ids = this.ids.get(key)
    if (ids?.delete(id) && ids.size === 0) this.ids.delete(key)
  }

  get(key: string): Iterable<string> {
    return this.ids.get(key) ?? []
  }

  size(key: string): number {
    return this.ids.get(key)?.size ?? 0
  }
}

/** All live documents. Immutable records, replaced once a write is durable and its file is in place. */
export class Catalogue {
  private readonly records = new Map<string, DocumentRecord>()
  private readonly byPath = new Map<string, string>()
  private readonly byKey = new MultiMap()
  private readonly byGroup = new MultiMap()
  private readonly byName = new MultiMap()
  private readonly bySlug = new MultiMap()
  private readonly byFile = new MultiMap()
  private readonly byRevision = new MultiMap()
  private readonly byNumber = new Map<string, string>()
  private readonly byProject = new MultiMap()
  private readonly changes = new Map<string, number>()
  readonly folders = new FolderIndex()

  put(record: DocumentRecord): void {
    const before = this.take(record.id)
    if (before && before.projectId !== record.projectId) this.countChange(before.projectId)
    this.countChange(record.projectId)
    this.records.set(record.id, record)
    this.byPath.set(`${record.projectId} ${record.path}`, record.id)
    this.folders.add(record.projectId, record.path, record.id)
    for (const [index, key] of this.keysOf(record)) index.add(key, record.id)
    if (record.number !== null) this.byNumber.set(`${record.projectId} ${record.number}`, record.id)
  }

  /** For a record of which only the path within its project has changed. */
  relocate(record: DocumentRecord): void {
    const { id, projectId } = record
    const before = this.records.get(id)!
    this.countChange(projectId)
    this.byKey.remove(pathKeyOf(before), id)
    this.byKey.add(pathKeyOf(record), id)
    this.byName.remove(nameKeyOf(before), id)
    this.byName.add(nameKeyOf(record), id)
    const path = `${projectId} ${before.path}`
    if (this.byPath.get(path) === id) this.byPath.delete(path)
    this.byPath.set(`${projectId} ${record.path}`, id)
    this.folders.remove(projectId, before.path, id)
    this.folders.add(projectId, record.path, id)
    this.records.set(id, record)
  }

  remove(id: string): void {
    const record = this.take(id)
    if (record) this.countChange(record.projectId)
  }

  find(id: string): DocumentRecord | null {
    return this.records.get(id) ?? null
  }

  at(projectId: string, path: string): DocumentRecord | null {
    const id = this.byPath.get(`${projectId} ${path}`)
    return id === undefined ? null : this.find(id)
  }

  /** Compared in NFC and without case. */
  atSimilarPath(projectId: string, path: string): DocumentRecord[] {
    return this.all(this.byKey.get(`${projectId} ${nameKey(path)}`))
  }

  inProject(projectId: string): DocumentRecord[] {
    return this.all(this.byProject.get(projectId))
  }

  inFolder(projectId: string, folder: string): DocumentRecord[] {
    return this.all(this.folders.in(projectId, folder))
  }

  ofKind(projectId: string, kind: DocumentKind, authorId = ''): DocumentRecord[] {
    return this.all(this.byGroup.get(group(projectId, kind, authorId)))
  }

  /** Increases when a record of the project is added, replaced or removed. */
  changesIn(projectId: string): number {
    return this.changes.get(projectId) ?? 0
  }

  countInProject(projectId: string): number {
    return this.byProject.size(projectId)
  }

  countOfKind(projectId: string, kind: DocumentKind): number {
    return this.byGroup.size(group(projectId, kind, ''))
  }

  /** By inode and birth time. */
  withFile(stamp: FileStamp): DocumentRecord[] {
    // Without a birth time an inode number is ambiguous: the next file may reuse it.
    return stamp.birthtimeMs > 0 ? this.all(this.byFile.get(fileKey(stamp))) : []
  }

  withRevision(revision: string): DocumentRecord[] {
    return this.all(this.byRevision.get(revision))
  }

  cardWithNumber(projectId: string, number: number): DocumentRecord | null {
    const id = this.byNumber.get(`${projectId} ${number}`)
    return id === undefined ? null : this.find(id)
  }

  /**
   * Resolves a name (`docs/interface.md#addresses`): exact file name, its spelling in another case or normal form,
   * slug of the title (newest first, date prefix optional), id, or card number.
   * @param column limits exact file names of cards to this column
   */
  resolve(
    projectId: string,
    kind: Exclude<DocumentKind, 'home'>,
    name: string,
    options: { authorId?: string; column?: string } = {},
  ): DocumentRecord | null {
    const inGroup = group(projectId, kind, options.authorId ?? '')
    const column = options.column ? `${options.column}/` : ''
    return (
      this.byFilename(inGroup, column + name) ??
      this.byFilename(inGroup, `${column}${name}.md`) ??
      this.byTitle(inGroup, name) ??
      this.byId(inGroup, name) ??
      (kind === 'card' ? this.byCardNumber(projectId, name) : null)
    )
  }

  withTitle(projectId: string, kind: DocumentKind, title: string): DocumentRecord | null {
    const key = titleKey(title)
    return this.all(this.bySlug.get(`${group(projectId, kind, '')} ${slugOf(title)}`))
      .filter((record) => titleKey(record.title) === key)
      .reduce<DocumentRecord | null>(
        (newest, record) => (newest === null || isNewer(record, newest) ? record : newest),
        null,
      )
  }

  /** Without counting a change. */
  private take(id: string): DocumentRecord | undefined {
    const record = this.records.get(id)
    if (!record) return undefined
    this.records.delete(id)
    const path = `${record.projectId} ${record.path}`
    if (this.byPath.get(path) === id) this.byPath.delete(path)
    this.folders.remove(record.projectId, record.path, id)
    for (const [index, key] of this.keysOf(record)) index.remove(key, id)
    if (record.number !== null) this.byNumber.delete(`${record.projectId} ${record.number}`)
    return record
  }

  private countChange(projectId: string): void {
    this.changes.set(projectId, this.changesIn(projectId) + 1)
  }

  private byFilename(inGroup: NameGroup, name: string): DocumentRecord | null {
    const twins = this.all(this.byName.get(`${inGroup} ${nameKey(name)}`))
    const spelledSo = twins.find((record) => qualifiedName(record) === name)
    return spelledSo ?? twins[0] ?? null
  }

  private byTitle(inGroup: NameGroup, name: string): DocumentRecord | null {
    const stem = name.replace(/\.md$/i, '').normalize('NFC').toLowerCase()
    for (const slug of [stem, stem.replace(/^\d{4}-\d{2}-\d{2}-/, '')]) {
      const found = this.all(this.bySlug.get(`${inGroup} ${slug}`))
      if (found.length > 0)
        return found.reduce((newest, record) => (isNewer(record, newest) ? record : newest))
    }
    return null
  }

  private byId(inGroup: NameGroup, name: string): DocumentRecord | null {
    const record = this.find(name.replace(/\.md$/i, '').toLowerCase())
    return record && groupOf(record) === inGroup ? record : null
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

  private keysOf(record: DocumentRecord): [MultiMap, string][] {
    const inGroup = groupOf(record)
    const keys: [MultiMap, string][] = [
      [this.byKey, pathKeyOf(record)],
      [this.byProject, record.projectId],
      [this.byGroup, inGroup],
      [this.byName, nameKeyOf(record)],
      [this.bySlug, `${inGroup} ${slugOf(record.title)}`],
      [this.byRevision, record.revision],
    ]
    if (record.stamp) keys.push([this.byFile, fileKey(record.stamp)])
    return keys
  }
}

const pathKeyOf = ({ projectId, pathKey }: DocumentRecord) => `${projectId} ${pathKey}`
const nameKeyOf = (record: DocumentRecord) => `${groupOf(record)} ${nameKey(qualifiedName(record))}`

/** Includes a card's column, since columns may contain files of one name. */
function qualifiedName(record: DocumentRecord): string {
  const place = parseDocumentPath(record.path)
  if (!place) return filenameOf(record)
  return place.column ? `${place.column}/${place.filename}` : place.filename
}
