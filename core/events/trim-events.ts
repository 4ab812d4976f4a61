import type { Database } from '../../data/database.ts'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { visibleMs } from './document-events.ts'

/** A day longer than events are visible, so that a clock that was a day ahead deletes no current events. */
const retentionMs = 2 * visibleMs
const minIntervalMs = 60_000
const idleIntervalMs = 60 * 60 * 1000
/** Few enough not to delay writers. */
const rowsPerCommit = 500

interface TrimmingDeps {
  database: Database
  log: EventLog
  clock: Clock
  onProblem: (message: string, error: unknown) => void
}

export function startEventTrimming({ database, log, clock, onProblem }: TrimmingDeps): DueTimer {
  const trim = async () => {
    const trimNext = () => log.trimDocuments(clock.retentionCutoff(retentionMs), rowsPerCommit)
    while ((await database.commit(trimNext)) === rowsPerCommit);
    const oldestMs = log.oldestOfDocumentsMs() ?? clock.now()
    const dueMs = oldestMs + retentionMs + 1
    // What is due only by the wall clock waits for elapsed time.
    return dueMs > clock.now() ? Math.max(dueMs, clock.now() + minIntervalMs) : clock.now() + idleIntervalMs
  }
  return new DueTimer(clock, trim, (error) =>
    onProblem('Old events could not be removed; this is tried again', error),
  )
}
