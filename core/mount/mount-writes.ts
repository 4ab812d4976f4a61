import type { Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { requireFileDeletion } from '../access/permissions.ts'
import type { Config } from '../config.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { PathWrites } from '../documents/writing/path-writes.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { preconditionError, type WriteCondition } from '../revisions/condition.ts'
import { emptyBody, readAll, requireText } from './bytes.ts'
import type { MountEntries, Target } from './entries.ts'
import {
  fixedFolderError,
  homePathAt,
  isScratchFolder,
  isUnlisted,
  type MountLocation,
  requireOwnName,
} from './mount-paths.ts'
import { requireNewNames, requireScratchName } from './new-names.ts'
import type { PlainFiles } from './plain-files.ts'
import type { ScratchFiles } from './scratch.ts'
import type { BeginBytes, PathSegments, PutResult } from './types.ts'

interface WritingDeps {
  byPath: PathResolver
  entries: MountEntries
  limits: Pick<Config['limits'], 'markdownBytes' | 'uploadBytes'>
  pathWrites: PathWrites
  plainFiles: PlainFiles
  scratch: ScratchFiles
}

export class MountWrites {
  constructor(
    private readonly tree: Tree,
    private readonly projects: ProjectStore,
    private readonly deps: WritingDeps,
  ) {}

  /**
   * @throws WorkspaceError `forbidden`, `precondition_failed`, `invalid`, `too_large`, `unavailable`,
   * `conflict` (no parent folder, a folder or post of this name, a name that the disk takes for another)
   */
  async put(
    caller: Caller,
    names: PathSegments,
    begin: BeginBytes,
    condition: WriteCondition,
  ): Promise<PutResult> {
    const { entries, limits, plainFiles, scratch } = this.deps
    const { location, fileKind } = entries.requireTarget(caller, names)
    const existing = await entries.find(caller, names)
    if (existing?.kind === 'folder') throw new WorkspaceError('conflict', 'A folder has this name.')
    if (!condition(existing?.tag ?? null)) throw preconditionError(existing !== null)
    if (existing === null) await entries.requireParentFolder(caller, names)
    if (fileKind === 'scratch') {
      requireScratchName(names)
      return scratch.put(caller.member, names, begin(limits.uploadBytes), condition)
    }
    if (location && existing === null) {
      requireNewNames(location, false)
      requireOwnName(location)
    }
    if (!location || !fileKind) throw fixedFolderError(location)
    // The permission may end during a long upload.
    const recheckPermission = () => {
      const current = entries.requireTarget(caller, names).location
      if (current) requireOwnName(current)
    }
    if (fileKind === 'file')
      return plainFiles.put(location, begin(limits.uploadBytes), condition, recheckPermission)
    const bytes = await readAll(begin(limits.markdownBytes))
    recheckPermission()
    return this.putDocument(caller, names, location, bytes, condition)
  }

  /** @throws WorkspaceError `method_not_allowed` if something is there; as `put` */
  async makeFolder(caller: Caller, names: PathSegments): Promise<void> {
    const { entries, scratch } = this.deps
    const target = entries.requireTarget(caller, names)
    if (await entries.find(caller, names)) {
      throw new WorkspaceError('method_not_allowed', 'Something with this name already exists.')
    }
    await entries.requireParentFolder(caller, names)
    this.requireFolderAllowed(target)
    if (isScratchTarget(target)) {
      requireScratchName(names)
      await scratch.makeFolder(caller.member, names)
      return
    }
    requireOwnName(target.location!)
    await this.changeDisk(target.location!, (path) => this.tree.makeFolder(path))
  }

  requireFolderAllowed(target: Target): void {
    const { location } = target
    if (isScratchTarget(target)) return
    if (!location || !this.deps.entries.folders.canContainFolders(location)) throw fixedFolderError(location)
    requireNewNames(location, true)
  }

  /** @throws WorkspaceError `not_found`, `forbidden`, `precondition_failed` */
  async removeFile(caller: Caller, names: PathSegments, condition: WriteCondition): Promise<void> {
    const { entries, byPath, pathWrites, plainFiles, scratch } = this.deps
    const target = entries.requireTarget(caller, names)
    const { location, fileKind } = target
    const isDocument = fileKind === 'document' && (await byPath.find(caller.member, location!)) !== null
    if (isDocument) return pathWrites.remove(caller, location!, condition)
    if (fileKind === 'scratch' || fileKind === 'document') {
      const temporary = scratch.find(caller.member, names)
      const tag = temporary?.kind === 'file' ? temporary.tag : null
      if (!condition(tag)) throw preconditionError(temporary !== null)
      await scratch.remove(caller.member, names)
      return
    }
    this.requireRemovable(caller, target)
    await plainFiles.remove(caller.member, location!, condition)
  }

  /** @throws WorkspaceError `conflict` if it is not empty */
  async removeEmptyFolder(caller: Caller, names: PathSegments): Promise<void> {
    const { entries, scratch } = this.deps
    const { location, fileKind } = entries.requireTarget(caller, names)
    if (fileKind === 'scratch') {
      await scratch.remove(caller.member, names)
      return
    }
    if (!location || !entries.folders.canContainFolders(location)) throw fixedFolderError(location)
    await this.changeDisk(location, (path) => {
      this.tree.removeEmptyFolder(path)
      if (this.tree.folderStamp(path) === null) return
      throw new WorkspaceError(
        'conflict',
        `The folder ${location.path} is not empty: something was added to it.`,
      )
    })
    await scratch.removeWithin(names)
  }

  /** Any writer may remove ignored names: programs remove their own. @throws WorkspaceError `forbidden` */
  requireRemovable({ member }: Caller, { location, fileKind }: Target): void {
    if (fileKind !== 'file') throw fixedFolderError(location)
    if (isUnlisted(location!.path)) return
    requireFileDeletion(member, this.projects.roleOf(location!.project, member))
  }

  private async putDocument(
    caller: Caller,
    names: PathSegments,
    location: MountLocation,
    bytes: Buffer,
    condition: WriteCondition,
  ): Promise<PutResult> {
    const { byPath, pathWrites, scratch } = this.deps
    const exists = (await byPath.find(caller.member, location)) !== null
    // Some programs begin with an empty file, but a post is published once, and not empty.
    if (location.topLevelFolder === 'posts' && bytes.length === 0 && !exists) {
      return scratch.put(caller.member, names, emptyBody(), condition)
    }
    requireText(bytes)
    const scratchFile = scratch.find(caller.member, names)
    const result = await pathWrites.put(
      caller,
      location,
      bytes,
      scratchFile && !exists ? () => true : condition,
    )
    if (scratchFile) await scratch.remove(caller.member, names)
    return { created: result.created && !scratchFile, tag: result.record.revision, isTagWeak: false }
  }

  private async changeDisk(location: MountLocation, work: (path: string) => void): Promise<void> {
    const path = homePathAt(location)
    try {
      work(path)
      await this.tree.flush(path)
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }
}

const isScratchTarget = ({ names, fileKind }: Target): boolean =>
  fileKind === 'scratch' && isScratchFolder(names)
