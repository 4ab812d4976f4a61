import type { FolderMoveRecord } from '../../../data/tables/folder-moves.ts'
import type { Tree } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { ProjectRoots } from './project-roots.ts'

/**
 * Finishes moves of folders that an end of the process cut off, or that a power cut took away again; one that was not
 * committed is undone. Where a person has put something else meanwhile it stays: the scan that follows finds the documents
 * where they lie.
 */
export class FolderRecovery {
  private readonly deps: DocumentsDeps
  private readonly roots: ProjectRoots
  /** Those of projects whose folder is away: an unmounted disk is not written into. */
  private waiting: FolderMoveRecord[] = []

  constructor(deps: DocumentsDeps, roots: ProjectRoots) {
    this.deps = deps
    this.roots = roots
  }

  /** To be called before the journal is finished, when the projects' folders have been looked at. @throws DiskError */
  async start(): Promise<void> {
    this.waiting = this.deps.folderMoves.all()
    await this.makeDurable(this.finish((project) => this.roots.trouble(project) === null))
  }

  /** A project's folder is there again. Without waiting for anything. @throws DiskError */
  finishReturned(returned: Project): void {
    const isUsable = (project: Project) => project.id === returned.id || this.roots.trouble(project) === null
    this.makeDurable(this.finish(isUsable)).catch((error) =>
      this.deps.onProblem('The move of a folder could not be made durable; the next start does it', error),
    )
  }

  /** @returns those that are finished */
  private finish(isUsable: (project: Project) => boolean): FolderMoveRecord[] {
    const isReachable = (path: string) => {
      const project = this.roots.projectIn(path.split('/')[1]!)
      return project !== null && isUsable(project)
    }
    const finished = this.waiting.filter(({ from, to }) => isReachable(from) && isReachable(to))
    for (const move of finished) (move.isCommitted ? complete : undo)(this.deps.tree, move)
    this.waiting = this.waiting.filter((move) => !finished.includes(move))
    return finished
  }

  private async makeDurable(moves: FolderMoveRecord[]): Promise<void> {
    const { database, folderMoves, tree } = this.deps
    if (moves.length === 0) return
    for (const { to, from, aside } of moves) {
      for (const path of [to, from, aside]) if (path !== null) await tree.flush(path)
    }
    await database.commit(() => {
      for (const { id } of moves) folderMoves.remove(id)
    })
  }
}

function complete(tree: Tree, { from, to, aside }: FolderMoveRecord): void {
  if (!isFolder(tree, from)) return
  if (aside !== null && isFree(tree, aside) && isFolder(tree, to)) tree.moveFolder(to, aside)
  if (isFree(tree, to)) tree.moveFolder(from, to)
}

function undo(tree: Tree, { from, to, aside }: FolderMoveRecord): void {
  if (isFolder(tree, to) && isMissing(tree, from)) tree.moveFolder(to, from)
  if (aside !== null && isFolder(tree, aside) && isFree(tree, to)) tree.moveFolder(aside, to)
}

const isFolder = (tree: Tree, path: string): boolean => tree.folderStamp(path) !== null

const isMissing = (tree: Tree, path: string): boolean => tree.lookAtAnySize(path).kind === 'missing'

/** Whether a folder can be put there: an empty one is no obstacle. */
const isFree = (tree: Tree, path: string): boolean => isMissing(tree, path) || tree.names(path)?.length === 0
