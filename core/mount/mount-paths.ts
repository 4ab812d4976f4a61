import {
  conflictOf,
  isIgnoredName,
  isSafeName,
  isScratchName,
  nameKey,
  type Tree,
} from '../../data/tree/index.ts'
import type { Caller, Member } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import type { AddressResolver } from '../documents/addressing/address-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { parseDocumentPath, pathInHome, readmePath } from '../documents/model/document-paths.ts'
import type { Folder } from '../documents/model/types.ts'
import { draftFolderOf } from '../documents/writing/destinations.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireWritable } from '../projects/archiving.ts'
import { hasExactName, type NameLookup, resolveSpelling, type Spelling } from './spelling.ts'
import type { PathSegments } from './types.ts'

export const projectsFolder = 'projects'

/** Folders of a project with the scopes that they need; null: the scopes of what their files belong to. */
const scopeFolders = {
  posts: 'posts',
  drafts: 'drafts',
  documents: 'documents',
  board: 'board',
  files: 'documents',
  attachments: null,
  skills: null,
} as const satisfies Record<string, Folder | null>

export type TopLevelFolder = keyof typeof scopeFolders
export const topLevelFolderNames = Object.keys(scopeFolders) as TopLevelFolder[]

export const scopeFolderFor = (topLevelFolder: TopLevelFolder): Folder | null => scopeFolders[topLevelFolder]

export interface MountLocation {
  project: Project
  /** As spelled on the disk as far as they exist; empty for the project's own folder. */
  names: string[]
  path: string
  /** null: the project's folder, its home page, or an unknown folder. */
  topLevelFolder: TopLevelFolder | null
  /** On a case-insensitive disk: the file with another spelling, beside which nothing can be created. */
  conflictingName: string | null
}

/** `file`: a plain file. `scratch`: a scratch file, visible to its author. null: nothing can be there. */
export type FileKind = 'document' | 'file' | 'scratch' | null

export class MountPaths {
  private readonly shared: SharedDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync

  constructor(shared: SharedDeps, deps: { addressing: AddressResolver; disk: DiskSync }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.disk = deps.disk
  }

  /** @throws WorkspaceError `not_found`, `forbidden`, `unavailable`, `conflict` (archived) */
  requireProjectPath(caller: Caller, names: PathSegments, intent: 'read' | 'write'): MountLocation {
    requireScope(caller, 'projects:read')
    const [, slug = '', ...inner] = names
    this.requireOwnSlug(slug)
    const topLevelFolder = topLevelFolderOf(inner)
    const folder = topLevelFolder ? scopeFolders[topLevelFolder] : inner.length > 0 ? 'documents' : null
    const project = folder
      ? this.addressing.requireProject(caller, slug, folder, intent)
      : this.shared.projects.require(caller.member, slug)
    if (intent === 'write') requireWritable(project)
    this.disk.requireUsable(project, intent)
    const { tree } = this.shared
    // Reads that arrived together share their stats.
    const stat: Tree['stat'] = (path) => (intent === 'read' ? tree.statCached(path) : tree.statAnySize(path))
    const disk = { names: tree.names.bind(tree), stat }
    const { names: spelled, conflictingName } = spellInProject(disk, project, inner)
    return { project, names: spelled, path: spelled.join('/'), topLevelFolder, conflictingName }
  }

  fileKindOf({ member }: Caller, location: MountLocation): FileKind {
    const { project, names, path, topLevelFolder } = location
    if (isScratch(names) && !this.isOnDisk(location)) return 'scratch'
    if (!isSafeName(path)) return null
    if (topLevelFolder === 'files') return names.length > 1 ? 'file' : null
    const documentPath = documentPathOf(path)
    const isOthersDraft =
      documentPath?.kind === 'draft' && !this.draftFolders(member, project).has(documentPath.authorFolder!)
    if (documentPath && !isOthersDraft) return 'document'
    return topLevelFolder === 'documents' && names.length > 1 ? 'file' : null
  }

  /** Folders with the member's drafts, and the one named after the member. */
  draftFolders(member: Member, project: Project): Set<string> {
    const own = this.shared.catalogue.ofKind(project.id, 'draft', member.id)
    const folders = own.map(({ path }) => parseDocumentPath(path)!.authorFolder!)
    return new Set([draftFolderOf(this.shared, project, member.id), ...folders])
  }

