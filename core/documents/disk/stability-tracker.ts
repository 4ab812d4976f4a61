import type { Hint, PathStat } from '../../../data/tree/index.ts'

/** Bytes that were written in place count once nothing has changed for this long. */
const quietMs = 150
/** A file that arrived by a rename is complete unless someone continues writing to it. */
const afterMoveMs = 30
/** An empty file may be a save in progress until it has been empty for this long. */
const emptyMs = 2000
/** A file that keeps changing is ingested after this time. */
const maxUnstableMs = 2000

interface RecentChange {
  firstMs: number
  /** null if the change was found by a scan. */
  movedInMs: number | null
}

/** Tells when a path has stopped changing, so that half a save is never ingested. */
export class StabilityTracker {
  private readonly changing = new Map<string, RecentChange>()
  private readonly diskNow: () => number

  constructor(diskNow: () => number) {
    this.diskNow = diskNow
  }

  noteChange({ path, kind }: Hint): void {
    const nowMs = this.diskNow()
    const unrest = this.changing.get(path) ?? { firstMs: nowMs, movedInMs: null }
    unrest.movedInMs = kind === 'moved' ? nowMs : null
    this.changing.set(path, unrest)
  }

  /** Milliseconds until the path may be ingested; 0: now. */
  waitMs(path: string, stat: PathStat): number {
    if (stat.kind !== 'file') return 0
    const nowMs = this.diskNow()
    const unrest = this.changing.get(path) ?? { firstMs: nowMs, movedInMs: null }
    this.changing.set(path, unrest)
    const changedMs = Math.max(stat.stamp.mtimeMs, stat.stamp.ctimeMs)
    // A time ahead of the clock tells nothing of how long the file has been stable.
    const lastMs = changedMs > nowMs ? unrest.firstMs : changedMs
    if (stat.stamp.size === 0) return Math.max(0, lastMs + emptyMs - nowMs)
    const restedMs = unrest.movedInMs === null ? lastMs + quietMs : unrest.movedInMs + afterMoveMs
    return Math.max(0, Math.min(restedMs, unrest.firstMs + maxUnstableMs) - nowMs)
  }

  clear(path: string): void {
    this.changing.delete(path)
  }
}
