import type { Database } from '../../data/database.ts'
import type { Clock } from './clock.ts'
import { DueTimer } from './due-timer.ts'

const minIntervalMs = 60_000
const idleIntervalMs = 60 * 60 * 1000
/** Few enough not to delay writers. */
const rowsPerCommit = 500

/** Rows of a table that are deleted once they are old enough. */
interface OldRows {
  retentionMs: number
  /** Deletes at most `maxRows` rows that are old enough, inside a commit. @returns how many */
  trim(cutoffMs: number, maxRows: number): number
  /** The time of the oldest row that is left. */
  oldestMs(): number | null | undefined
}

interface TrimTimerDeps {
  database: Database
  clock: Clock
  onFailure: (error: unknown) => void
}

/** Returns a timer, to be started, that deletes old rows when they are due, in small commits. */
export function trimTimer(
  { retentionMs, trim, oldestMs }: OldRows,
  { database, clock, onFailure }: TrimTimerDeps,
): DueTimer {
  const trimDue = async () => {
    const trimNext = () => trim(clock.retentionCutoff(retentionMs), rowsPerCommit)
    while ((await database.commit(trimNext)) === rowsPerCommit);
    const dueMs = (oldestMs() ?? clock.now()) + retentionMs + 1
    // What is due only by the wall clock waits for elapsed time.
    return dueMs > clock.now() ? Math.max(dueMs, clock.now() + minIntervalMs) : clock.now() + idleIntervalMs
  }
  return new DueTimer(clock, trimDue, onFailure)
}
