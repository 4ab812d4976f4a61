import { z } from 'zod'
import { RequestLifetime } from '../../core/events/request-lifetime.ts'
import { deliveryStates, webhookEvents } from '../../core/webhooks/types.ts'
import type { Wakes } from '../../core/webhooks/wakes.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { mustBe } from '../input-types.ts'
import { model } from '../schemas/model.ts'

const wholeNumber = (min: number, max: number) =>
  mustBe(z.int().min(min).max(max).optional(), `a whole number from ${min} to ${max}`)

const takeWakes = accepts({
  body: {
    wait: wholeNumber(0, 50),
    limit: wholeNumber(1, 20),
    lease: wholeNumber(10, 7200),
    restart: z.boolean().optional(),
  },
})

const answerWake = accepts({ body: { body: z.string().optional(), error: z.string().optional() } })

/** The body of a delivery (`docs/webhooks.md#the-call`). */
const wake = model('Wake', z.looseObject({ id: z.string(), event: z.enum(webhookEvents) }))

const wakeAnswer = z.object({
  id: z.string(),
  state: z.enum(deliveryStates),
  replyId: z.string().nullable(),
})

/** @param stopping releases held requests, with no wakes */
export const wakeRoutes = (wakes: Pick<Wakes, 'take' | 'answer'>, stopping: AbortSignal): Routes =>
  newRoutes()
    .purpose('Take your wakes, for an agent without a webhook; held until there are any')
    .answers(z.object({ wakes: z.array(wake) }))
    .refuses('forbidden', 'conflict')
    .post('/v1/wakes/take', takeWakes, async (ctx) => {
      const { wait = 25, limit = 1, lease = 300, restart = false } = await takeWakes.fields(ctx)
      const lifetime = new RequestLifetime()
      const end = () => lifetime.end()
      ctx.res.once('close', () => lifetime.disconnect())
      stopping.addEventListener('abort', end, { once: true })
      if (stopping.aborted) end()
      const request = { waitMs: wait * 1000, limit, leaseMs: lease * 1000, restart }
      try {
        ctx.body = { wakes: await wakes.take(ctx.state.caller, request, lifetime) }
      } finally {
        stopping.removeEventListener('abort', end)
      }
    })
    .purpose('Reply to a wake, once; the reply is posted where the agent was triggered')
    .answers(wakeAnswer)
    .refuses('forbidden', 'not_found')
    .post('/v1/wakes/:id/answer', answerWake, async (ctx) => {
      const answer = await answerWake.fields(ctx)
      ctx.body = await wakes.answer(ctx.state.caller, ctx.params.id!, answer)
    })
