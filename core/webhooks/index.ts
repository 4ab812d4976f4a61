import type { Database } from '../../data/database.ts'
import { deliveriesTable } from '../../data/tables/deliveries.ts'
import { wakesTable } from '../../data/tables/wakes.ts'
import { webhooksTable } from '../../data/tables/webhooks.ts'
import { WebhookCalls, type WebhookCallsParts } from './calls.ts'
import { Dispatcher, type DispatcherParts } from './dispatcher.ts'
import { Health, type HealthParts } from './health.ts'
import { ReplyPosting, type ReplyPostingParts } from './reply-posting.ts'
import { deliveryTrimming } from './trimming.ts'
import { WakeGuard } from './wake-guard.ts'
import { Webhooks, type WebhooksParts } from './webhooks.ts'

export type { WebhookCalls, Webhooks }

type Tables = 'webhooks' | 'deliveries'

/** Where webhooks are kept, and who is called for what is written: the documents and the rooms are built on it. */
export function openWebhookCalls(parts: { database: Database } & Omit<WebhookCallsParts, Tables | 'guard'>) {
  const db = parts.database.connection
  const tables = { webhooks: webhooksTable(db), deliveries: deliveriesTable(db) }
  const guard = new WakeGuard(wakesTable(db))
  return { ...tables, webhookCalls: new WebhookCalls({ ...parts, ...tables, guard }) }
}

/**
 * Begins to call, and to look after what was sent. It comes behind the rooms, in which replies and notices are said.
 * @returns `stop` cuts off what is under way
 */
export async function startWebhooks(
  parts: Omit<DispatcherParts, 'health' | 'replies'> &
    HealthParts &
    ReplyPostingParts &
    Omit<WebhooksParts, 'onDue'> & { webhookCalls: WebhookCalls },
): Promise<{ webhooks: Webhooks; stop(): Promise<void> }> {
  const health = new Health(parts)
  const replies = new ReplyPosting(parts)
  const dispatcher = new Dispatcher({ ...parts, health, replies })
  const onDue = () => dispatcher.dueAt(parts.clock.now())
  parts.webhookCalls.onDue(onDue)
  const trimming = deliveryTrimming(parts)
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
