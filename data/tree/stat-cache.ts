/**
 * What was looked at, kept until the code that runs now has returned to the event loop: everything that asks until then
 * had arrived before the look. Nothing is kept longer, since the disk changes at any moment.
 */
export class StatCache<T> {
  private readonly seen = new Map<string, T>()

  /** What is known under `key`, or else what `look` finds now. */
  get(key: string, look: () => T): T {
    const known = this.seen.get(key)
    if (known !== undefined) return known
    const found = look()
    if (this.seen.size === 0) queueMicrotask(() => this.seen.clear())
    this.seen.set(key, found)
    return found
  }
}
