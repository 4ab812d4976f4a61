import type { Database } from '../../data/database.ts'
import type { MountLock, MountLocksTable } from '../../data/tables/mount-locks.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import type { Clock } from '../time/clock.ts'

export type { MountLock } from '../../data/tables/mount-locks.ts'

/** Changes are durable when their promises resolve. */
export class LockStore {
  constructor(
    private readonly database: Database,
    private readonly table: MountLocksTable,
    private readonly clock: Clock,
  ) {}

  /** Returns those that have not expired, oldest first. */
  all(): MountLock[] {
    return this.table.all().filter(({ untilMs }) => untilMs > this.clock.now())
  }

  put(locks: readonly MountLock[]): Promise<void> {
    return commitOrUnavailable(this.database, () => {
      this.table.removeExpired(this.clock.now())
      for (const lock of locks) this.table.put(lock)
    })
  }

  async remove(locks: readonly MountLock[]): Promise<void> {
    if (locks.length === 0) return
    await commitOrUnavailable(this.database, () => {
      for (const { token } of locks) this.table.remove(token)
    })
  }
}
