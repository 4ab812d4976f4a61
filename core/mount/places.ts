import { conflictOf, isJoinable, isLitter, nameKey, type Tree } from '../../data/tree/index.ts'
import { requireScope } from '../access.ts'
import type { Addressing } from '../documents/addressing.ts'
import { draftFolderOf } from '../documents/destinations.ts'
import type { Disk } from '../documents/disk/disk.ts'
import type { Parts } from '../documents/parts.ts'
import { homePath, homePathOf, placeOf } from '../documents/places.ts'
import type { Folder } from '../documents/types.ts'
import { WorkspaceError } from '../errors.ts'
import type { Caller, Member } from '../members/types.ts'
import { requireWritable } from '../projects/archiving.ts'
import type { Project } from '../projects/types.ts'
import type { Names } from './types.ts'

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
export const scopeFolderOf = (zone: Zone): Folder | null => zones[zone]

/** A place in a project. */
export interface Where {
  project: Project
  /** Within the project, as they are spelled on the disk as far as they are there; none for its own folder. */
  names: string[]
  /** The same in one. */
  path: string
  /** null: the project's folder itself, its home page, or a place where nothing is kept. */
  zone: Zone | null
}

/**
 * What a file may be at its place: a document; a file without a document, as uploaded ones are; a temporary of a program,
 * which is kept for that program alone; null: nothing is kept there.
 */
export type Slot = 'document' | 'file' | 'scratch' | null

/** Tells what names mean, and lets callers in. */
export class Places {
  private readonly parts: Parts
  private readonly addressing: Addressing
  private readonly disk: Disk

  constructor(parts: Parts, near: { addressing: Addressing; disk: Disk }) {
    this.parts = parts
    this.addressing = near.addressing
    this.disk = near.disk
  }

  /**
   * A place in a project, where the caller has the right to it.
   * @throws WorkspaceError `not_found` (no such project), `forbidden`, `unavailable`; `conflict` for a write where the
   *   project is archived
   */
  enter(caller: Caller, names: Names, intent: 'read' | 'write'): Where {
    requireScope(caller, 'projects:read')
    const [, slug = '', ...inner] = names
    const zone = zoneOf(inner)
    const folder = zone ? zones[zone] : inner.length > 0 ? 'documents' : null
    const project = folder
      ? this.addressing.enter(caller, slug, folder, intent)
      : this.parts.projects.require(caller.member, slug)
    if (intent === 'write') requireWritable(project)
    this.disk.requireUsable(project, intent)
    const spelled = spell(this.parts.tree, project, inner)
    return { project, names: spelled, path: spelled.join('/'), zone }
  }

  slotOf({ member }: Caller, { project, names, path, zone }: Where): Slot {
    if (isTemporary(names)) return 'scratch'
    if (!isJoinable(path)) return null
    if (zone === 'files') return names.length > 1 ? 'file' : null
    const place = documentPlaceOf(path)
    const isAnothers = place?.kind === 'draft' && !this.draftFolders(member, project).has(place.authorFolder!)
    if (place && !isAnothers) return 'document'
    return zone === 'documents' && names.length > 1 ? 'file' : null
  }

  /** The names of the folders in which a member's drafts lie: those that hold some, and the one that is theirs by name. */
  draftFolders(member: Member, project: Project): Set<string> {
    const own = this.parts.catalogue.ofKind(project.id, 'draft', member.id)
    const folders = own.map(({ path }) => placeOf(path)!.authorFolder!)
    return new Set([draftFolderOf(this.parts, project, member.id), ...folders])
  }
}

/** Whether what is called so is a temporary of a program: it, or a folder above it, has a name that no file of ours has. */
export const isTemporary = (names: readonly string[]): boolean => names.some(isLitter)

/** What a document at a path would be; null: none can be there. What lost a conflict is none, and shown as it lies there. */
export const documentPlaceOf = (path: string): ReturnType<typeof placeOf> =>
  conflictOf(path.split('/').at(-1)!) === null ? placeOf(path) : null

/** A place within the home. */
export const homePathAt = ({ project, path }: Pick<Where, 'project' | 'path'>): string =>
  path === '' ? `projects/${project.folder}` : homePathOf(project, path)

/** Why nothing can be put, made, moved or removed at a place, with what to do instead. @param where null: above the projects */
export function closedRefusal(where: Where | null): WorkspaceError {
  if (where === null) {
    return new WorkspaceError(
      'forbidden',
      'Here are only the projects that you are in. A project is made with POST /v1/fs/projects, and filled in its folders.',
    )
  }
  const { project, path, zone } = where
  const remedy = {
    attachments: `Attach files with POST /v1/fs/projects/${project.slug}/posts/<file>/attachments.`,
    skills: 'Publish skills with POST /v1/skills/publish.',
    posts: 'Only markdown files (.md) lie there, in no folders. Put other files into files/.',
    drafts: 'Only your own drafts (.md) lie there, in the folder with your name.',
    board: 'Only cards (.md) lie there, in the four columns. Put other files into files/.',
    documents: 'Every project has this folder.',
    files: 'Every project has this folder.',
  } as const
  const other = `A project holds ${homePath}, posts, drafts, documents, board and files.`
  return new WorkspaceError(
    'forbidden',
    `Nothing can be changed at ${JSON.stringify(path)} itself. ${zone ? remedy[zone] : other}`,
  )
}

function zoneOf(inner: readonly string[]): Zone | null {
  const key = nameKey(inner[0] ?? '')
  return zoneNames.find((zone) => zone === key) ?? null
}

/** The names as they are spelled on the disk; those that are not there in NFC. */
function spell(tree: Tree, project: Project, inner: readonly string[]): string[] {
  const spelled: string[] = []
  let isThere = true
  for (const name of inner) {
    const folder = homePathAt({ project, path: spelled.join('/') })
    const found: string | null = isThere ? spellingOf(tree, folder, name) : null
    isThere = found !== null
    spelled.push(found ?? name.normalize('NFC'))
  }
  // The two names that a project's folder begins with are known, whether they are there or not.
  const [first, ...rest] = spelled
  if (first === undefined || isThere) return spelled
  const known = [homePath, ...zoneNames].find((name) => nameKey(name) === nameKey(first))
  return [known ?? first, ...rest]
}

function spellingOf(tree: Tree, folder: string, name: string): string | null {
  if (!isJoinable(name)) return null
  if (tree.lookAtAnySize(`${folder}/${name}`).kind !== 'missing') return name
  const key = nameKey(name)
  return tree.names(folder)?.find((other) => nameKey(other) === key && isJoinable(other)) ?? null
}
