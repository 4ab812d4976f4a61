import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { MountFolders } from './folders.ts'
import {
  isScratch,
  type MountLocation,
  type Places,
  projectsFolder,
  type Slot,
  scopeFolderFor,
} from './mount-paths.ts'
import type { PlainFiles } from './plain-files.ts'
import type { ScratchFiles } from './scratch.ts'
import type { Mounted, PathSegments } from './types.ts'

export interface Target {
  names: PathSegments
  /** null above the projects. */
  where: MountLocation | null
  slot: Slot
}

export class MountEntries {
  readonly folders: MountFolders
  private readonly shared: SharedDeps
  private readonly places: Places
  private readonly scratch: ScratchFiles

  constructor(
    shared: SharedDeps,
    deps: {
      byPath: PathResolver
      disk: DiskSync
      places: Places
      plainFiles: PlainFiles
      scratch: ScratchFiles
    },
  ) {
    this.shared = shared
    this.places = deps.places
    this.scratch = deps.scratch
    this.folders = new MountFolders(shared, deps)
  }

  /** Null if the caller may see nothing. @throws WorkspaceError `forbidden`, `not_found`, `unavailable` */
  async find(caller: Caller, names: PathSegments): Promise<Mounted | null> {
    if (names.length === 0) return { kind: 'folder', name: '', changedMs: null }
    if (names[0] !== projectsFolder) return this.scratch.find(caller.member, names)
    if (names.length === 1) return { kind: 'folder', name: projectsFolder, changedMs: null }
    const isProject = names.length > 2 || this.shared.projects.find(names[1]!) !== null
    if (!isProject) return this.scratch.find(caller.member, names)
    const where = this.places.requireProjectPath(caller, names, 'read')
    return (await this.ownScratch(caller, where)) ?? this.scratch.find(caller.member, names)
  }

  /** The folder must exist. @throws WorkspaceError as `find` */
  async list(caller: Caller, names: PathSegments): Promise<Mounted[]> {
    const own = await this.listOwn(caller, names)
    const known = new Set(own.map(({ name }) => name))
    return [...own, ...this.scratch.list(caller.member, names).filter(({ name }) => !known.has(name))]
  }

  /** Entries on the disk that are not in `shown`, such as links. */
  hidden(caller: Caller, names: PathSegments, shown: readonly Mounted[]): string[] {
    if (names[0] !== projectsFolder || names.length < 3) return []
    const where = this.places.requireProjectPath(caller, names, 'read')
    return this.folders.hidden(where, new Set(shown.map(({ name }) => name)))
  }

  /** Spells names as on the disk, as far as they exist. @throws WorkspaceError as `find` */
  resolveNames(caller: Caller, names: PathSegments): PathSegments {
    const isInProject = names[0] === projectsFolder && names.length > 2
    if (!isInProject || this.shared.projects.find(names[1]!) === null) return names
    const where = this.places.requireProjectPath(caller, names, 'read')
    // Standard folders have the same names everywhere.
    const top = where.zone ?? where.names[0]!
    return [projectsFolder, where.project.slug, top, ...where.names.slice(1)]
  }

  /** @throws WorkspaceError as `find`; `conflict` if the project is archived */
  enterToWrite(caller: Caller, names: PathSegments): Target {
    if (names[0] !== projectsFolder || names.length < 3) {
      const slot = isScratch(names) ? 'scratch' : null
      requireScope(caller, slot ? 'documents:write' : 'projects:read')
      return { names, where: null, slot }
    }
    const where = this.places.requireProjectPath(caller, names, 'write')
    const slot = this.places.roleOf(caller, where)
    const isOpen = where.zone !== null && scopeFolderFor(where.zone) === null
    if (slot === 'scratch' && isOpen) requireScope(caller, 'documents:write')
    return { names, where, slot }
  }

  /** @throws WorkspaceError `conflict` if the folder of a new entry does not exist */
  async requireParentFolder(caller: Caller, names: PathSegments): Promise<void> {
    const above = names.slice(0, -1)
    const folder = await this.find(caller, above)
    if (folder?.kind === 'folder') return
    throw new WorkspaceError(
      'conflict',
      `There is no folder ${JSON.stringify(above.join('/'))}. Create it first.`,
    )
  }

  private async ownScratch(caller: Caller, where: MountLocation): Promise<Mounted | null> {
    if (where.conflictingName !== null || this.places.roleOf(caller, where) === 'scratch') return null
    return (await this.folders.file(caller, where)) ?? this.folders.find(caller, where)
  }

  private async listOwn(caller: Caller, names: PathSegments): Promise<Mounted[]> {
    if (names.length === 0) return [{ kind: 'folder', name: projectsFolder, changedMs: null }]
    if (names[0] !== projectsFolder) return []
    if (names.length > 1) {
      if (this.shared.projects.find(names[1]!) === null) return []
      const where = this.places.requireProjectPath(caller, names, 'read')
      return this.places.roleOf(caller, where) === 'scratch' ? [] : this.folders.list(caller, where)
    }
    requireScope(caller, 'projects:read')
    return this.shared.projects
      .readableBy(caller.member)
      .map(({ slug }): Mounted => ({ kind: 'folder', name: slug, changedMs: null }))
  }
}
