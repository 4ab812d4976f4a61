/** Work that nobody awaits while it runs, but that must end before a stop. */
export class PendingWork {
  private readonly pending = new Set<Promise<unknown>>()

  /** Returns a promise with the same outcome. */
  add<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<T> = work.finally(() => this.pending.delete(ended))
    this.pending.add(ended)
    return ended
  }

  /** Resolves when everything added so far has ended. @throws the first failure */
  async ended(): Promise<void> {
    await Promise.all(this.pending)
  }
}
