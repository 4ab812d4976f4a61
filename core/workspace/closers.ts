/** Closes the parts of a workspace, the latest first. */
export class Closers {
  private readonly closers: (() => unknown)[] = []

  add(...closers: (() => unknown)[]): void {
    this.closers.push(...closers)
  }

  /** Sequentially. */
  async close(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close()
  }
}
