export class Signal<Value = void> {
  private readonly listeners = new Set<(value: Value) => void>()

  /** @returns removes the listener */
  listen(listener: (value: Value) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /**
   * Calls all listeners synchronously, in order. An exception propagates, and the remaining ones are not called:
   * inside a commit it rolls the commit back.
   */
  emit(value: Value): void {
    for (const listener of [...this.listeners]) listener(value)
  }
}
