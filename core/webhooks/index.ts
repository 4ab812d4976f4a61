import type { Database } from '../../data/database.ts'
import { type DeliveriesTable, deliveriesTable } from '../../data/tables/deliveries.ts'
import { wakesTable } from '../../data/tables/wakes.ts'
import { webhooksTable } from '../../data/tables/webhooks.ts'
import type { Clock } from '../time/clock.ts'
import type { DueTimer } from '../time/due-timer.ts'
import { trimTimer } from '../time/trim-timer.ts'
import { DeliveryEnqueuer, type DeliveryEnqueuerDeps } from './delivery-enqueuer.ts'
import { Dispatcher, type DispatcherDeps } from './dispatcher.ts'
import { LoopGuard } from './loop-guard.ts'
import { ReplyPoster, type ReplyPostingDeps } from './reply-poster.ts'
import { Wakes } from './wakes.ts'
import { type HealthOptions, WebhookHealth } from './webhook-health.ts'
import { Webhooks, type WebhooksDeps } from './webhooks.ts'

export type { DeliveryEnqueuer, Wakes, Webhooks }

type Tables = 'webhooks' | 'deliveries'

export function openDeliveryEnqueuer(
  deps: { database: Database } & Omit<DeliveryEnqueuerDeps, Tables | 'guard'>,
) {
  const db = deps.database.connection
  const tables = { webhooks: webhooksTable(db), deliveries: deliveriesTable(db) }
  const guard = new LoopGuard(wakesTable(db))
  return { ...tables, deliveryEnqueuer: new DeliveryEnqueuer({ ...deps, ...tables, guard }) }
}

/** Must be called after rooms are open, in which replies and notices are posted. */
export async function startWebhooks(
  deps: Omit<DispatcherDeps, 'health' | 'replies'> &
    HealthOptions &
    ReplyPostingDeps &
    Omit<WebhooksDeps, 'onDue'> & { deliveryEnqueuer: DeliveryEnqueuer },
): Promise<{ webhooks: Webhooks; wakes: Wakes; stop(): Promise<void> }> {
  const health = new WebhookHealth(deps)
  const replies = new ReplyPoster(deps)
  const dispatcher = new Dispatcher({ ...deps, health, replies })
  const onDue = () => dispatcher.dueAt(deps.clock.now())
  deps.deliveryEnqueuer.onDue(onDue)
  const trimming = deliveryTrimming(deps)
  await trimming.start()
  dispatcher.start()
  return {
    webhooks: new Webhooks({ ...deps, onDue }),
    wakes: new Wakes({ ...deps, replies }),
    async stop() {
      await dispatcher.stop()
      await trimming.stop()
    },
  }
}

const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000

interface DeliveryTrimmingDeps {
  database: Database
  deliveries: DeliveriesTable
  clock: Clock
  onProblem: (message: string, error?: unknown) => void
}

const deliveryTrimming = ({ database, deliveries, clock, onProblem }: DeliveryTrimmingDeps): DueTimer =>
  trimTimer(
    {
      retentionMs: deliveryRetentionMs,
      trim: (cutoffMs, maxRows) => deliveries.trim(cutoffMs, maxRows),
      oldestMs: () => deliveries.firstEndedMs(),
    },
    {
      database,
      clock,
      onFailure: (error) => onProblem('Old deliveries could not be removed; this is tried again', error),
    },
  )
