export class Signal<Value = void> {
  private readonly listeners = new Set<(value: Value) => void>()

  listen(listener: (value: Value) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Synchronous and in order. An exception skips the rest and propagates; in a commit, it rolls back. */
  emit(value: Value): void {
    for (const listener of [...this.listeners]) listener(value)
  }
}
