import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Tree } from '../../data/tree/index.ts'
import type { Caller } from '../access/member.ts'
import { requireDeletion } from '../access/permissions.ts'
import type { FolderMoves } from '../documents/writing/folder-moves.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { FileTrash } from '../files/file-trash.ts'
import type { MountEntries } from './entries.ts'
import { type ContainedFile, type FolderContents, listContents } from './folder-contents.ts'
import {
  documentPathOf,
  fixedFolderError,
  isUnlisted,
  type MountLocation,
  requireOwnName,
} from './mount-paths.ts'
import type { MountWrites } from './mount-writes.ts'
import { requireFolderDepth } from './new-names.ts'
import { withRequestedSpelling } from './respelling.ts'
import type { ScratchFiles } from './scratch.ts'
import type { PathSegments } from './types.ts'

interface FolderTransfer {
  from: PathSegments
  to: PathSegments
  overwrite: boolean
}

interface MovableFolder {
  source: MountLocation
  target: MountLocation
  contents: FolderContents
}

/** Moves folders of `documents` and `files` as a whole, or not at all. */
export class FolderMover {
  constructor(
    private readonly tree: Tree,
    private readonly deps: {
      entries: MountEntries
      fileTrash: FileTrash
      folderMoves: FolderMoves
      scratch: ScratchFiles
      writes: MountWrites
    },
  ) {}

  /** @throws WorkspaceError `forbidden`, `invalid`, `conflict`, and as `FolderMoves.move` */
  async move(caller: Caller, { from, to, overwrite }: FolderTransfer): Promise<{ created: boolean }> {
    const { folderMoves, fileTrash, scratch } = this.deps
    const movable = await this.requireMovableFolder(caller, { from, to })
    const { source, target } = movable
    const replaced = overwrite ? await listContents(this.tree, target) : null
    return folderMoves.move(caller, {
      from: source,
      to: target,
      overwrite,
      check: (leaving, deleted) => {
        // The permission may have ended while the folder was listed.
        this.requireLocations(caller, from, to)
        this.requireDeletable(caller, [...leaving, ...deleted])
        this.requireFilesMovable(caller, movable)
        if (replaced) this.requireFilesRemovable(caller, target, replaced)
      },
      record: (trashFolder) => {
        scratch.moveWithin(from, to)
        if (trashFolder === null || !replaced) return
        const plainFiles = replaced.files.filter(({ path }) => documentPathOf(path) === null)
        fileTrash.recordDeletion(
          caller.member,
          target.project,
          plainFiles.map((file) => ({
            ...file,
            trashPath: trashFolder + file.path.slice(target.path.length),
          })),
        )
      },
    })
  }

  /** Checks the move before the target is freed. @throws WorkspaceError as `move` */
  async requireMovable(caller: Caller, { from, to }: Pick<FolderTransfer, 'from' | 'to'>): Promise<void> {
    const movable = await this.requireMovableFolder(caller, { from, to })
    const { source, target } = movable
    this.requireDeletable(caller, this.deps.folderMoves.leaving(source, target))
    this.requireFilesMovable(caller, movable)
  }

  private async requireMovableFolder(
    caller: Caller,
    { from, to }: Pick<FolderTransfer, 'from' | 'to'>,
  ): Promise<MovableFolder> {
    const { source, target } = this.requireLocations(caller, from, to)
    const contents = await listContents(this.tree, source)
    requireFolderDepth(target, contents.depth)
    requireSameKind(source, target, contents)
    return { source, target, contents }
  }

  private requireLocations(
    caller: Caller,
    from: PathSegments,
    to: PathSegments,
  ): { source: MountLocation; target: MountLocation } {
    const { entries, writes } = this.deps
    const source = entries.requireTarget(caller, from)
    const target = withRequestedSpelling(entries.requireTarget(caller, to), source)
    if (!source.location || !entries.folders.canContainFolders(source.location))
      throw fixedFolderError(source.location)
    writes.requireFolderAllowed(target)
    if (target.location!.conflictingName !== source.location.path) requireOwnName(target.location!)
    return { source: source.location, target: target.location! }
  }

  private requireDeletable({ member }: Caller, documents: readonly DocumentRecord[]): void {
    for (const { authorId, path } of documents) requireDeletion(member, authorId, `document, ${path}`)
  }

  private requireFilesMovable(caller: Caller, { source, target, contents }: MovableFolder): void {
    if (isTakenFromOthers(source, target)) this.requireFilesRemovable(caller, source, contents)
  }

  /** Files without documents have no author: project managers remove them. */
  private requireFilesRemovable(caller: Caller, location: MountLocation, { files }: FolderContents): void {
    const isListed = ({ path }: ContainedFile) => documentPathOf(path) === null && !isUnlisted(path)
    if (files.some(isListed)) {
      this.deps.writes.requireRemovable(caller, { names: location.names, location, fileKind: 'file' })
    }
  }
}

/** Whether other members lose sight of the contents. */
const isTakenFromOthers = (source: MountLocation, target: MountLocation): boolean =>
  source.project.id !== target.project.id || (isUnlisted(target.path) && !isUnlisted(source.path))

/** An uploaded file becomes a document by a write in a member's name, not by a rename. */
function requireSameKind(source: MountLocation, target: MountLocation, { files }: FolderContents): void {
  const targetOf = (path: string) => target.path + path.slice(source.path.length)
  const newDocument = files.find(
    ({ path }) => documentPathOf(path) === null && documentPathOf(targetOf(path)) !== null,
  )
  if (newDocument === undefined) return
  throw new WorkspaceError(
    'conflict',
    `${newDocument.path} would become a document, which moving a folder does not do. Copy the folder there, then delete it here.`,
  )
}
