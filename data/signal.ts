/** Something that happens again and again, and those who listen for it. */
export class Signal<Value = void> {
  private readonly listeners = new Set<(value: Value) => void>()

  /** @returns ends the listening */
  listen(listener: (value: Value) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /**
   * Calls every listener in this turn, in the order in which they began to listen. What one throws is thrown on, and those
   * after it are not called: inside a commit, that takes the commit back.
   */
  emit(value: Value): void {
    for (const listener of [...this.listeners]) listener(value)
  }
}
