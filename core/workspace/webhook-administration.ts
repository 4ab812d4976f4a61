import { openOutbound } from '../../data/outbound/http.ts'
import { deliveriesTable } from '../../data/tables/deliveries.ts'
import { webhooksTable } from '../../data/tables/webhooks.ts'
import type { Config } from '../config.ts'
import { systemRandom } from '../ids.ts'
import { systemClock } from '../time/clock.ts'
import { WebhookStore } from '../webhooks/webhook-store.ts'
import type { CommandLineWorkspace } from './command-line.ts'

/** Checks addresses by the allow list of the running server; if none is running, by `outbound`. */
export function webhookStoreOf(
  { database, serverAllowList: servedAllow }: CommandLineWorkspace,
  { outbound }: Pick<Config, 'outbound'>,
): WebhookStore {
  const served = servedAllow()
  return new WebhookStore({
    database,
    webhooks: webhooksTable(database.connection),
    deliveries: deliveriesTable(database.connection),
    outbound: openOutbound({ allow: served ?? outbound.allow }),
    usesServerAllowList: served !== null,
    clock: systemClock,
    random: systemRandom,
  })
}
