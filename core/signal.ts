/** Something that happens again and again, and those who listen for it. A listener is called in the turn of `emit`. */
export class Signal<Value = void> {
  private readonly listeners = new Set<(value: Value) => void>()

  /** @returns ends the listening */
  listen(listener: (value: Value) => void): () => void {
    this.listeners.add(listener)
    return () => void this.listeners.delete(listener)
  }

  /** Calls every listener, in the order in which they began to listen. */
  emit(value: Value): void {
    for (const listener of [...this.listeners]) listener(value)
  }
}
