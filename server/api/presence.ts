import type { Rooms } from '../../core/rooms/rooms.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { nullable, optional, readFields, text } from '../request-fields.ts'
import { normalizeClientName } from './client-name.ts'

export const presenceRoutes = (rooms: Pick<Rooms, 'heartbeat'>): Routes =>
  newRoutes()
    .purpose('Send a heartbeat: you are online')
    .post('/api/presence', accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, {
        roomId: optional(nullable(text)),
        client: optional(nullable(text)),
      })
      const { roomId } = fields
      const client = normalizeClientName(fields.client ?? undefined)
      rooms.heartbeat(ctx.state.caller, {
        ...(typeof roomId === 'string' && { roomId }),
        ...(client !== undefined && { client }),
      })
      ctx.body = { ok: true }
    })