  /** Accepts a project's current and former slugs, but not its id. @throws WorkspaceError `not_found` */
  private requireOwnSlug(slug: string): void {
    const project = this.shared.projects.find(slug)
    if (project === null || project.id !== slug) return
    throw new WorkspaceError('not_found', `There is no project ${JSON.stringify(slug)} here.`)
  }

  private isOnDisk({ project, path, topLevelFolder, conflictingName }: MountLocation): boolean {
    if (
      (topLevelFolder !== 'documents' && topLevelFolder !== 'files') ||
      conflictingName !== null ||
      !isSafeName(path)
    )
      return false
    return this.shared.tree.statAnySize(pathInHome(project, path)).kind !== 'missing'
  }
}

/** macOS programs write into this folder before they save. */
const safeSaveFolder = '.TemporaryItems'

export const isScratch = (names: PathSegments): boolean =>
  isScratchName(names.at(-1) ?? '') || isScratchFolder(names)

/** No folder but that of macOS is a scratch folder. */
export const isScratchFolder = (names: PathSegments): boolean => names.includes(safeSaveFolder)

/** Whether a path is in no list of documents or uploads, like anything below it. */
export const isUnlisted = (path: string): boolean => path.split('/').some(isIgnoredName)

/** Null also for conflict copies and ignored names, which are shown as plain files. */
export const documentPathOf = (path: string): ReturnType<typeof parseDocumentPath> =>
  conflictOf(path.split('/').at(-1)!) === null && !isUnlisted(path) ? parseDocumentPath(path) : null

export const homePathAt = ({ project, path }: Pick<MountLocation, 'project' | 'path'>): string =>
  path === '' ? `projects/${project.folder}` : pathInHome(project, path)

/** @throws WorkspaceError `conflict` if the disk takes the name for another file's */
export function requireOwnName({
  path,
  conflictingName,
}: Pick<MountLocation, 'path' | 'conflictingName'>): void {
  if (conflictingName === null) return
  throw new WorkspaceError(
    'conflict',
    `${conflictingName} exists, and its disk cannot hold ${path} beside it. Choose another name.`,
  )
}

/** Says what can be done instead. @param location null above the projects */
export function fixedFolderError(location: MountLocation | null): WorkspaceError {
  if (location === null) {
    return new WorkspaceError('forbidden', 'Only the projects that you are in are here.', {
      next: { step: 'create a project' },
    })
  }
  const { project, path, topLevelFolder } = location
  const message = `Nothing can be changed at ${JSON.stringify(path)} itself.`
  if (topLevelFolder === 'attachments') {
    const next = { step: 'attach files', project: project.slug } as const
    return new WorkspaceError('forbidden', message, { next })
  }
  if (topLevelFolder === 'skills')
    return new WorkspaceError('forbidden', message, { next: { step: 'publish skills' } })
  const remedy = {
    posts: 'Only markdown files (.md) can be there, without folders. Put other files into files/.',
    drafts: 'Only your own drafts (.md) can be there, in the folder with your name.',
    board: 'Only cards (.md) can be there, in the four columns. Put other files into files/.',
    documents: 'Every project has this folder.',
    files: 'Every project has this folder.',
  } as const
  const other = `A project holds ${readmePath}, posts, drafts, documents, board and files.`
  return new WorkspaceError('forbidden', `${message} ${topLevelFolder ? remedy[topLevelFolder] : other}`)
}

function topLevelFolderOf(inner: readonly string[]): TopLevelFolder | null {
  const name = inner[0]?.normalize('NFC')
  return topLevelFolderNames.find((topLevelFolder) => topLevelFolder === name) ?? null
}

/** Standard folders may be spelled in another case on the disk. */
function spellInProject(disk: NameLookup, project: Project, inner: readonly string[]): Spelling {
  const [first, ...rest] = inner
  const folder = homePathAt({ project, path: '' })
  if (first === undefined || topLevelFolderOf(inner) === null) return resolveSpelling(disk, folder, inner)
  const top = hasExactName(disk, folder, first) ? first : listedSpelling(disk, folder, first)
  const { names, conflictingName } = resolveSpelling(disk, `${folder}/${top}`, rest)
  return { names: [top, ...names], conflictingName: conflictingName && `${top}/${conflictingName}` }
}

function listedSpelling(disk: NameLookup, folder: string, name: string): string {
  const listed = disk.names(folder) ?? []
  return listed.includes(name) ? name : (listed.find((other) => nameKey(other) === name) ?? name)
}
