import { setImmediate } from 'node:timers/promises'

/** Work that several requests share. At most one run of each name goes on at a time. */
export class SharedRuns<Result> {
  private readonly pending = new Map<string, Promise<Result>>()
  private readonly last = new Map<string, Promise<Result>>()

  /** Returns the result of a run that begins after this call. */
  join(name: string, work: () => Promise<Result>): Promise<Result> {
    const pending = this.pending.get(name)
    if (pending) return pending
    const run = this.start(name, work).finally(() => {
      if (this.last.get(name) === run) this.last.delete(name)
    })
    this.pending.set(name, run)
    this.last.set(name, run)
    return run
  }

  private async start(name: string, work: () => Promise<Result>): Promise<Result> {
    // Only the requests that joined the earlier run get its failure.
    await this.last.get(name)?.catch(() => {})
    // Lets all requests of one turn share the run.
    await setImmediate()
    this.pending.delete(name)
    return work()
  }
}
