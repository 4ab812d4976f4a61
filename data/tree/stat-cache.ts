/** Kept until the running code returns to the event loop, never longer: the disk changes at any moment. */
export class StatCache<T> {
  private readonly stats = new Map<string, T>()

  get(key: string, stat: () => T): T {
    const known = this.stats.get(key)
    if (known !== undefined) return known
    const found = stat()
    if (this.stats.size === 0) queueMicrotask(() => this.stats.clear())
    this.stats.set(key, found)
    return found
  }
}
