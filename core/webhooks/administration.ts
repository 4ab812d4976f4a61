import { openOutbound } from '../../data/outbound/http.ts'
import { deliveriesTable } from '../../data/tables/deliveries.ts'
import { webhooksTable } from '../../data/tables/webhooks.ts'
import type { Administration } from '../administration.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { systemRandom } from '../ids.ts'
import { WebhookConfiguration } from './configuration.ts'

/** The configuration of webhooks for the command line, beside a server that may be running. */
export function webhookConfigurationOf(
  { database }: Administration,
  { outbound }: Pick<Config, 'outbound'>,
): WebhookConfiguration {
  return new WebhookConfiguration({
    database,
    webhooks: webhooksTable(database.connection),
    deliveries: deliveriesTable(database.connection),
    outbound: openOutbound(outbound),
    clock: systemClock,
    random: systemRandom,
  })
}
