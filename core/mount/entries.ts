import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
import type { DiskSync } from '../documents/disk/disk-sync.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { MountFolders } from './folders.ts'
import {
  type FileKind,
  isScratch,
  type MountLocation,
  type MountPaths,
  projectsFolder,
  scopeFolderFor,
} from './mount-paths.ts'
import type { PlainFiles } from './plain-files.ts'
import type { ScratchFiles } from './scratch.ts'
import type { Mounted, PathSegments } from './types.ts'

export interface Target {
  names: PathSegments
  /** null above the projects. */
  location: MountLocation | null
  fileKind: FileKind
}

export class MountEntries {
  readonly folders: MountFolders
  private readonly shared: SharedDeps
  private readonly mountPaths: MountPaths
  private readonly scratch: ScratchFiles

  constructor(
    shared: SharedDeps,
    deps: {
      byPath: PathResolver
      disk: DiskSync
      mountPaths: MountPaths
      plainFiles: PlainFiles
      scratch: ScratchFiles
    },
  ) {
    this.shared = shared
    this.mountPaths = deps.mountPaths
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
    const location = this.mountPaths.requireProjectPath(caller, names, 'read')
    return (await this.findOnDisk(caller, location)) ?? this.scratch.find(caller.member, names)
  }

  /** The folder must exist. @throws WorkspaceError as `find` */
  async list(caller: Caller, names: PathSegments): Promise<Mounted[]> {
    const onDisk = await this.listOnDisk(caller, names)
    const onDiskNames = new Set(onDisk.map(({ name }) => name))
    return [
      ...onDisk,
      ...this.scratch.list(caller.member, names).filter(({ name }) => !onDiskNames.has(name)),
    ]
  }

  /** Entries on the disk that are not in `listed`, such as links. */
  hidden(caller: Caller, names: PathSegments, listed: readonly Mounted[]): string[] {
    if (names[0] !== projectsFolder || names.length < 3) return []
    const location = this.mountPaths.requireProjectPath(caller, names, 'read')
    return this.folders.hidden(location, new Set(listed.map(({ name }) => name)))
  }

  /** Spells names as on the disk, as far as they exist. @throws WorkspaceError as `find` */
  resolveNames(caller: Caller, names: PathSegments): PathSegments {
    const isInProject = names[0] === projectsFolder && names.length > 2
    if (!isInProject || this.shared.projects.find(names[1]!) === null) return names
    const location = this.mountPaths.requireProjectPath(caller, names, 'read')
    // Standard folders have the same names everywhere.
    const top = location.topLevelFolder ?? location.names[0]!
    return [projectsFolder, location.project.slug, top, ...location.names.slice(1)]
  }

  /** @throws WorkspaceError as `find`; `conflict` if the project is archived */
  requireTarget(caller: Caller, names: PathSegments): Target {
    if (names[0] !== projectsFolder || names.length < 3) {
      const fileKind = isScratch(names) ? 'scratch' : null
      requireScope(caller, fileKind ? 'documents:write' : 'projects:read')
      return { names, location: null, fileKind }
    }
    const location = this.mountPaths.requireProjectPath(caller, names, 'write')
    const fileKind = this.mountPaths.fileKindOf(caller, location)
    const isOpen = location.topLevelFolder !== null && scopeFolderFor(location.topLevelFolder) === null
    if (fileKind === 'scratch' && isOpen) requireScope(caller, 'documents:write')
    return { names, location, fileKind }
  }

  /** @throws WorkspaceError `conflict` if the folder of a new entry does not exist */
  async requireParentFolder(caller: Caller, names: PathSegments): Promise<void> {
    const parent = names.slice(0, -1)
    const folder = await this.find(caller, parent)
    if (folder?.kind === 'folder') return
    throw new WorkspaceError(
      'conflict',
      `There is no folder ${JSON.stringify(parent.join('/'))}. Create it first.`,
    )
  }

  private async findOnDisk(caller: Caller, location: MountLocation): Promise<Mounted | null> {
    if (location.conflictingName !== null || this.mountPaths.fileKindOf(caller, location) === 'scratch')
      return null
    return (await this.folders.file(caller, location)) ?? this.folders.find(caller, location)
  }

  private async listOnDisk(caller: Caller, names: PathSegments): Promise<Mounted[]> {
    if (names.length === 0) return [{ kind: 'folder', name: projectsFolder, changedMs: null }]
    if (names[0] !== projectsFolder) return []
    if (names.length > 1) {
      if (this.shared.projects.find(names[1]!) === null) return []
      const location = this.mountPaths.requireProjectPath(caller, names, 'read')
      return this.mountPaths.fileKindOf(caller, location) === 'scratch'
        ? []
        : this.folders.list(caller, location)
    }
    requireScope(caller, 'projects:read')
    return this.shared.projects
      .readableBy(caller.member)
      .map(({ slug }): Mounted => ({ kind: 'folder', name: slug, changedMs: null }))
  }
}
