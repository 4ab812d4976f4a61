/** Closes sequentially, the latest first. */
export class Closers {
  private readonly closers: (() => unknown)[] = []

  add(...closers: (() => unknown)[]): void {
    this.closers.push(...closers)
  }

  async close(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close()
  }
}
