import type { Database } from '../../data/database.ts'
import type { EventLog } from '../../data/tables/event-log.ts'
import type { Clock } from '../time/clock.ts'
import type { DueTimer } from '../time/due-timer.ts'
import { trimTimer } from '../time/trim-timer.ts'
import { visibleMs } from './document-events.ts'

/** A day longer than events are visible, so that a clock that was a day ahead deletes no current events. */
const retentionMs = 2 * visibleMs

interface TrimmingDeps {
  database: Database
  log: EventLog
  clock: Clock
  onProblem: (message: string, error: unknown) => void
}

export const eventTrimming = ({ database, log, clock, onProblem }: TrimmingDeps): DueTimer =>
  trimTimer(
    {
      retentionMs,
      trim: (cutoffMs, maxRows) => log.trimDocuments(cutoffMs, maxRows),
      oldestMs: () => log.oldestOfDocumentsMs(),
    },
    {
      database,
      clock,
      onFailure: (error) => onProblem('Old events could not be removed; this is tried again', error),
    },
  )
