import type { Rooms } from '../../core/rooms/rooms.ts'
import { roomTypes } from '../../core/rooms/types.ts'
import { newRoutes, type Routes } from '../context.ts'
import { oneOf, optional, orNull, queryText, readFields, text, texts } from '../request-fields.ts'

const rooms = '/api/rooms'
const room = `${rooms}/:roomId`

/** Rooms: which there are, who is in them, and how much of them one wants to hear. */
export const roomRoutes = (service: Rooms): Routes =>
  newRoutes()
    .get(rooms, (ctx) => {
      ctx.body = service.list(ctx.state.caller, { all: queryText(ctx, 'all') === '1' })
    })
    .post(rooms, async (ctx) => {
      const { projectId, ...fields } = await readFields(ctx, {
        name: text,
        type: oneOf(roomTypes),
        description: optional(text),
        projectId: optional(orNull(text)),
        members: optional(texts),
      })
      // A room that is read has a projectId of null where it belongs to no project.
      const created = await service.create(ctx.state.caller, {
        ...fields,
        ...(typeof projectId === 'string' && { projectId }),
      })
      ctx.status = 201
      ctx.body = created
    })
    .get(room, (ctx) => {
      ctx.body = service.get(ctx.state.caller, ctx.params.roomId!)
    })
    .patch(room, async (ctx) => {
      const changes = await readFields(ctx, { name: optional(text), description: optional(text) })
      ctx.body = await service.change(ctx.state.caller, ctx.params.roomId!, changes)
    })
    .post(`${room}/join`, async (ctx) => {
      ctx.body = await service.join(ctx.state.caller, ctx.params.roomId!)
    })
    .post(`${room}/leave`, async (ctx) => {
      ctx.body = await service.leave(ctx.state.caller, ctx.params.roomId!)
    })
    .post(`${room}/members`, async (ctx) => {
      const { memberId } = await readFields(ctx, { memberId: text })
      ctx.body = await service.invite(ctx.state.caller, ctx.params.roomId!, memberId)
    })
    .put(`${room}/read`, async (ctx) => {
      const { messageId } = await readFields(ctx, { messageId: text })
      const { unread } = await service.markRead(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .put(`${room}/involvement`, async (ctx) => {
      const { involvement } = await readFields(ctx, { involvement: text })
      ctx.body = await service.setInvolvement(ctx.state.caller, ctx.params.roomId!, involvement)
    })
