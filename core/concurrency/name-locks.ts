import { Mutex } from 'async-mutex'
import { WorkspaceError } from '../errors/workspace-error.ts'

const maxBarrierWaitMs = 10_000

interface Barrier {
  covers(name: string): boolean
  lifted: Promise<void>
}

/** Queues work by name: writes to one document are sequential, others concurrent. */
export class Locks {
  private readonly held = new Map<string, { mutex: Mutex; users: number }>()
  private readonly barriers = new Set<Barrier>()
  private readonly barrierQueue = new Mutex()
  private readonly onLeave = new Set<() => void>()

  /** Locks in sorted order, which prevents deadlocks. The earliest request (`sinceMs`) is next. */
  async run<T>(names: string[], work: () => Promise<T>, sinceMs = performance.now()): Promise<T> {
    const sorted = [...new Set(names)].sort()
    for (let barrier = this.barrierOver(sorted); barrier; barrier = this.barrierOver(sorted)) {
      await barrier.lifted
    }
    // All names are registered before the first wait, so that a barrier sees them.
    for (const name of sorted) this.enter(name)
    try {
      return await this.runInOrder(sorted, work, sinceMs)
    } finally {
      for (const name of sorted) this.leave(name)
      for (const leave of [...this.onLeave]) leave()
    }
  }

  /** `work` must not wait for a covered name. @throws WorkspaceError `unavailable` after a time limit */
  runBehindBarrier<T>(covers: (name: string) => boolean, work: () => Promise<T>): Promise<T> {
    return this.barrierQueue.runExclusive(async () => {
      let lift = () => {}
      const lifted = new Promise<void>((resolve) => {
        lift = resolve
      })
      const barrier = { covers, lifted }
      this.barriers.add(barrier)
      try {
        await this.drained(covers)
        return await work()
      } finally {
        this.barriers.delete(barrier)
        lift()
      }
    })
  }

  private barrierOver(names: string[]): Barrier | undefined {
    return [...this.barriers].find(({ covers }) => names.some(covers))
  }

  private async drained(covers: Barrier['covers']): Promise<void> {
    const isBusy = () => [...this.held.keys()].some(covers)
    if (!isBusy()) return
    await new Promise<void>((resolve, reject) => {
      const stat = () => {
        if (!isBusy()) end(resolve)
      }
      const end = (settle: () => void) => {
        clearTimeout(timer)
        this.onLeave.delete(stat)
        settle()
      }
      const timer = setTimeout(() => end(() => reject(busy())), maxBarrierWaitMs)
      this.onLeave.add(stat)
    })
  }

  private async runInOrder<T>(
    [name, ...others]: string[],
    work: () => Promise<T>,
    sinceMs: number,
  ): Promise<T> {
    if (name === undefined) return work()
    const next = () => this.runInOrder(others, work, sinceMs)
    return this.held.get(name)!.mutex.runExclusive(next, -sinceMs)
  }

  private enter(name: string): void {
    const entry = this.held.get(name) ?? { mutex: new Mutex(), users: 0 }
    entry.users += 1
    this.held.set(name, entry)
  }

  private leave(name: string): void {
    const entry = this.held.get(name)!
    entry.users -= 1
    if (entry.users === 0) this.held.delete(name)
  }
}

const busy = () =>
  new WorkspaceError('unavailable', 'A write in this folder is in progress. Try again in a moment.', {
    retryAfterMs: 1000,
  })
