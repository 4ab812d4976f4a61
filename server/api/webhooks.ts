import { type WebhookEvent, webhookEvents } from '../../core/webhooks/types.ts'
import type { Webhooks } from '../../core/webhooks/webhooks.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { type FieldType, nullable, oneOf, optional, readFields, text } from '../request-fields.ts'
import { pageLimit } from './messages.ts'

const webhook = '/api/members/:id/webhook'
const deliveries = `${webhook}/deliveries`

const events: FieldType<WebhookEvent[]> = {
  description: `a list of ${webhookEvents.join(' and ')}`,
  isOf: (value): value is WebhookEvent[] => Array.isArray(value) && value.every(oneOf(webhookEvents).isOf),
}

export const webhookRoutes = (service: Webhooks): Routes =>
  newRoutes()
    .purpose('Read where an agent is called')
    .get(webhook, (ctx) => {
      ctx.body = service.get(ctx.state.caller, ctx.params.id!)
    })
    .purpose('Set where an agent is called, and for which events')
    .put(webhook, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, { url: nullable(text), events: optional(events) })
      ctx.body = await service.set(ctx.state.caller, ctx.params.id!, fields)
    })
    .purpose('Create a new signing secret; the old one also signs for a day')
    .post(`${webhook}/rotate`, async (ctx) => {
      ctx.body = await service.rotate(ctx.state.caller, ctx.params.id!)
    })
    .purpose('List what was delivered to an agent, newest first')
    .get(deliveries, accepts({ query: ['limit'] }), (ctx) => {
      ctx.body = { deliveries: service.deliveries(ctx.state.caller, ctx.params.id!, pageLimit(ctx)) }
    })
    .purpose('Send a delivery again')
    .post(`${deliveries}/:deliveryId/redeliver`, async (ctx) => {
      const { id, deliveryId } = ctx.params
      const redelivered = await service.redeliver(ctx.state.caller, id!, deliveryId!)
      ctx.status = 202
      ctx.body = redelivered
    })
