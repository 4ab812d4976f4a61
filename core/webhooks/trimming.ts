import type { Database } from '../../data/database.ts'
import type { DeliveriesTable } from '../../data/tables/deliveries.ts'
import type { Clock } from '../time/clock.ts'
import { DueTimer } from '../time/due-timer.ts'

const retentionMs = 30 * 24 * 60 * 60 * 1000
const minIntervalMs = 60_000
const idleIntervalMs = 60 * 60 * 1000
/** Few enough not to delay writers. */
const rowsPerCommit = 500

interface DeliveryTrimmingDeps {
  database: Database
  deliveries: DeliveriesTable
  clock: Clock
  onProblem: (message: string, error?: unknown) => void
}

export function startDeliveryTrimming({
  database,
  deliveries,
  clock,
  onProblem,
}: DeliveryTrimmingDeps): DueTimer {
  const trim = async () => {
    const trimNext = () => deliveries.trim(clock.retentionCutoff(retentionMs), rowsPerCommit)
    while ((await database.commit(trimNext)) === rowsPerCommit);
    const oldestMs = deliveries.firstEndedMs() ?? clock.now()
    const dueMs = oldestMs + retentionMs
    // What is due only by the wall clock waits for elapsed time.
    return dueMs > clock.now() ? Math.max(dueMs, clock.now() + minIntervalMs) : clock.now() + idleIntervalMs
  }
  return new DueTimer(clock, trim, (error) =>
    onProblem('Old deliveries could not be removed; this is tried again', error),
  )
}
