import { z } from 'zod'
import type { Rooms } from '../../core/rooms/rooms.ts'
import { maxSeconds, minSeconds, type TypingSignals } from '../../core/rooms/typing.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { mustBe } from '../input-types.ts'
import { done, time } from '../schemas/model.ts'
import { normalizeClientName } from './client-name.ts'

const sendHeartbeat = accepts({
  body: { roomId: z.string().nullable().optional(), client: z.string().nullable().optional() },
})

export const presenceRoutes = (rooms: Pick<Rooms, 'heartbeat'>): Routes =>
  newRoutes()
    .purpose('Send a heartbeat: you are online')
    .answers(done)
    .refuses('forbidden', 'not_found')
    .post('/api/presence', sendHeartbeat, async (ctx) => {
      const fields = await sendHeartbeat.fields(ctx)
      const { roomId } = fields
      const client = normalizeClientName(fields.client ?? undefined)
      rooms.heartbeat(ctx.state.caller, {
        ...(typeof roomId === 'string' && { roomId }),
        ...(client !== undefined && { client }),
      })
      ctx.body = { ok: true }
    })

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
