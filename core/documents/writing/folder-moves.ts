import { posix } from 'node:path'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { FolderMoveRecord } from '../../../data/tables/folder-moves.ts'
import { DiskError, isIgnoredName, nameKey } from '../../../data/tree/index.ts'
import type { Caller } from '../../access/member.ts'
import type { Project } from '../../access/project.ts'
import type { Locks } from '../../concurrency/name-locks.ts'
import { writeUnavailableError } from '../../errors/unavailable.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import { preconditionError } from '../../revisions/condition.ts'
import type { ProjectPath } from '../addressing/path-resolver.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { DiskSync } from '../disk/disk-sync.ts'
import { type Change, changeWithoutMove, deletionChange } from '../model/change.ts'
import { parseDocumentPath, pathInHome } from '../model/document-paths.ts'
import type { ChangeCommitter } from '../recording/change-committer.ts'
import type { ChangeRecorder } from '../recording/change-recorder.ts'
import type { FolderMoveFlusher } from '../storage/folder-move-flusher.ts'
import type { Journal } from '../storage/journal.ts'

interface FolderMove {
  from: ProjectPath
  to: ProjectPath
  overwrite: boolean
  /** Called while both folders are locked. `leaving`: documents that other members would no longer find. */
  check(leaving: DocumentRecord[], replaced: DocumentRecord[]): void
  /** Called within the transaction. `aside`: where a replaced folder is kept, a path in the home. */
  record(aside: string | null): void
}

/** Paths in the home. */
type MovePaths = Pick<FolderMoveRecord, 'from' | 'to' | 'aside'>

/**
 * One rename and one transaction, so that no crash, failure or request sees a part. A document keeps its id
 * within `documents`, also of another project; in `files` it is deleted, and its file remains as a plain file.
 */
export class FolderMoves {
  constructor(
    private readonly shared: DocumentsDeps,
    private readonly deps: {
      disk: DiskSync
      changeRecorder: ChangeRecorder
      changeCommitter: ChangeCommitter
      flusher: FolderMoveFlusher
      journal: Journal
      locks: Locks
    },
  ) {}

  /** @throws WorkspaceError `not_found`, `precondition_failed`, `conflict`, `unavailable`; as `check` */
  move(caller: Caller, move: FolderMove): Promise<{ created: boolean }> {
    const { from, to } = move
    return this.deps.locks.runWithBarrier(this.coveredBy([from, to]), async () => {
      for (const { project } of [from, to]) this.deps.disk.requireUsable(project, 'write')
      const aside = this.requireFolders(move)
      try {
        await this.deps.changeCommitter.rollBackRefused()
        const { leaving, replaced, changes } = this.changes(caller, move, aside)
        move.check(leaving, replaced)
        await this.moveOnDisk({ ...homePaths(move), aside }, changes, () => move.record(aside))
      } catch (error) {
        throw moveError(error, from)
      }
      return { created: aside === null }
    })
  }

  leaving(from: ProjectPath, to: ProjectPath): DocumentRecord[] {
    const changesProject = from.project.id !== to.project.id
    return this.documentsIn(from).filter(
      ({ path }) => changesProject || !isDocumentPath(movedPath(path, { from, to })),
    )
  }

  private coveredBy(folders: ProjectPath[]): (name: string) => boolean {
    const { catalogue } = this.shared
    const prefixes = folders.flatMap(({ project, path }) => [
      `${pathInHome(project, path)}/`,
      // A new document is locked by its address.
      `${project.id} ${nameKey(path).replace('/', ' ')}/`,
    ])
    return (name) => {
      const record = catalogue.find(name)
      const path = record && folders.some((folder) => isBelow(record, folder))
      return path || prefixes.some((prefix) => `${name}/`.startsWith(prefix))
    }
  }

  /** @returns where an existing target is moved; null if it is missing or empty */
  private requireFolders({ from, to, overwrite }: FolderMove): string | null {
    const { tree } = this.shared
    const source = pathInHome(from.project, from.path)
    const target = pathInHome(to.project, to.path)
    const inode = tree.folderStamp(source)?.ino
    if (inode === undefined)
      throw new WorkspaceError('not_found', `There is no folder ${from.path} (any more).`)
    const parent = target.slice(0, target.lastIndexOf('/'))
    if (tree.folderStamp(parent) === null) {
      throw new WorkspaceError('conflict', `There is no folder to move ${from.path} into (any more).`)
    }
    const stat = tree.statAnySize(target)
    // On a case-insensitive disk a folder is also found under a name that differs in case alone.
    if (stat.kind === 'missing' || tree.folderStamp(target)?.ino === inode) return null
    if (!overwrite) throw preconditionError(true)
    if (tree.folderStamp(target) === null) {
      throw new WorkspaceError('conflict', `The entry ${to.path} is not a folder and was not changed.`)
    }
    return trashFolderPath(this.shared, to)
  }

