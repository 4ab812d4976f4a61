import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { FormerPage } from '../../../data/tables/former-pages.ts'
import { illegalNameReason, nameKey } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { filePagePath, fileTreePath } from '../../paths.ts'
import { slugOf } from '../../text/slug.ts'
import { type ColumnName, findColumn } from './columns.ts'
import type { AddressFolder, DocumentKind, Folder } from './types.ts'

interface DocumentPath {
  kind: DocumentKind
  authorFolder?: string
  column?: ColumnName
  filename: string
}

export const readmePath = 'README.md'

export const isMarkdown = (name: string): boolean => /\.md$/i.test(name)

/** Returns null for a path where no document can be. @param path in the project */
export function parseDocumentPath(path: string): DocumentPath | null {
  if (!isMarkdown(path)) return null
  const names = path.split('/')
  const filename = names.at(-1)!
  const [top, second] = names
  if (names.length === 1) return nameKey(filename) === nameKey(readmePath) ? { kind: 'home', filename } : null
  switch (nameKey(top!)) {
    case 'posts':
      return names.length === 2 ? { kind: 'post', filename } : null
    case 'drafts':
      return names.length === 3 ? { kind: 'draft', authorFolder: second!, filename } : null
    case 'documents':
      return { kind: 'document', filename: names.slice(1).join('/') }
    case 'board': {
      const column = names.length === 3 && /^\d\d-/.test(second!) ? findColumn(second!) : null
      return column ? { kind: 'card', column, filename } : null
    }
    default:
      return null
  }
}

/** Directly or in its sub-folders. */
export function canContainDocuments(path: string): boolean {
  const names = path.split('/')
  const top = nameKey(names[0]!)
  if (top === 'documents') return true
  if (top === 'posts') return names.length === 1
  return (top === 'drafts' || top === 'board') && names.length <= 2
}

/** Uploaded and attached files can be very many, so they are read on request and not watched. */
export function isInFilesFolder(path: string): boolean {
  const [, , top] = path.split('/')
  return top !== undefined && ['files', 'attachments'].includes(nameKey(top))
}

export const treeFolderFor: Record<Exclude<DocumentKind, 'home'>, Folder> = {
  post: 'posts',
  draft: 'drafts',
  document: 'documents',
  card: 'board',
}

export const kindInFolder: Record<Folder, Exclude<DocumentKind, 'home'>> = {
  posts: 'post',
  drafts: 'draft',
  documents: 'document',
  board: 'card',
}

export const kindOf = (folder: AddressFolder): DocumentKind =>
  folder === 'home' ? 'home' : kindInFolder[folder]

export const nounIn = (folder: AddressFolder): string =>
  folder === 'home' ? 'document' : kindInFolder[folder]

export const filenameOf = (record: Pick<DocumentRecord, 'path'>): string =>
  parseDocumentPath(record.path)?.filename ?? record.path.split('/').at(-1)!

/** The title of a file that has none. */
export const bareNameOf = ({ path }: Pick<DocumentRecord, 'path'>): string =>
  path.split('/').at(-1)!.replace(/\.md$/i, '')

export const columnOf = (record: Pick<DocumentRecord, 'path'>): ColumnName | undefined =>
  parseDocumentPath(record.path)?.column

export const deletedProjectFolder = ({ id }: Pick<Project, 'id'>): string => `trash/${id}`

/** @param project one in the trash has its id as `folder` */
export const pathInHome = (
  { folder, deletedMs = null }: Pick<Project, 'folder'> & Partial<Pick<Project, 'deletedMs'>>,
  path: string,
): string => `${deletedMs === null ? 'projects' : 'trash'}/${folder}/${path}`

/** The path in the home, or in its trash; null if the file no longer exists. */
export const filePathOf = (
  project: Pick<Project, 'folder'> & Partial<Pick<Project, 'deletedMs'>>,
  record: Pick<DocumentRecord, 'path' | 'deletedMs' | 'trashPath'>,
): string | null => (record.deletedMs === null ? pathInHome(project, record.path) : record.trashPath)

