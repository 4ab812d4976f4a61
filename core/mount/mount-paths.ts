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
import { resolveSpelling, type Spelling } from './spelling.ts'
import type { PathSegments } from './types.ts'

/** Where the projects lie below the top. */
export const projectsFolder = 'projects'

/** What a project's folder holds, and with whose scopes a key comes in; null: those of what the files belong to. */
const zones = {
  posts: 'posts',
  drafts: 'drafts',
  documents: 'documents',
  board: 'board',
  files: 'documents',
  attachments: null,
  skills: null,
} as const satisfies Record<string, Folder | null>

export type Zone = keyof typeof zones
export const zoneNames = Object.keys(zones) as Zone[]

/** The folder of the tree whose scopes open a zone. */
export const scopeFolderFor = (zone: Zone): Folder | null => zones[zone]

/** A place in a project. */
export interface Where {
  project: Project
  /** Within the project, as they are spelled on the disk as far as they are there; none for its own folder. */
  names: string[]
  /** The same in one. */
  path: string
  /** null: the project's folder itself, its home page, or a place where nothing is kept. */
  zone: Zone | null
  /**
   * The path of what lies there under another spelling, on a disk that does not tell upper from lower case: nothing can be
   * put beside it. Null: nothing does.
   */
  conflictingName: string | null
}

/**
 * What a file may be at its place: a document; a file without a document, as uploaded ones are; what a program leaves
 * beside people's files, which is kept for who wrote it alone; null: nothing is kept there.
 */
export type Slot = 'document' | 'file' | 'scratch' | null

/** Tells what names mean, and lets callers in. */
export class Places {
  private readonly shared: SharedDeps
  private readonly addressing: AddressResolver
  private readonly disk: DiskSync

  constructor(shared: SharedDeps, deps: { addressing: AddressResolver; disk: DiskSync }) {
    this.shared = shared
    this.addressing = deps.addressing
    this.disk = deps.disk
  }

  /**
   * A place in a project, where the caller has the right to it.
   * @throws WorkspaceError `not_found` (no such project), `forbidden`, `unavailable`; `conflict` for a write where the
   *   project is archived
   */
  requireProjectPath(caller: Caller, names: PathSegments, intent: 'read' | 'write'): Where {
    requireScope(caller, 'projects:read')
    const [, slug = '', ...inner] = names
    this.requireOwnSlug(slug)
    const zone = zoneOf(inner)
    const folder = zone ? zones[zone] : inner.length > 0 ? 'documents' : null
    const project = folder
      ? this.addressing.requireProject(caller, slug, folder, intent)
      : this.shared.projects.require(caller.member, slug)
    if (intent === 'write') requireWritable(project)
    this.disk.requireUsable(project, intent)
    const { names: spelled, takenBy: conflictingName } = spellInProject(this.shared.tree, project, inner)
    return { project, names: spelled, path: spelled.join('/'), zone, conflictingName }
  }

  roleOf({ member }: Caller, where: Where): Slot {
    const { project, names, path, zone } = where
    if (isScratch(names) && !this.isOnDisk(where)) return 'scratch'
    if (!isSafeName(path)) return null
    if (zone === 'files') return names.length > 1 ? 'file' : null
    const place = documentPathOf(path)
    const isAnothers = place?.kind === 'draft' && !this.draftFolders(member, project).has(place.authorFolder!)
    if (place && !isAnothers) return 'document'
    return zone === 'documents' && names.length > 1 ? 'file' : null
  }

  /** The names of the folders in which a member's drafts lie: those that hold some, and the one that is theirs by name. */
  draftFolders(member: Member, project: Project): Set<string> {
    const own = this.shared.catalogue.ofKind(project.id, 'draft', member.id)
    const folders = own.map(({ path }) => parseDocumentPath(path)!.authorFolder!)
    return new Set([draftFolderOf(this.shared, project, member.id), ...folders])
  }

  /** A project is found by other names elsewhere, and here by the one that the listing shows. @throws WorkspaceError `not_found` */
  private requireOwnSlug(slug: string): void {
    const project = this.shared.projects.find(slug)
    if (project === null || project.slug === slug.normalize('NFC')) return
    throw new WorkspaceError('not_found', `There is no project ${JSON.stringify(slug)} here.`)
  }

