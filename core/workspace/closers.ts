/** What has to be closed when a workspace is: the latest first. */
export class Closers {
  private readonly closers: (() => unknown)[] = []

  add(...closers: (() => unknown)[]): void {
    this.closers.push(...closers)
  }

  /** Closes one after the other, each once the one before it is done. */
  async close(): Promise<void> {
    for (const close of this.closers.splice(0).toReversed()) await close()
  }
}
