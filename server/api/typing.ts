import { z } from 'zod'
import { maxSeconds, minSeconds, type TypingSignals } from '../../core/rooms/typing.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { mustBe } from '../input-types.ts'
import { time } from '../schemas/model.ts'

const typing = '/api/rooms/:roomId/typing'

const defaultSeconds = 30

/** Core refuses numbers out of range with the same words. */
const seconds = mustBe(z.int(), `a whole number from ${minSeconds} to ${maxSeconds}`)

const startTyping = accepts({ body: { ttlSeconds: seconds.optional() } })

export const typingRoutes = (service: TypingSignals): Routes =>
  newRoutes()
    .purpose('Start or extend an agent’s typing signal')
    .answers(z.object({ typing: z.boolean(), until: time }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(typing, startTyping, async (ctx) => {
      const { ttlSeconds = defaultSeconds } = await startTyping.fields(ctx)
      ctx.body = service.start(ctx.state.caller, ctx.params.roomId!, ttlSeconds)
    })
    .purpose('End the typing signal')
    .answers(z.object({ typing: z.boolean() }))
    .refuses('forbidden', 'not_found')
    .delete(typing, (ctx) => {
      service.stop(ctx.state.caller, ctx.params.roomId!)
      ctx.body = { typing: false }
    })
