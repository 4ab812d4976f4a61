import type { Database } from '../../data/database.ts'
import { deliveriesTable } from '../../data/tables/deliveries.ts'
import { wakesTable } from '../../data/tables/wakes.ts'
import { webhooksTable } from '../../data/tables/webhooks.ts'
import { DeliveryEnqueuer, type WebhookCallsParts } from './delivery-enqueuer.ts'
import { Dispatcher, type DispatcherParts } from './dispatcher.ts'
import { LoopGuard } from './loop-guard.ts'
import { ReplyPoster, type ReplyPostingParts } from './reply-poster.ts'
import { startDeliveryTrimming } from './trimming.ts'
import { Health, type HealthParts } from './webhook-health.ts'
import { Webhooks, type WebhooksParts } from './webhooks.ts'

export type { DeliveryEnqueuer, Webhooks }

type Tables = 'webhooks' | 'deliveries'

/** Where webhooks are kept, and who is called for what is written: the documents and the rooms are built on it. */
export function openWebhookCalls(parts: { database: Database } & Omit<WebhookCallsParts, Tables | 'guard'>) {
  const db = parts.database.connection
  const tables = { webhooks: webhooksTable(db), deliveries: deliveriesTable(db) }
  const guard = new LoopGuard(wakesTable(db))
  return { ...tables, webhookCalls: new DeliveryEnqueuer({ ...parts, ...tables, guard }) }
}

/**
 * Begins to call, and to look after what was sent. It comes behind the rooms, in which replies and notices are said.
 * @returns `stop` cuts off what is under way
 */
export async function startWebhooks(
  parts: Omit<DispatcherParts, 'health' | 'replies'> &
    HealthParts &
    ReplyPostingParts &
    Omit<WebhooksParts, 'onDue'> & { webhookCalls: DeliveryEnqueuer },
): Promise<{ webhooks: Webhooks; stop(): Promise<void> }> {
  const health = new Health(parts)
  const replies = new ReplyPoster(parts)
  const dispatcher = new Dispatcher({ ...parts, health, replies })
  const onDue = () => dispatcher.dueAt(parts.clock.now())
  parts.webhookCalls.onDue(onDue)
  const trimming = startDeliveryTrimming(parts)
  await trimming.start()
  dispatcher.start()
  return {
    webhooks: new Webhooks({ ...parts, onDue }),
    async stop() {
      await dispatcher.stop()
      await trimming.stop()
    },
  }
}
