import type { FolderMoveRecord } from '../../../data/tables/folder-moves.ts'
import type { DocumentsDeps } from '../deps/deps.ts'

const retryAfterMs = 10_000

type FinishedMove = Omit<FolderMoveRecord, 'isCommitted'>

export class FolderMoveFlusher {
  private notDurableYet: FinishedMove[] = []
  private timer: NodeJS.Timeout | null = null
  private isStopped = false

  constructor(
    private readonly deps: Pick<DocumentsDeps, 'database' | 'folderMoves' | 'tree' | 'onProblem'>,
  ) {}

  /** Never fails, but tries again later. */
  async flush({ id, from, to, aside }: FinishedMove): Promise<void> {
    const { database, folderMoves, tree, onProblem } = this.deps
    try {
      for (const path of [to, from, aside]) if (path !== null) await tree.flush(path)
      await database.commit(() => folderMoves.remove(id))
    } catch (error) {
      onProblem('The move of a folder could not be made durable; this is tried again', error)
      this.notDurableYet.push({ id, from, to, aside })
      if (!this.isStopped) this.timer ??= setTimeout(() => this.retry(), retryAfterMs).unref()
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true
    if (this.timer) clearTimeout(this.timer)
    await this.retry()
  }

  private async retry(): Promise<void> {
    this.timer = null
    const moves = this.notDurableYet
    this.notDurableYet = []
    for (const move of moves) await this.flush(move)
  }
}
