import type { Hint, PathStat } from '../../../data/tree/index.ts'

/** How long bytes written in place must be unchanged. */
const quietMs = 150
/** A file that arrived by a rename is complete unless it is written to again. */
const afterMoveMs = 30
/** An empty file may be a save in progress. */
const emptyMs = 2000
/** A file that keeps changing is ingested after this time. */
const maxUnstableMs = 2000

interface RecentChange {
  firstMs: number
  /** null if the change was found by a scan. */
  movedInMs: number | null
}

export class StabilityTracker {
  private readonly changing = new Map<string, RecentChange>()

  constructor(private readonly diskNow: () => number) {}

  noteChange({ path, kind }: Hint): void {
    const nowMs = this.diskNow()
    const change = this.changing.get(path) ?? { firstMs: nowMs, movedInMs: null }
    change.movedInMs = kind === 'moved' ? nowMs : null
    this.changing.set(path, change)
  }

  waitMs(path: string, stat: PathStat): number {
    if (stat.kind !== 'file') return 0
    const nowMs = this.diskNow()
    const change = this.changing.get(path) ?? { firstMs: nowMs, movedInMs: null }
    this.changing.set(path, change)
    const changedMs = Math.max(stat.stamp.mtimeMs, stat.stamp.ctimeMs)
    // A time in the future does not show how long the file has been stable.
    const lastMs = changedMs > nowMs ? change.firstMs : changedMs
    if (stat.stamp.size === 0) return Math.max(0, lastMs + emptyMs - nowMs)
    const stableMs = change.movedInMs === null ? lastMs + quietMs : change.movedInMs + afterMoveMs
    return Math.max(0, Math.min(stableMs, change.firstMs + maxUnstableMs) - nowMs)
  }

  clear(path: string): void {
    this.changing.delete(path)
  }
}
