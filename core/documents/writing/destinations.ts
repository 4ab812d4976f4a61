import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { illegalNameReason, isIgnoredName } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { slugOf } from '../../text/slug.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { ColumnName } from '../model/columns.ts'
import {
  bareNameOf,
  columnOf,
  filenameFor,
  filenameOf,
  parseDocumentPath,
  pathInHome,
  readmePath,
} from '../model/document-paths.ts'
import type { DocumentKind, FileAddress } from '../model/types.ts'
import { availableFilePath } from './available-file-path.ts'

export interface WriteDestination {
  kind: DocumentKind
  column: ColumnName | null
  authorId: string
}

const maxDepth = 8

/** Returns `''` for none. @throws WorkspaceError `invalid` for names that are not legal on every system */
export function subFolderOf(address: FileAddress): string {
  const folders = address.folder === 'documents' ? address.name.split('/').slice(0, -1) : []
  for (const name of folders) {
    const problem =
      illegalNameReason(name) ?? (isIgnoredName(name) ? 'is a name that tools use for their own files' : null)
    if (problem) {
      throw new WorkspaceError('invalid', `A folder cannot be named ${JSON.stringify(name)}: it ${problem}.`)
    }
  }
  if (folders.length > maxDepth) {
    throw new WorkspaceError('invalid', `Documents can be at most ${maxDepth} folders deep.`)
  }
  return folders.join('/')
}

export function folderFor(
  deps: DocumentsDeps,
  project: Project,
  record: DocumentRecord | null,
  destination: WriteDestination,
  subFolder: string,
): string {
  if (record && !changesFolder(record, destination)) return record.path.slice(0, record.path.lastIndexOf('/'))
  switch (destination.kind) {
    case 'document': {
      const folder = subFolder === '' ? 'documents' : `documents/${subFolder}`
      return deps.catalogue.folders.spelling(project.id, folder) ?? folder
    }
    case 'card':
      return `board/${destination.column}`
    case 'post':
      return 'posts'
    case 'home':
      return ''
    case 'draft':
      return `drafts/${draftFolderOf(deps, project, destination.authorId)}`
  }
}

/** Only a changed title renames the file. Must be called inside a commit, which shows names just allotted. */
export function pathFor(
  deps: DocumentsDeps,
  project: Project,
  record: DocumentRecord | null,
  kind: WriteDestination['kind'],
  folder: string,
  nameParts: { id: string; title: string | null; number: number | null; dayMs: number },
): string {
  if (kind === 'home') return homePath(deps, project, record)
  const keepsName =
    record !== null && (nameParts.title === null || slugOf(record.title) === slugOf(nameParts.title))
  if (keepsName && record.path === `${folder}/${record.path.split('/').at(-1)}`) return record.path
  const title = nameParts.title ?? (record ? undatedNameOf(record) : '')
  const isMovedCard = keepsName && record.kind === 'card' && kind === 'card'
  const filename = isMovedCard
    ? filenameOf(record)
    : filenameFor(kind, { ...nameParts, title, day: deps.dayOf(nameParts.dayMs) })
  return availableFilePath(deps, project, `${folder}/${filename}`, record?.path)
}

/** A draft that is published gets another date. */
const undatedNameOf = (record: DocumentRecord): string =>
  bareNameOf(record).replace(/^\d{4}-\d{2}-\d{2}-/, '')

function homePath({ tree }: DocumentsDeps, project: Project, record: DocumentRecord | null): string {
  if (record) return record.path
  if (tree.stat(pathInHome(project, readmePath)).kind === 'missing') return readmePath
  throw new WorkspaceError(
    'conflict',
    `Something that is not a document has the name ${readmePath}. Move it away first.`,
  )
}

const changesFolder = (record: DocumentRecord, { kind, column }: WriteDestination): boolean =>
  record.kind !== kind || (column !== null && columnOf(record) !== column)

/** Returns the folder with the author's existing drafts, else the slug of the name, else the id. */
export function draftFolderOf(
  { catalogue, members }: Pick<DocumentsDeps, 'catalogue' | 'members'>,
  project: Project,
  authorId: string,
): string {
  const existing = catalogue.ofKind(project.id, 'draft', authorId)[0]
  if (existing) return parseDocumentPath(existing.path)!.authorFolder!
  const slug = slugOf(members.find(authorId)!.name)
  const isShared = members.all().some(({ id, name }) => id !== authorId && slugOf(name) === slug)
  return slug === '' || isShared ? authorId : slug
}
