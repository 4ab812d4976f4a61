/** Work that nobody waits for as it runs, but whose end has to be waited for before a stop. */
export class PendingWork {
  private readonly pending = new Set<Promise<unknown>>()

  /** @returns the same work */
  add<T>(work: Promise<T>): Promise<T> {
    const ended: Promise<T> = work.finally(() => this.pending.delete(ended))
    this.pending.add(ended)
    return ended
  }

  /** Resolves when all that has been added so far has ended. @throws as the first that fails */
  async ended(): Promise<void> {
    await Promise.all(this.pending)
  }
}
