import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { FormerPage } from '../../../data/tables/former-pages.ts'
import { illegalNameReason, nameKey } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { filePagePath, fileTreePath } from '../../paths.ts'
import { slugOf } from '../../text/slug.ts'
import { type ColumnName, findColumn } from './columns.ts'
import type { DocumentKind, Folder } from './types.ts'

/** What the path of a file says about the document in it. */
interface DocumentPath {
  kind: DocumentKind
  /** For a draft: the folder that stands for its author. */
  authorFolder?: string
  column?: ColumnName
  /** The name within its folder; for a document with its sub-folders, as in `guides/setup.md`. */
  filename: string
}

/** The project's home page, its briefing. */
export const readmePath = 'README.md'

export const isMarkdown = (name: string): boolean => /\.md$/i.test(name)

/**
 * What lies at a path within a project's folder; null for what is no document: attachments, uploaded files,
 * skills, anything that is not `.md`, and files at a depth where nothing is looked for.
 */
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

/** Whether folders at this path within a project can hold documents, at any depth. */
export function canContainDocuments(path: string): boolean {
  const names = path.split('/')
  const top = nameKey(names[0]!)
  if (top === 'documents') return true
  if (top === 'posts') return names.length === 1
  return (top === 'drafts' || top === 'board') && names.length <= 2
}

/**
 * Whether a path within the home is, or leads into, a folder of uploaded or attached files. There can be very many, and
 * nothing in them is ever a document: they are looked at when somebody asks for them, and not watched.
 */
export function isInFilesFolder(path: string): boolean {
  const [, , top] = path.split('/')
  return top !== undefined && ['files', 'attachments'].includes(nameKey(top))
}

/** The folder of the tree that a kind of file is found under. */
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

/** The name by which a document is addressed within its folder. */
export const filenameOf = (record: Pick<DocumentRecord, 'path'>): string =>
  parseDocumentPath(record.path)?.filename ?? record.path.split('/').at(-1)!

export const columnOf = (record: Pick<DocumentRecord, 'path'>): ColumnName | undefined =>
  parseDocumentPath(record.path)?.column

/** A path within a project, from the home: where its file lies. */
export const pathInHome = (project: Pick<Project, 'folder'>, path: string): string =>
  `projects/${project.folder}/${path}`

/** Where the file of a document lies, within the home: at its place or in the trash; null: nowhere any more. */
export const filePathOf = (
  project: Pick<Project, 'folder'>,
  record: Pick<DocumentRecord, 'path' | 'deletedMs' | 'trashPath'>,
): string | null => (record.deletedMs === null ? pathInHome(project, record.path) : record.trashPath)

/** Where the file of a document that is deleted is kept, within the home. */
export const trashPathOf = (
  project: Pick<Project, 'folder'>,
  record: Pick<DocumentRecord, 'id' | 'path'>,
): string => `trash/${project.folder}/${record.id}-${filenameOf(record).split('/').at(-1)}`

/** Whether a file of this name in the trash is that of a document, and not a person's. */
export const isTrashedName = (name: string): boolean => /^doc_[0-9a-z]{26}-/.test(name)

/** Where a document is in the file tree. */
export const treePath = (
  project: Pick<Project, 'slug'>,
  record: Pick<DocumentRecord, 'kind' | 'path'>,
): string =>
  fileTreePath(project, { kind: record.kind, filename: filenameOf(record), column: columnOf(record) })

/** The keys of the paths by which a file is addressed: its own, and without the date before its name, which is optional. */
export function addressLookupKeys({ kind, pathKey }: Pick<DocumentRecord, 'kind' | 'pathKey'>): string[] {
  const isDated = kind === 'post' || kind === 'draft'
  return [...new Set([pathKey, isDated ? pathKey.replace(/\/\d{4}-\d{2}-\d{2}-([^/]+)$/, '/$1') : pathKey])]
}

/** The page on which a person reads the same. */
export const pagePath = (
  project: Pick<Project, 'slug'>,
  record: Pick<DocumentRecord, 'kind' | 'path' | 'number'>,
): string => filePagePath(project, { kind: record.kind, filename: filenameOf(record), number: record.number })

/** The page of a post at one of its comments. */
export const commentPagePath = (
  project: Pick<Project, 'slug'>,
  post: Pick<DocumentRecord, 'kind' | 'path' | 'number'>,
  commentId: string,
): string => `${pagePath(project, post)}?at=${commentId}#${commentId}`

/** By what the page of a file is found once it is another; null for the home page, which is always there. */
export function formerPageKey(
  record: Pick<DocumentRecord, 'projectId' | 'kind' | 'path' | 'number' | 'authorId'>,
): FormerPage | null {
  const { projectId, kind, number, authorId } = record
  if (kind === 'home') return null
  const name = kind === 'card' ? String(number) : filenameOf(record)
  return { projectId, key: pageKey(treeFolderFor[kind], name), authorId: kind === 'draft' ? authorId : '' }
}

/** The key of such a page. @param name with or without `.md` */
export const pageKey = (folder: Folder, name: string): string =>
  nameKey(`${folder}/${name.replace(/\.md$/i, '')}`)

/** Leaves room in the 255 bytes of a file name for a date, a number and a suffix. */
const maxSlugBytes = 200

function titleSlug(title: string): string {
  const letters = [...slugOf(title)]
  while (Buffer.byteLength(letters.join('')) > maxSlugBytes) letters.pop()
  return letters.join('').replace(/-+$/, '')
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)

/** The file name that a title asks for; the caller makes it unique in its folder. */
export function filenameFor(
  kind: Exclude<DocumentKind, 'home'>,
  facts: { id: string; title: string; dayMs: number; number: number | null },
): string {
  const slug = titleSlug(facts.title) || facts.id
  if (kind === 'document')
    return illegalNameReason(`${slug}.md`) === null ? `${slug}.md` : `${slug}-document.md`
  if (kind === 'card') return `${String(facts.number).padStart(4, '0')}-${slug}.md`
  return `${day(facts.dayMs)}-${slug}.md`
}

/** Up to this number they are tried one after the other. */
const maxNumbersInARow = 32

/**
 * `plan.md`, or the first free one of `plan-2.md`, `plan-3.md`, …; among very many of that name, some free one whose
 * forerunner is taken, so that few names are asked for.
 */
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
