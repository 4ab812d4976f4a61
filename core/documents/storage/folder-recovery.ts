import { failureReason } from '../../../data/failures.ts'
import type { FolderMoveRecord } from '../../../data/tables/folder-moves.ts'
import type { Tree } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import type { FolderMoveFlusher } from './folder-move-flusher.ts'
import type { ProjectRoots } from './project-roots.ts'

/** After a crash, finishes committed moves and undoes others. What a person has put there since stays. */
export class FolderRecovery {
  private readonly shared: DocumentsDeps
  private readonly flusher: FolderMoveFlusher
  private readonly roots: ProjectRoots
  /** Moves that failed, and those of missing projects, since nothing is written to an unmounted disk. */
  private waiting: FolderMoveRecord[] = []

  constructor(shared: DocumentsDeps, deps: { flusher: FolderMoveFlusher; roots: ProjectRoots }) {
    this.shared = shared
    this.flusher = deps.flusher
    this.roots = deps.roots
  }

  /** Must run after folders are checked and before the journal is finished. Projects without space wait. */
  async start(): Promise<void> {
    this.waiting = this.shared.folderMoves.all()
    const { finished, failures } = this.finish((project) => this.roots.problemOf(project) === null)
    for (const [{ from, to }, error] of failures) {
      const reason = failureReason(error)
      if (reason === null) throw error
      for (const path of [from, to]) this.roots.markUnfinished(this.projectOf(path)!, reason)
      this.shared.onProblem(`The move of the folder ${from} is not finished yet; this is tried again`, error)
    }
    for (const move of finished) await this.flusher.flush(move)
  }

  /** For a project whose folder has returned. Synchronous. @throws DiskError */
  finishForProject(returned: Project): void {
    // The folder of a project that waits for space exists.
    const isUsable = (project: Project) =>
      project.id === returned.id || this.roots.problemOf(project) === null || this.roots.isUnfinished(project)
    const { finished, failures } = this.finish(isUsable)
    for (const move of finished) void this.flusher.flush(move)
    const [failure] = failures
    if (failure) throw failure[1]
  }

  private finish(isUsable: (project: Project) => boolean) {
    const isReachable = (path: string) => {
      const project = this.projectOf(path)
      return project !== null && isUsable(project)
    }
    const finished: FolderMoveRecord[] = []
    const failures: [FolderMoveRecord, error: unknown][] = []
    for (const move of this.waiting) {
      if (!isReachable(move.from) || !isReachable(move.to)) continue
      // A later move may start where the failed one was to end.
      if (failures.length > 0) {
        failures.push([move, failures[0]![1]])
        continue
      }
      try {
        if (move.isCommitted) complete(this.shared.tree, move)
        else undo(this.shared.tree, move)
        finished.push(move)
      } catch (error) {
        failures.push([move, error])
      }
    }
    this.waiting = this.waiting.filter((move) => !finished.includes(move))
    return { finished, failures }
  }

  private projectOf(path: string): Project | null {
    return this.roots.projectIn(path.split('/')[1]!)
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

const isMissing = (tree: Tree, path: string): boolean => tree.statAnySize(path).kind === 'missing'

/** An empty folder is no obstacle. */
const isFree = (tree: Tree, path: string): boolean => isMissing(tree, path) || tree.names(path)?.length === 0
