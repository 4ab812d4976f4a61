import { maxSeconds, minSeconds, type TypingSignals } from '../../core/rooms/typing.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { type FieldType, integer, optional, readFields } from '../request-fields.ts'

const typing = '/api/rooms/:roomId/typing'

const defaultSeconds = 30

/** Core says the same of a number that is out of range. */
const seconds: FieldType<number> = {
  ...integer,
  description: `a whole number from ${minSeconds} to ${maxSeconds}`,
}

export const typingRoutes = (service: TypingSignals): Routes =>
  newRoutes()
    .purpose('Start or extend an agent’s typing signal')
    .post(typing, accepts({ body: 'json' }), async (ctx) => {
      const { ttlSeconds = defaultSeconds } = await readFields(ctx, { ttlSeconds: optional(seconds) })
      ctx.body = service.start(ctx.state.caller, ctx.params.roomId!, ttlSeconds)
    })
    .purpose('End the typing signal')
    .delete(typing, (ctx) => {
      service.stop(ctx.state.caller, ctx.params.roomId!)
      ctx.body = { typing: false }
    })
