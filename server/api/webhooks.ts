import { z } from 'zod'
import { webhookEvents } from '../../core/webhooks/types.ts'
import type { Webhooks } from '../../core/webhooks/webhooks.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { count, mustBe } from '../input-types.ts'
import { delivery, webhookChange, webhook as webhookModel } from '../schemas/members.ts'

const webhook = '/api/members/:id/webhook'
const deliveries = `${webhook}/deliveries`

const events = mustBe(z.array(z.enum(webhookEvents)), `a list of ${webhookEvents.join(' and ')}`)

const setWebhook = accepts({ body: { url: z.string().nullable(), events: events.optional() } })
const listDeliveries = accepts({ query: { limit: count(100).default(50) } })

export const webhookRoutes = (service: Webhooks): Routes =>
  newRoutes()
    .purpose('Read the webhook of an agent')
    .answers(webhookModel)
    .refuses('forbidden', 'not_found')
    .get(webhook, (ctx) => {
      ctx.body = service.get(ctx.state.caller, ctx.params.id!)
    })
    .purpose('Set the webhook of an agent and its events')
    .answers(webhookChange)
    .refuses('forbidden', 'not_found')
    .put(webhook, setWebhook, async (ctx) => {
      const fields = await setWebhook.fields(ctx)
      ctx.body = await service.set(ctx.state.caller, ctx.params.id!, fields)
    })
    .purpose('Create a new signing secret; the old one also signs for a day')
    .answers(webhookChange)
    .refuses('forbidden', 'not_found')
    .post(`${webhook}/rotate`, async (ctx) => {
      ctx.body = await service.rotate(ctx.state.caller, ctx.params.id!)
    })
    .purpose('List the deliveries to an agent, newest first')
    .answers(z.object({ deliveries: z.array(delivery) }))
    .refuses('forbidden', 'not_found')
    .get(deliveries, listDeliveries, (ctx) => {
      const { limit } = listDeliveries.query(ctx)
      ctx.body = { deliveries: service.deliveries(ctx.state.caller, ctx.params.id!, limit) }
    })
    .purpose('Send a delivery again')
    .answers(z.object({ id: z.string(), state: delivery.shape.state }), 202)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${deliveries}/:deliveryId/redeliver`, async (ctx) => {
      const { id, deliveryId } = ctx.params
      const redelivered = await service.redeliver(ctx.state.caller, id!, deliveryId!)
      ctx.status = 202
      ctx.body = redelivered
    })
