import { Mutex } from 'async-mutex'

/** Queues work by name: writes to one document wait for each other, writes to others run beside them. */
export class Locks {
  private readonly held = new Map<string, { mutex: Mutex; users: number }>()

  /** Runs `work` while no other work holds any of these names; they are taken in sorted order, so that none waits in a circle. */
  async run<T>(names: string[], work: () => Promise<T>): Promise<T> {
    const [first, ...rest] = [...new Set(names)].sort()
    if (first === undefined) return work()
    return this.runOne(first, () => this.run(rest, work))
  }

  private async runOne<T>(name: string, work: () => Promise<T>): Promise<T> {
    const entry = this.held.get(name) ?? { mutex: new Mutex(), users: 0 }
    entry.users += 1
    this.held.set(name, entry)
    try {
      return await entry.mutex.runExclusive(work)
    } finally {
      entry.users -= 1
      if (entry.users === 0) this.held.delete(name)
    }
  }
}
