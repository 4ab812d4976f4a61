import { z } from 'zod'
import type { Rooms } from '../../core/rooms/rooms.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { done } from '../schemas/model.ts'
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
