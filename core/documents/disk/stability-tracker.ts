import type { Hint, PathStat } from '../../../data/tree/index.ts'

/** Bytes that were written in place count once nothing has changed for this long, in milliseconds. */
const quietMs = 150
/** A file that arrived whole, by a rename, only waits to see that nobody goes on writing to it. */
const afterMoveMs = 30
/** An empty file is a save that has just begun, until it has stayed empty for this long. */
const emptyMs = 2000
/** A file that never rests is taken as it is. */
const maxUnstableMs = 2000

interface RecentChange {
  firstMs: number
  /** null: the change was found by looking, and nobody said how it came. */
  movedInMs: number | null
}

/** Tells when a path has stopped changing: half a save is never taken in. */
export class StabilityTracker {
  private readonly changing = new Map<string, RecentChange>()
  private readonly diskNow: () => number

  constructor(diskNow: () => number) {
    this.diskNow = diskNow
  }

  /** A watcher saw the path change. */
  noteChange({ path, kind }: Hint): void {
    const nowMs = this.diskNow()
    const unrest = this.changing.get(path) ?? { firstMs: nowMs, movedInMs: null }
    unrest.movedInMs = kind === 'moved' ? nowMs : null
    this.changing.set(path, unrest)
  }

  /** Milliseconds until what lies there may be taken in; 0: now. */
  waitMs(path: string, stat: PathStat): number {
    if (stat.kind !== 'file') return 0
    const nowMs = this.diskNow()
    const unrest = this.changing.get(path) ?? { firstMs: nowMs, movedInMs: null }
    this.changing.set(path, unrest)
    const changedMs = Math.max(stat.stamp.mtimeMs, stat.stamp.ctimeMs)
    // A time ahead of the clock (it was set back, or the file came so) says nothing of how long it has rested.
    const lastMs = changedMs > nowMs ? unrest.firstMs : changedMs
    if (stat.stamp.size === 0) return Math.max(0, lastMs + emptyMs - nowMs)
    const restedMs = unrest.movedInMs === null ? lastMs + quietMs : unrest.movedInMs + afterMoveMs
    return Math.max(0, Math.min(restedMs, unrest.firstMs + maxUnstableMs) - nowMs)
  }

  /** The path has been looked at; the next change begins anew. */
  clear(path: string): void {
    this.changing.delete(path)
  }
}