  private changes(caller: Caller, { from, to }: FolderMove, aside: string | null) {
    const atMs = this.shared.clock.now()
    const changesProject = from.project.id !== to.project.id
    const moved = this.documentsIn(from)
    const leaving = this.leaving(from, to)
    const replaced = aside === null ? [] : this.documentsIn(to)
    const origin = { actorId: caller.member.id, via: 'api', atMs } as const
    const deletions = replaced.map((record) =>
      deletionChange(origin, record, aside + record.path.slice(to.path.length)),
    )
    const moves = moved.map((record) => {
      const path = movedPath(record.path, { from, to })
      if (!isDocumentPath(path)) return deletionChange(origin, record, null)
      // Card numbers are unique within a project.
      const number = changesProject ? null : record.number
      const location = { projectId: to.project.id, path, pathKey: nameKey(path), number }
      return changeWithoutMove(origin, record, { ...record, activityMs: atMs, ...location })
    })
    // First the deletions, whose paths are reused.
    return { leaving, replaced, changes: [...deletions, ...moves] }
  }

  private documentsIn({ project, path }: ProjectPath): DocumentRecord[] {
    const { catalogue, documents } = this.shared
    return documents.idsBelow(project.id, path).flatMap((id) => catalogue.find(id) ?? [])
  }

  private async moveOnDisk(movePaths: MovePaths, composed: Change[], recordRest: () => void) {
    const { database, folderMoves, formerNames, metadata, tree, clock } = this.shared
    const { changeRecorder, changeCommitter, flusher, journal } = this.deps
    const { from, to, aside } = movePaths
    const id = await database.commit(() => folderMoves.add(movePaths))
    const changes: Change[] = []
    const renamed: [from: string, to: string][] = []
    const rename = (source: string, target: string) => {
      tree.moveFolder(source, target)
      renamed.push([source, target])
    }
    const { shared } = this
    function* steps() {
      formerNames.trim(clock.now())
      for (const change of composed) {
        const current = metadata.withCurrentMetadata(change)
        changes.push(current)
        changeRecorder.recordRows(current)
        yield
      }
      shared.journal.relocate(from, to)
      recordRest()
      folderMoves.setCommitted(id)
      // The rest runs in one turn, so that no event that may be rolled back is read.
      changeRecorder.appendEvents(changes)
      if (aside !== null) rename(to, aside)
      rename(from, to)
    }
    try {
      await database.commitInSteps(steps)
    } catch (error) {
      try {
        for (const [source, target] of renamed.reverse()) tree.moveFolder(target, source)
      } finally {
        // If this fails as well, the next start finds nothing to undo.
        await database.commit(() => folderMoves.remove(id)).catch(() => {})
      }
      throw error
    }
    journal.relocate(from, to)
    for (const change of changes) changeCommitter.updateCatalogueAfterMove(change)
    await flusher.flush({ id, ...movePaths })
  }
}

/** Where a replaced folder is kept for 30 days; its documents can be restored, its other files by hand. */
function trashFolderPath(
  { tree, clock }: Pick<DocumentsDeps, 'tree' | 'clock'>,
  { project, path }: ProjectPath,
): string {
  const parent = `trash/${project.folder}/folders`
  const taken = new Set(tree.names(parent) ?? [])
  for (let n = 1; ; n++) {
    const name = `${clock.now()}-${n}-${posix.basename(path)}`
    if (!taken.has(name)) return `${parent}/${name}`
  }
}

/** Hidden files are not documents. */
const isDocumentPath = (path: string): boolean =>
  parseDocumentPath(path)?.kind === 'document' && !path.split('/').some(isIgnoredName)

const movedPath = (path: string, { from, to }: Pick<FolderMove, 'from' | 'to'>): string =>
  to.path + path.slice(from.path.length)

const homePaths = ({ from, to }: FolderMove) => ({
  from: pathInHome(from.project, from.path),
  to: pathInHome(to.project, to.path),
})

const isBelow = (record: DocumentRecord, { project, path }: { project: Project; path: string }): boolean =>
  record.projectId === project.id && record.path.startsWith(`${path}/`)

function moveError(error: unknown, { path }: ProjectPath): unknown {
  if (error instanceof DiskError && error.errno === 'EXDEV') {
    return new WorkspaceError(
      'conflict',
      `The folder ${path} cannot be moved there in one step, because that is on another disk. Copy it, then delete it here.`,
    )
  }
  return writeUnavailableError(error)
}
