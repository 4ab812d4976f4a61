import type { Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { requireFileDeletion } from '../access/permissions.ts'
import type { Config } from '../config.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'
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
  private readonly tree: Tree
  private readonly projects: ProjectStore
  private readonly deps: WritingDeps

  constructor({ tree, projects }: Pick<SharedDeps, 'tree' | 'projects'>, deps: WritingDeps) {
    this.tree = tree
    this.projects = projects
    this.deps = deps
  }

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
    const { where, slot } = entries.enterToWrite(caller, names)
    const there = await entries.find(caller, names)
    if (there?.kind === 'folder') throw new WorkspaceError('conflict', 'A folder has this name.')
    if (!condition(there?.tag ?? null)) throw preconditionError(there !== null)
    if (there === null) await entries.requireParentFolder(caller, names)
    if (slot === 'scratch') {
      requireScratchName(names)
      return scratch.put(caller.member, names, begin(limits.uploadBytes), condition)
    }
    if (where && there === null) {
      requireNewNames(where, false)
      requireOwnName(where)
    }
    if (!where || !slot) throw fixedFolderError(where)
    // The permission may end during a long upload.
    const stillMay = () => {
      const now = entries.enterToWrite(caller, names).where
      if (now) requireOwnName(now)
    }
    if (slot === 'file') return plainFiles.put(where, begin(limits.uploadBytes), condition, stillMay)
    const bytes = await readAll(begin(limits.markdownBytes))
    stillMay()
    return this.putDocument(caller, names, where, bytes, condition)
  }

  /** @throws WorkspaceError `method_not_allowed` if something is there; as `put` */
  async makeFolder(caller: Caller, names: PathSegments): Promise<void> {
    const { entries, scratch } = this.deps
    const target = entries.enterToWrite(caller, names)
    if (await entries.find(caller, names)) {
      throw new WorkspaceError('method_not_allowed', 'Something with this name already exists.')
    }
    await entries.requireParentFolder(caller, names)
    this.requireFolderPlace(target)
    if (isScratchTarget(target)) {
      requireScratchName(names)
      await scratch.makeFolder(caller.member, names)
      return
    }
    requireOwnName(target.where!)
    await this.diskCall(target.where!, (path) => this.tree.makeFolder(path))
  }

  requireFolderPlace(target: Target): void {
    const { where } = target
    if (isScratchTarget(target)) return
    if (!where || !this.deps.entries.folders.canContainFolders(where)) throw fixedFolderError(where)
    requireNewNames(where, true)
  }

  /** @throws WorkspaceError `not_found`, `forbidden`, `precondition_failed` */
  async removeFile(caller: Caller, names: PathSegments, condition: WriteCondition): Promise<void> {
    const { entries, byPath, pathWrites, plainFiles, scratch } = this.deps
    const target = entries.enterToWrite(caller, names)
    const { where, slot } = target
    const isDocument = slot === 'document' && (await byPath.find(caller.member, where!)) !== null
    if (isDocument) return pathWrites.remove(caller, where!, condition)
    if (slot === 'scratch' || slot === 'document') {
      const temporary = scratch.find(caller.member, names)
      const tag = temporary?.kind === 'file' ? temporary.tag : null
      if (!condition(tag)) throw preconditionError(temporary !== null)
      await scratch.remove(caller.member, names)
      return
    }
    this.requireRemovable(caller, target)
    await plainFiles.remove(caller.member, where!, condition)
  }

  /** @throws WorkspaceError `conflict` if it is not empty */
  async removeEmptyFolder(caller: Caller, names: PathSegments): Promise<void> {
    const { entries, scratch } = this.deps
    const { where, slot } = entries.enterToWrite(caller, names)
    if (slot === 'scratch') {
      await scratch.remove(caller.member, names)
      return
    }
    if (!where || !entries.folders.canContainFolders(where)) throw fixedFolderError(where)
    await this.diskCall(where, (path) => {
      this.tree.removeEmptyFolder(path)
      if (this.tree.folderStamp(path) === null) return
      throw new WorkspaceError(
        'conflict',
        `The folder ${where.path} is not empty: something was added to it.`,
      )
    })
    await scratch.removeWithin(names)
  }

  /** Any writer may remove ignored names: programs remove their own. @throws WorkspaceError `forbidden` */
  requireRemovable({ member }: Caller, { where, slot }: Target): void {
    if (slot !== 'file') throw fixedFolderError(where)
    if (isUnlisted(where!.path)) return
    requireFileDeletion(member, this.projects.roleOf(where!.project, member))
  }

  private async putDocument(
    caller: Caller,
    names: PathSegments,
    where: MountLocation,
    bytes: Buffer,
    condition: WriteCondition,
  ): Promise<PutResult> {
    const { byPath, pathWrites, scratch } = this.deps
    const isThere = (await byPath.find(caller.member, where)) !== null
    // Some programs begin with an empty file, but a post is published once, and not empty.
    if (where.zone === 'posts' && bytes.length === 0 && !isThere) {
      return scratch.put(caller.member, names, emptyBody(), condition)
    }
    requireText(bytes)
    const begun = scratch.find(caller.member, names)
    const placed = await pathWrites.put(caller, where, bytes, begun && !isThere ? () => true : condition)
    if (begun) await scratch.remove(caller.member, names)
    return { created: placed.created && !begun, tag: placed.record.revision, isTagWeak: false }
  }

  private async diskCall(where: MountLocation, work: (path: string) => void): Promise<void> {
    const path = homePathAt(where)
    try {
      work(path)
      await this.tree.flush(path)
    } catch (error) {
      throw writeUnavailableError(error)
    }
  }
}

const isScratchTarget = ({ names, slot }: Target): boolean => slot === 'scratch' && isScratchFolder(names)