  /** Whether somebody has put what is called as programs' files are among the files of everybody. */
  private isOnDisk({ project, path, zone, conflictingName }: Where): boolean {
    if ((zone !== 'documents' && zone !== 'files') || conflictingName !== null || !isSafeName(path))
      return false
    return this.shared.tree.statAnySize(pathInHome(project, path)).kind !== 'missing'
  }
}

/** macOS: the folder in which programs write what they are about to save. */
const safeSaveFolder = '.TemporaryItems'

/** Whether a file at a place is what a program leaves beside people's files. */
export const isScratch = (names: PathSegments): boolean =>
  isScratchName(names.at(-1) ?? '') || isScratchFolder(names)

/** The same of a folder: a person may call theirs whatever they like, but for the one of macOS. */
export const isScratchFolder = (names: PathSegments): boolean => names.includes(safeSaveFolder)

/** Whether no list of documents or of uploaded files shows what lies at a path, nor anything below it. */
export const isUnlisted = (path: string): boolean => path.split('/').some(isIgnoredName)

/**
 * What a document at a path would be; null: none can be there. What lost a conflict is none, nor what is called as
 * temporaries are: it is shown as it lies there.
 */
export const documentPathOf = (path: string): ReturnType<typeof parseDocumentPath> =>
  conflictOf(path.split('/').at(-1)!) === null && !isUnlisted(path) ? parseDocumentPath(path) : null

/** A place within the home. */
export const homePathAt = ({ project, path }: Pick<Where, 'project' | 'path'>): string =>
  path === '' ? `projects/${project.folder}` : pathInHome(project, path)

/** @throws WorkspaceError `conflict` where the disk would take the name for that of something else */
export function requireOwnName({ path, conflictingName }: Pick<Where, 'path' | 'conflictingName'>): void {
  if (conflictingName === null) return
  throw new WorkspaceError(
    'conflict',
    `${conflictingName} is there, and the disk that holds it cannot hold ${path} beside it. Choose another name.`,
  )
}

/** Why nothing can be put, made, moved or removed at a place, with what to do instead. @param where null: above the projects */
export function fixedFolderError(where: Where | null): WorkspaceError {
  if (where === null) {
    return new WorkspaceError('forbidden', 'Here are only the projects that you are in.', {
      next: { step: 'create a project' },
    })
  }
  const { project, path, zone } = where
  const message = `Nothing can be changed at ${JSON.stringify(path)} itself.`
  if (zone === 'attachments') {
    const next = { step: 'attach files', project: project.slug } as const
    return new WorkspaceError('forbidden', message, { next })
  }
  if (zone === 'skills') return new WorkspaceError('forbidden', message, { next: { step: 'publish skills' } })
  const remedy = {
    posts: 'Only markdown files (.md) lie there, in no folders. Put other files into files/.',
    drafts: 'Only your own drafts (.md) lie there, in the folder with your name.',
    board: 'Only cards (.md) lie there, in the four columns. Put other files into files/.',
    documents: 'Every project has this folder.',
    files: 'Every project has this folder.',
  } as const
  const other = `A project holds ${readmePath}, posts, drafts, documents, board and files.`
  return new WorkspaceError('forbidden', `${message} ${zone ? remedy[zone] : other}`)
}

function zoneOf(inner: readonly string[]): Zone | null {
  const name = inner[0]?.normalize('NFC')
  return zoneNames.find((zone) => zone === name) ?? null
}

/** How names are spelled on the disk, where a folder that every project has may be spelled in another case. */
function spellInProject(tree: Tree, project: Project, inner: readonly string[]): Spelling {
  const [first, ...rest] = inner
  const folder = homePathAt({ project, path: '' })
  if (first === undefined || zoneOf(inner) === null) return resolveSpelling(tree, folder, inner)
  const listed = tree.names(folder) ?? []
  const isListed = listed.includes(first)
  const top = isListed ? first : (listed.find((name) => nameKey(name) === first) ?? first)
  const { names, takenBy: conflictingName } = resolveSpelling(tree, `${folder}/${top}`, rest)
  return { names: [top, ...names], takenBy: conflictingName && `${top}/${conflictingName}` }
}