export const trashPathOf = (
  project: Pick<Project, 'folder'>,
  record: Pick<DocumentRecord, 'id' | 'path'>,
): string => `trash/${project.folder}/${record.id}-${filenameOf(record).split('/').at(-1)}`

export const isTrashedName = (name: string): boolean => /^doc_[0-9a-z]{26}-/.test(name)

export function treePath(
  project: Pick<Project, 'slug'>,
  { kind, path }: Pick<DocumentRecord, 'kind' | 'path'>,
): string {
  const { filename, column } = parseDocumentPath(path) ?? { filename: path.split('/').at(-1)! }
  return fileTreePath(project, { kind, filename, column })
}

/** The keys under which an address finds a document: its path, also without the date before the name. */
export function addressLookupKeys({ kind, pathKey }: Pick<DocumentRecord, 'kind' | 'pathKey'>): string[] {
  const isDated = kind === 'post' || kind === 'draft'
  return [...new Set([pathKey, isDated ? pathKey.replace(/\/\d{4}-\d{2}-\d{2}-([^/]+)$/, '/$1') : pathKey])]
}

export const pagePath = (
  project: Pick<Project, 'slug'>,
  record: Pick<DocumentRecord, 'kind' | 'path' | 'number'>,
): string => filePagePath(project, { kind: record.kind, filename: filenameOf(record), number: record.number })

export const commentPagePath = (
  project: Pick<Project, 'slug'>,
  post: Pick<DocumentRecord, 'kind' | 'path' | 'number'>,
  commentId: string,
): string => `${pagePath(project, post)}?at=${commentId}#${commentId}`

/** The key that finds a document's page after it has moved; null for the home page, which never moves. */
export function formerPageKey(
  record: Pick<DocumentRecord, 'projectId' | 'kind' | 'path' | 'number' | 'authorId'>,
): FormerPage | null {
  const { projectId, kind, number, authorId } = record
  if (kind === 'home') return null
  const name = kind === 'card' ? String(number) : filenameOf(record)
  return { projectId, key: pageKey(treeFolderFor[kind], name), authorId: kind === 'draft' ? authorId : '' }
}

export const pageKey = (folder: Folder, name: string): string =>
  nameKey(`${folder}/${name.replace(/\.md$/i, '')}`)

/** Leaves room in the 255 bytes of a file name for a date, a number and a suffix. */
const maxSlugBytes = 200

function titleSlug(title: string): string {
  const letters = [...slugOf(title)]
  while (Buffer.byteLength(letters.join('')) > maxSlugBytes) letters.pop()
  return letters.join('').replace(/-+$/, '')
}

/** @param details `day` as ISO 8601, for posts and drafts */
export function filenameFor(
  kind: Exclude<DocumentKind, 'home'>,
  details: { id: string; title: string; day: string; number: number | null },
): string {
  const slug = titleSlug(details.title) || details.id
  if (kind === 'document')
    return illegalNameReason(`${slug}.md`) === null ? `${slug}.md` : `${slug}-document.md`
  if (kind === 'card') return `${String(details.number).padStart(4, '0')}-${slug}.md`
  return `${details.day}-${slug}.md`
}

const maxNumbersInARow = 32

/** Returns `plan.md`, or a free `plan-2.md`, `plan-3.md`, … after few checks even among very many files. */
export function availablePath(path: string, isTaken: (path: string) => boolean): string {
  if (!isTaken(path)) return path
  const stem = path.replace(/\.md$/, '')
  const isNumberTaken = (n: number) => isTaken(`${stem}-${n}.md`)
  let taken = 1
  let free = 2
  while (isNumberTaken(free)) {
    taken = free
    free = free < maxNumbersInARow ? free + 1 : free * 2
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if (isNumberTaken(middle)) taken = middle
    else free = middle
  }
  return `${stem}-${free}.md`
}
