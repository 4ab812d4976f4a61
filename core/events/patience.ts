import { Signal } from '../../data/signal.ts'
export class Patience {
  isGone = false
  /** Also if it is disconnected. */
  isOver = false
  private readonly over = new Signal()

  onOver(listener: () => void): () => void {
    return this.over.listen(listener)
  }

  leave(): void {
    this.isGone = true
    this.end()
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.over.emit()
  }
}
