import type { Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import type { PathResolver } from '../documents/addressing/path-resolver.ts'
import { immutablePostError } from '../documents/model/published.ts'
import type { PathWrites } from '../documents/writing/path-writes.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { preconditionError, type WriteCondition } from '../revisions/condition.ts'
import { bytesOfFile } from './bytes.ts'
import type { MountEntries, Target } from './entries.ts'
import type { FolderMover } from './folder-mover.ts'
import { fixedFolderError, isScratchFolder, isUnlisted, requireOwnName } from './mount-paths.ts'
import type { MountWrites } from './mount-writes.ts'
import { requireNewNames } from './new-names.ts'
import type { PlainFiles } from './plain-files.ts'
import { requireWholeFolder } from './require-whole-folder.ts'
import { isSamePath, withSentSpelling } from './respelling.ts'
import type { Failure, Mounted, MountedFile, Outcome, PathSegments } from './types.ts'

export interface Transfer {
  deed: 'move' | 'copy'
  from: PathSegments
  to: PathSegments
  overwrite: boolean
  isDeep: boolean
}

const always: WriteCondition = () => true

/** Files of a copied or removed folder succeed or fail one by one. */
export class MountMoves {
  private readonly tree: Tree
  private readonly deps: {
    byPath: PathResolver
    entries: MountEntries
    folders: FolderMover
    pathWrites: PathWrites
    plainFiles: PlainFiles
    writing: MountWrites
  }

  constructor(tree: Tree, deps: MountMoves['deps']) {
    this.tree = tree
    this.deps = deps
  }

  /** @throws WorkspaceError `not_found`, `forbidden`, `conflict`, `precondition_failed`, `unavailable` */
  async remove(caller: Caller, names: PathSegments, condition: WriteCondition): Promise<Failure[]> {
    const { entries, writing } = this.deps
    const there = await entries.find(caller, names)
    if (!there) throw nothingThereError(names)
    if (there.kind === 'file') {
      await writing.removeFile(caller, names, condition)
      return []
    }
    await this.requireRemovableFolder(caller, names)
    return this.removeTree(caller, names)
  }

  /** A moved document keeps its id. @throws WorkspaceError as `remove` and `MountWrites.put` */
  async transfer(caller: Caller, transfer: Transfer): Promise<Outcome> {
    const { entries } = this.deps
    const { deed, from, to, overwrite } = transfer
    const source = await entries.find(caller, from)
    if (!source) throw nothingThereError(from)
    if (overlaps(from, to)) throw intoItselfError()
    await entries.requireParentFolder(caller, to)
    const isRespelled = deed === 'move' && this.isRespelled(caller, from, to)
    if (!isRespelled && overlaps(entries.resolveNames(caller, from), entries.resolveNames(caller, to)))
      throw intoItselfError()
    const target = isRespelled ? null : await entries.find(caller, to)
    if (target && !overwrite) throw preconditionError(true)
    if (source.kind === 'folder' && deed === 'move' && ![from, to].some(isScratchFolder)) {
      return this.moveFolder(caller, transfer, target)
    }
    if (target && (target.kind === 'folder' || source.kind === 'folder')) {
      // Before the target is removed: a refused move must not cost it.
      await this.requirePlace(caller, source, transfer)
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
    const { folders, writing } = this.deps
    if (target?.kind === 'file') {
      await folders.requireMovable(caller, transfer)
      await writing.removeFile(caller, transfer.to, (tag) => tag === target.tag)
    }
    const { created } = await folders.move(caller, transfer)
    return { created: created && target === null, failures: [] }
  }

  private async requirePlace(caller: Caller, { kind }: Mounted, { deed, from, to }: Transfer): Promise<void> {
    const { entries, writing } = this.deps
    const target = entries.enterToWrite(caller, to)
    if (kind === 'folder') {
      writing.requireFolderPlace(target)
      return
    }
    const { where, slot } = target
    if (slot === null) throw fixedFolderError(where)
    if (slot !== 'scratch') requireNewNames(where!, false)
    if (deed === 'move' && slot !== 'document') {
      await this.requireRemovableSource(caller, entries.enterToWrite(caller, from), target)
    }
  }

  private async transferFolder(caller: Caller, transfer: Transfer): Promise<Failure[]> {
    const { entries, writing } = this.deps
    const { deed, from, to, isDeep } = transfer
    const children = deed === 'move' || isDeep ? await entries.list(caller, from) : []
    await writing.makeFolder(caller, to)
    const failures: Failure[] = []
    for (const name of isDeep && deed === 'copy' ? entries.hidden(caller, from, children) : []) {
      failures.push({ names: [...from, name], error: notCopied(name) })
    }
    for (const child of children) {
      const one = { ...transfer, from: [...from, child.name], to: [...to, child.name] }
      await collectFailure(one.from, failures, async () => {
        if (child.kind === 'folder') failures.push(...(await this.transferFolder(caller, one)))
        else await this.transferFile(caller, child, one)
      })
    }
    if (deed === 'move' && failures.length === 0) {
      await collectFailure(from, failures, () => writing.removeEmptyFolder(caller, from))
    }
    return failures
  }

  private async transferFile(
    caller: Caller,
    file: MountedFile,
    { deed, from, to, overwrite }: Transfer,
  ): Promise<void> {
    const { entries, pathWrites, plainFiles, writing } = this.deps
    const condition: WriteCondition = (tag) => overwrite || tag === null
    if (deed === 'move') {
      const source = entries.enterToWrite(caller, from)
      const target = withSentSpelling(entries.enterToWrite(caller, to), source)
      const kinds = `${source.slot} ${target.slot}`
      if (kinds === 'document document' && (await this.isDocument(caller, source))) {
        await this.requireFileRole(caller, target, source)
        await pathWrites.move(caller, source.where!, target.where!, condition)
        return
      }
      if (kinds === 'file file') {
        await this.requireFileRole(caller, target, source)
        if (isTakenAway(source, target)) writing.requireRemovable(caller, source)
        await plainFiles.move(source.where!, target.where!, condition)
        return
      }
      await this.requireRemovableSource(caller, source, target)
    }
    await writing.put(caller, to, (limitBytes) => bytesOfFile(file, limitBytes), condition)
    // What was written since then is in no copy, and stays.
    if (deed === 'move') await this.removeReplaced(caller, from, (tag) => tag === file.tag)
  }

  private isRespelled(caller: Caller, from: PathSegments, to: PathSegments): boolean {
    const [source, target] = [from, to].map((names) => this.deps.entries.enterToWrite(caller, names))
    return isSamePath(source!, target!)
  }

  /** False for an empty file, with which a program begins a write. */
  private async isDocument(caller: Caller, { where, slot }: Target): Promise<boolean> {
    return slot === 'document' && (await this.deps.byPath.find(caller.member, where!)) !== null
  }

  private async requireFileRole(caller: Caller, { names, where }: Target, source: Target): Promise<void> {
    if (await this.deps.entries.find(caller, names)) return
    requireNewNames(where!, false)
    if (where!.conflictingName !== source.where!.path) requireOwnName(where!)
  }

  /** A file that becomes another kind is removed from its path, where its last state can be restored. */
  private async requireRemovableSource(caller: Caller, source: Target, target: Target): Promise<void> {
    const { byPath, pathWrites, writing } = this.deps
    if (source.slot === null) throw fixedFolderError(source.where)
    if (source.slot === 'file' && isTakenAway(source, target)) writing.requireRemovable(caller, source)
    const record = source.slot === 'document' ? await byPath.find(caller.member, source.where!) : null
    if (record?.kind === 'post') throw immutablePostError(caller.member, record)
    if (record) pathWrites.requireRemovable(caller.member, record)
  }

  private async removeReplaced(
    caller: Caller,
    names: PathSegments,
    condition: WriteCondition,
  ): Promise<void> {
    const { entries, plainFiles, writing } = this.deps
    const { where, slot } = entries.enterToWrite(caller, names)
    if (slot === 'file') await plainFiles.drop(where!, condition)
    else await writing.removeFile(caller, names, condition)
  }

  private async removeTree(caller: Caller, folder: PathSegments): Promise<Failure[]> {
    const { entries, writing } = this.deps
    const failures: Failure[] = []
    for (const child of await entries.list(caller, folder)) {
      const names = [...folder, child.name]
      await collectFailure(names, failures, async () => {
        if (child.kind === 'folder') failures.push(...(await this.removeTree(caller, names)))
        else await writing.removeFile(caller, names, always)
      })
    }
    if (failures.length === 0) {
      await collectFailure(folder, failures, () => writing.removeEmptyFolder(caller, folder))
    }
    return failures
  }

  private async requireRemovableFolder(caller: Caller, names: PathSegments): Promise<void> {
    const { entries } = this.deps
    const { where, slot } = entries.enterToWrite(caller, names)
    if (slot === 'scratch') return
    if (!where || !entries.folders.canContainFolders(where)) throw fixedFolderError(where)
    await requireWholeFolder(this.tree, where)
  }
}

const nothingThereError = (names: PathSegments) =>
  new WorkspaceError('not_found', `There is nothing at ${JSON.stringify(names.join('/'))}.`)

const intoItselfError = () =>
  new WorkspaceError('forbidden', 'Nothing can be moved or copied to itself, or into itself.')

const notCopied = (name: string) =>
  new WorkspaceError(
    'conflict',
    `${JSON.stringify(name)} cannot be copied: it is a link, or its name is not valid here. The rest was copied.`,
  )

const overlaps = (one: PathSegments, other: PathSegments): boolean =>
  isWithin(one, other) || isWithin(other, one)

const isWithin = (names: PathSegments, folder: PathSegments): boolean =>
  folder.every((name, index) => name === names[index])

const isTakenAway = ({ where: one }: Target, { where: other, slot }: Target): boolean =>
  slot === 'scratch' ||
  one?.project.id !== other?.project.id ||
  other?.zone === 'drafts' ||
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
