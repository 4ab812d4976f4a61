import { Signal } from '../../data/signal.ts'
/** How long somebody waits for an answer: until their time is over, or they go away. */
export class Patience {
  /** Nobody is there any more to read an answer. */
  isGone = false
  /** Also when they have gone. */
  isOver = false
  private readonly over = new Signal()

  /** Calls `listener` when it is over. @returns removes the listener */
  onOver(listener: () => void): () => void {
    return this.over.listen(listener)
  }

  /** They have gone away. */
  leave(): void {
    this.isGone = true
    this.end()
  }

  /** Their time is over. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.over.emit()
  }
}
