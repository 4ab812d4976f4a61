/**
 * What was looked at, kept until the code that runs now has returned to the event loop: everything that asks until then
 * had arrived before the look. Nothing is kept longer, since the disk changes at any moment.
 */
export class StatCache<T> {
  private readonly stats = new Map<string, T>()

  /** What is known under `key`, or else what `look` finds now. */
  get(key: string, stat: () => T): T {
    const known = this.stats.get(key)
    if (known !== undefined) return known
    const found = stat()
    if (this.stats.size === 0) queueMicrotask(() => this.stats.clear())
    this.stats.set(key, found)
    return found
  }
}
