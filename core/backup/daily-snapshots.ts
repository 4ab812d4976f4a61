import {
  deleteSnapshot,
  hasSpaceForSnapshot,
  listSnapshots,
  removeUnfinishedSnapshots,
  takeSnapshot,
} from '../../data/backup/snapshots.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'

interface DailySnapshotsOptions {
  home: string
  clock?: Clock
  onProblem: (message: string, error?: unknown) => void
}

const dayMs = 24 * 60 * 60 * 1000
const startDelayMs = 10 * 60 * 1000

const maxSnapshots = 3

/** Copies of the database, from which a lost one is restored. They share its disk, and so are no backup. */
export class DailySnapshots {
  private readonly home: string
  private readonly clock: Clock
  private readonly onProblem: DailySnapshotsOptions['onProblem']
  private readonly timer: DueTimer
  private readonly abortController = new AbortController()

  constructor({ home, clock = systemClock, onProblem }: DailySnapshotsOptions) {
    this.home = home
    this.clock = clock
    this.onProblem = onProblem
    this.timer = new DueTimer(
      clock,
      () => this.take(),
      () => {},
    )
  }

  start(): void {
    const [newest] = dailyOf(this.home)
    this.timer.dueAt(Math.max(this.clock.now() + startDelayMs, (newest?.atMs ?? 0) + dayMs))
  }

  async stop(): Promise<void> {
    this.abortController.abort()
    await this.timer.stop()
  }

  private async take(): Promise<number> {
    const nowMs = this.clock.now()
    try {
      // Interrupted snapshots would take the space.
      await removeUnfinishedSnapshots(this.home)
      if (await hasSpaceForSnapshot(this.home)) await this.takeAndPrune(nowMs)
      else this.onProblem('The daily snapshot of the database was skipped: the disk has no space for it')
    } catch (error) {
      if (!this.abortController.signal.aborted)
        this.onProblem('The daily snapshot of the database failed', error)
    }
    return nowMs + dayMs
  }

  private async takeAndPrune(nowMs: number): Promise<void> {
    await takeSnapshot(this.home, nowMs, this.abortController.signal)
    for (const old of dailyOf(this.home).slice(maxSnapshots)) await deleteSnapshot(old)
  }
}

const dailyOf = (home: string) => listSnapshots(home).filter(({ schema }) => schema === null)
