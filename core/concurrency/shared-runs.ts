import { setImmediate } from 'node:timers/promises'

/** Work that several requests share, by name. Of each name, one run goes on at a time. */
export class SharedRuns<Result> {
  /** Runs that have not begun. */
  private readonly planned = new Map<string, Promise<Result>>()
  /** The last run of each name, until it ends. */
  private readonly last = new Map<string, Promise<Result>>()

  /** @returns what a run finds that begins after this call, and that others may share */
  join(name: string, work: () => Promise<Result>): Promise<Result> {
    const planned = this.planned.get(name)
    if (planned) return planned
    const run = this.begin(name, work).finally(() => {
      if (this.last.get(name) === run) this.last.delete(name)
    })
    this.planned.set(name, run)
    this.last.set(name, run)
    return run
  }

  private async begin(name: string, work: () => Promise<Result>): Promise<Result> {
    // A failure of the run before is that of those who joined it.
    await this.last.get(name)?.catch(() => {})
    // So that all requests of one turn share it.
    await setImmediate()
    this.planned.delete(name)
    return work()
  }
}
