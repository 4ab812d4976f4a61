import type { Database } from '../../data/database.ts'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'
import { visibleMs } from './document-events.ts'

/**
 * Documents' events are kept for a day longer than they are shown: a clock that is a day ahead, and is set right again,
 * hides what is not old, and must not destroy it.
 */
const keptMs = 2 * visibleMs
const minIntervalMs = 60_000
const againMs = 60 * 60 * 1000
/** A commit of so many rows holds up nobody. */
const rowsInACommit = 500

interface TrimmingDeps {
  database: Database
  log: EventLog
  clock: Clock
  onProblem: (message: string, error: unknown) => void
}

/** Removes documents' events that are too old to be shown from the log. Their ticks are not issued again. */
export function startEventTrimming({ database, log, clock, onProblem }: TrimmingDeps): DueTimer {
  const trim = async () => {
    const trimNext = () => log.trimDocuments(clock.retentionCutoff(keptMs), rowsInACommit)
    while ((await database.commit(trimNext)) === rowsInACommit);
    // An event that is still to come is due no earlier than this.
    const oldestMs = log.oldestOfDocumentsMs() ?? clock.now()
    const dueMs = oldestMs + keptMs + 1
    // What is due by the wall clock alone waits for the time that has passed.
    return dueMs > clock.now() ? Math.max(dueMs, clock.now() + minIntervalMs) : clock.now() + againMs
  }
  return new DueTimer(clock, trim, (error) =>
    onProblem('Old events could not be removed; this is tried again', error),
  )
}
