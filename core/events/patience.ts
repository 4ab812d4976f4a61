import { Signal } from '../../data/signal.ts'
/** How long a client waits: until its timeout, or its disconnection. */
export class Patience {
  /** The client is disconnected. */
  isGone = false
  /** Also if it is disconnected. */
  isOver = false
  private readonly over = new Signal()

  /** @returns removes the listener */
  onOver(listener: () => void): () => void {
    return this.over.listen(listener)
  }

  /** The client disconnected. */
  leave(): void {
    this.isGone = true
    this.end()
  }

  /** The timeout passed. */
  end(): void {
    if (this.isOver) return
    this.isOver = true
    this.over.emit()
  }
}
