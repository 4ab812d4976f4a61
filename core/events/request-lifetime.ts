import { Signal } from '../../data/signal.ts'

/** Ends the wait of a held request, by timeout or disconnection. */
export class RequestLifetime {
  isDisconnected = false
  hasEnded = false
  private readonly ended = new Signal()

  onEnd(listener: () => void): () => void {
    return this.ended.listen(listener)
  }

  disconnect(): void {
    this.isDisconnected = true
    this.end()
  }

  end(): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.ended.emit()
  }
}
