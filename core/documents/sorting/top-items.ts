/** Keeps the first items of an order, each once, without sorting all. */
export class TopItems<T> {
  private items = new Set<T>()
  private last: T | null = null

  constructor(
    private readonly max: number,
    private readonly compare: (one: T, other: T) => number,
  ) {}

  add(item: T): void {
    if (this.last !== null && this.compare(item, this.last) >= 0) return
    this.items.add(item)
    if (this.items.size < 2 * this.max) return
    const kept = this.sorted()
    this.items = new Set(kept)
    this.last = kept.at(-1)!
  }

  sorted(): T[] {
    return [...this.items].sort(this.compare).slice(0, this.max)
  }
}
