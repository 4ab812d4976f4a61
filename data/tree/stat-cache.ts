/** Kept until the running code returns to the event loop, never longer: the disk changes at any moment. */
export class StatCache<T> {
  private readonly stats = new Map<string, T>()

  get(key: string, stat: () => T): T {
    const cached = this.stats.get(key)
    if (cached !== undefined) return cached
    const fresh = stat()
    if (this.stats.size === 0) queueMicrotask(() => this.stats.clear())
    this.stats.set(key, fresh)
    return fresh
  }
}
