import { Mutex } from 'async-mutex'
import { WorkspaceError } from '../errors/workspace-error.ts'

const maxBarrierWaitMs = 10_000

interface Barrier {
  covers(name: string): boolean
  lifted: Promise<void>
}

/** Queues work by name: writes to one document are sequential, others concurrent. */
export class Locks {
  private readonly entries = new Map<string, { mutex: Mutex; users: number }>()
  private readonly barriers = new Set<Barrier>()
  private readonly barrierQueue = new Mutex()
  private readonly releaseListeners = new Set<() => void>()

  /** Locks in sorted order, which prevents deadlocks. The earliest request (`sinceMs`) is next. */
  async run<T>(names: string[], work: () => Promise<T>, sinceMs = performance.now()): Promise<T> {
    const sorted = [...new Set(names)].sort()
    for (let barrier = this.barrierCovering(sorted); barrier; barrier = this.barrierCovering(sorted)) {
      await barrier.lifted
    }
    // All names are registered before the first wait, so that a barrier sees them.
    for (const name of sorted) this.register(name)
    try {
      return await this.runInOrder(sorted, work, sinceMs)
    } finally {
      for (const name of sorted) this.unregister(name)
      for (const listener of [...this.releaseListeners]) listener()
    }
  }

  /** `work` must not wait for a covered name. @throws WorkspaceError `unavailable` after a time limit */
  runWithBarrier<T>(covers: (name: string) => boolean, work: () => Promise<T>): Promise<T> {
    return this.barrierQueue.runExclusive(async () => {
      let lift = () => {}
      const lifted = new Promise<void>((resolve) => {
        lift = resolve
      })
      const barrier = { covers, lifted }
      this.barriers.add(barrier)
      try {
        await this.waitUntilIdle(covers)
        return await work()
      } finally {
        this.barriers.delete(barrier)
        lift()
      }
    })
  }

  private barrierCovering(names: string[]): Barrier | undefined {
    return [...this.barriers].find(({ covers }) => names.some(covers))
  }

  private async waitUntilIdle(covers: Barrier['covers']): Promise<void> {
    const isBusy = () => [...this.entries.keys()].some(covers)
    if (!isBusy()) return
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!isBusy()) finish(resolve)
      }
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        this.releaseListeners.delete(check)
        settle()
      }
      const timer = setTimeout(() => finish(() => reject(busyError())), maxBarrierWaitMs)
      this.releaseListeners.add(check)
    })
  }

  private async runInOrder<T>(
    [name, ...rest]: string[],
    work: () => Promise<T>,
    sinceMs: number,
  ): Promise<T> {
    if (name === undefined) return work()
    const next = () => this.runInOrder(rest, work, sinceMs)
    return this.entries.get(name)!.mutex.runExclusive(next, -sinceMs)
  }

  private register(name: string): void {
    const entry = this.entries.get(name) ?? { mutex: new Mutex(), users: 0 }
    entry.users += 1
    this.entries.set(name, entry)
  }

  private unregister(name: string): void {
    const entry = this.entries.get(name)!
    entry.users -= 1
    if (entry.users === 0) this.entries.delete(name)
  }
}

const busyError = () =>
  new WorkspaceError('unavailable', 'A write in this folder is in progress. Try again in a moment.', {
    retryAfterMs: 1000,
  })
