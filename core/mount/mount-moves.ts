import type { Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import { immutablePostError } from '../documents/model/published.ts'
import type { PathWrites } from '../documents/writing/path-writes.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { preconditionError, type WriteCondition } from '../revisions/condition.ts'
import { bytesOfFile } from './bytes.ts'
import type { MountEntries, Target } from './entries.ts'
import { requireWholeFolder } from './folder-contents.ts'
import type { FolderMover } from './folder-mover.ts'
import { fixedFolderError, isScratchFolder, isUnlisted, requireOwnName } from './mount-paths.ts'
import type { MountWrites } from './mount-writes.ts'
import { requireNewNames } from './new-names.ts'
import type { PlainFiles } from './plain-files.ts'
import { isSamePath, withRequestedSpelling } from './respelling.ts'
import type { Failure, Mounted, MountedFile, Outcome, PathSegments } from './types.ts'

export interface Transfer {
  operation: 'move' | 'copy'
  from: PathSegments
  to: PathSegments
  overwrite: boolean
  isRecursive: boolean
}

const always: WriteCondition = () => true

/** Files of a copied or removed folder succeed or fail one by one. */
export class MountMoves {
  constructor(
    private readonly tree: Tree,
    private readonly deps: {
      byPath: PathResolver
      entries: MountEntries
      folders: FolderMover
      pathWrites: PathWrites
      plainFiles: PlainFiles
      writes: MountWrites
    },
  ) {}

  /** @throws WorkspaceError `not_found`, `forbidden`, `conflict`, `precondition_failed`, `unavailable` */
  async remove(caller: Caller, names: PathSegments, condition: WriteCondition): Promise<Failure[]> {
    const { entries, writes } = this.deps
    const existing = await entries.find(caller, names)
    if (!existing) throw notFoundError(names)
    if (existing.kind === 'file') {
      await writes.removeFile(caller, names, condition)
      return []
    }
    await this.requireRemovableFolder(caller, names)
    return this.removeTree(caller, names)
  }

  /** A moved document keeps its id. @throws WorkspaceError as `remove` and `MountWrites.put` */
  async transfer(caller: Caller, transfer: Transfer): Promise<Outcome> {
    const { entries } = this.deps
    const { operation, from, to, overwrite } = transfer
    const source = await entries.find(caller, from)
    if (!source) throw notFoundError(from)
    if (overlaps(from, to)) throw intoItselfError()
    await entries.requireParentFolder(caller, to)
    const isRespelled = operation === 'move' && this.isRespelled(caller, from, to)
    if (!isRespelled && overlaps(entries.resolveNames(caller, from), entries.resolveNames(caller, to)))
      throw intoItselfError()
    const target = isRespelled ? null : await entries.find(caller, to)
    if (target && !overwrite) throw preconditionError(true)
    if (source.kind === 'folder' && operation === 'move' && ![from, to].some(isScratchFolder)) {
      return this.moveFolder(caller, transfer, target)
    }
    if (target && (target.kind === 'folder' || source.kind === 'folder')) {
      // Before the target is removed: a refused move must not cost it.
      await this.requireTargetAllowed(caller, source, transfer)
      const failures = await this.remove(caller, to, always)
      if (failures.length > 0) return { created: false, failures }
    }
    if (source.kind === 'folder') {
      return { created: target === null, failures: await this.transferFolder(caller, transfer) }
    }
    await this.transferFile(caller, source, transfer)
    return { created: target === null, failures: [] }
  }

  private async moveFolder(caller: Caller, transfer: Transfer, target: Mounted | null): Promise<Outcome> {
    const { folders, writes } = this.deps
    if (target?.kind === 'file') {
      await folders.requireMovable(caller, transfer)
      await writes.removeFile(caller, transfer.to, (tag) => tag === target.tag)
    }
    const { created } = await folders.move(caller, transfer)
    return { created: created && target === null, failures: [] }
  }

  private async requireTargetAllowed(
    caller: Caller,
    { kind }: Mounted,
    { operation, from, to }: Transfer,
  ): Promise<void> {
    const { entries, writes } = this.deps
    const target = entries.requireTarget(caller, to)
    if (kind === 'folder') {
      writes.requireFolderAllowed(target)
      return
    }
    const { location, fileKind } = target
    if (fileKind === null) throw fixedFolderError(location)
    if (fileKind !== 'scratch') requireNewNames(location!, false)
    if (operation === 'move' && fileKind !== 'document') {
      await this.requireRemovableSource(caller, entries.requireTarget(caller, from), target)
    }
  }

  private async transferFolder(caller: Caller, transfer: Transfer): Promise<Failure[]> {
    const { entries, writes } = this.deps
    const { operation, from, to, isRecursive } = transfer
    const children = operation === 'move' || isRecursive ? await entries.list(caller, from) : []
    await writes.makeFolder(caller, to)
    const failures: Failure[] = []
    for (const name of isRecursive && operation === 'copy' ? entries.hidden(caller, from, children) : []) {
      failures.push({ names: [...from, name], error: notCopiedError(name) })
    }
    for (const child of children) {
      const childTransfer = { ...transfer, from: [...from, child.name], to: [...to, child.name] }
      await collectFailure(childTransfer.from, failures, async () => {
        if (child.kind === 'folder') failures.push(...(await this.transferFolder(caller, childTransfer)))
        else await this.transferFile(caller, child, childTransfer)
      })
    }
    if (operation === 'move' && failures.length === 0) {
      await collectFailure(from, failures, () => writes.removeEmptyFolder(caller, from))
    }
    return failures
  }

  private async transferFile(
    caller: Caller,
    file: MountedFile,
    { operation, from, to, overwrite }: Transfer,
  ): Promise<void> {
    const { entries, pathWrites, plainFiles, writes } = this.deps
    const condition: WriteCondition = (tag) => overwrite || tag === null
    if (operation === 'move') {
      const source = entries.requireTarget(caller, from)
      const target = withRequestedSpelling(entries.requireTarget(caller, to), source)
      const kinds = `${source.fileKind} ${target.fileKind}`
      if (kinds === 'document document' && (await this.isDocument(caller, source))) {
        await this.requireLegalNewName(caller, target, source)
        await pathWrites.move(caller, source.location!, target.location!, condition)
        return
      }
      if (kinds === 'file file') {
        await this.requireLegalNewName(caller, target, source)
        if (isTakenFromOthers(source, target)) writes.requireRemovable(caller, source)
        await plainFiles.move(source.location!, target.location!, condition)
        return
      }
      await this.requireRemovableSource(caller, source, target)
    }
    await writes.put(caller, to, (limitBytes) => bytesOfFile(file, limitBytes), condition)
    // What was written since then is in no copy, and stays.
    if (operation === 'move') await this.removeSource(caller, from, (tag) => tag === file.tag)
  }

  private isRespelled(caller: Caller, from: PathSegments, to: PathSegments): boolean {
    const [source, target] = [from, to].map((names) => this.deps.entries.requireTarget(caller, names))
    return isSamePath(source!, target!)
  }

  /** False for an empty file, with which a program begins a write. */
  private async isDocument(caller: Caller, { location, fileKind }: Target): Promise<boolean> {
    return fileKind === 'document' && (await this.deps.byPath.find(caller.member, location!)) !== null
  }

  private async requireLegalNewName(
    caller: Caller,
    { names, location }: Target,
    source: Target,
  ): Promise<void> {
    if (await this.deps.entries.find(caller, names)) return
    requireNewNames(location!, false)
    if (location!.conflictingName !== source.location!.path) requireOwnName(location!)
  }

  /** A file that becomes another kind is removed from its path, where its last state can be restored. */
  private async requireRemovableSource(caller: Caller, source: Target, target: Target): Promise<void> {
    const { byPath, pathWrites, writes } = this.deps
    if (source.fileKind === null) throw fixedFolderError(source.location)
    if (source.fileKind === 'file' && isTakenFromOthers(source, target))
      writes.requireRemovable(caller, source)
    const record = source.fileKind === 'document' ? await byPath.find(caller.member, source.location!) : null
    if (record?.kind === 'post') throw immutablePostError(caller.member, record)
    if (record) pathWrites.requireRemovable(caller.member, record)
  }

  private async removeSource(caller: Caller, names: PathSegments, condition: WriteCondition): Promise<void> {
    const { entries, plainFiles, writes } = this.deps
    const { location, fileKind } = entries.requireTarget(caller, names)
    if (fileKind === 'file') await plainFiles.drop(location!, condition)
    else await writes.removeFile(caller, names, condition)
  }

  private async removeTree(caller: Caller, folder: PathSegments): Promise<Failure[]> {
    const { entries, writes } = this.deps
    const failures: Failure[] = []
    for (const child of await entries.list(caller, folder)) {
      const names = [...folder, child.name]
      await collectFailure(names, failures, async () => {
        if (child.kind === 'folder') failures.push(...(await this.removeTree(caller, names)))
        else await writes.removeFile(caller, names, always)
      })
    }
    if (failures.length === 0) {
      await collectFailure(folder, failures, () => writes.removeEmptyFolder(caller, folder))
    }
    return failures
  }

  private async requireRemovableFolder(caller: Caller, names: PathSegments): Promise<void> {
    const { entries } = this.deps
    const { location, fileKind } = entries.requireTarget(caller, names)
    if (fileKind === 'scratch') return
    if (!location || !entries.folders.canContainFolders(location)) throw fixedFolderError(location)
    await requireWholeFolder(this.tree, location)
  }
}

const notFoundError = (names: PathSegments) =>
  new WorkspaceError('not_found', `There is nothing at ${JSON.stringify(names.join('/'))}.`)

const intoItselfError = () =>
  new WorkspaceError('forbidden', 'Nothing can be moved or copied to itself, or into itself.')

const notCopiedError = (name: string) =>
  new WorkspaceError(
    'conflict',
    `${JSON.stringify(name)} cannot be copied: it is a link, or its name is not valid here. The rest was copied.`,
  )

const overlaps = (one: PathSegments, other: PathSegments): boolean =>
  isWithin(one, other) || isWithin(other, one)

const isWithin = (names: PathSegments, folder: PathSegments): boolean =>
  folder.every((name, index) => name === names[index])

/** Whether other members lose sight of the file. */
const isTakenFromOthers = ({ location: one }: Target, { location: other, fileKind }: Target): boolean =>
  fileKind === 'scratch' ||
  one?.project.id !== other?.project.id ||
  other?.topLevelFolder === 'drafts' ||
  (isUnlisted(other!.path) && !isUnlisted(one!.path))

async function collectFailure(
  names: PathSegments,
  failures: Failure[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    failures.push({ names, error })
  }
}
