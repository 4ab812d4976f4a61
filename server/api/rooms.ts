import type { ProjectStore } from '../../core/projects/project-store.ts'
import type { Rooms } from '../../core/rooms/rooms.ts'
import { roomTypes } from '../../core/rooms/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { optionalProject, projectFields } from '../project-fields.ts'
import { oneOf, optional, queryText, readFields, text, texts } from '../request-fields.ts'

const rooms = '/api/rooms'
const room = `${rooms}/:roomId`

export const roomRoutes = (service: Rooms, projects: Pick<ProjectStore, 'find'>): Routes =>
  newRoutes()
    .purpose('List your rooms; with ?all=1 also those that you can join')
    .get(rooms, accepts({ query: ['all'] }), (ctx) => {
      ctx.body = service.list(ctx.state.caller, { all: queryText(ctx, 'all') === '1' })
    })
    .purpose('Create a room')
    .post(rooms, accepts({ body: 'json' }), async (ctx) => {
      const { project, projectId, ...fields } = await readFields(ctx, {
        name: text,
        type: oneOf(roomTypes),
        description: optional(text),
        // A room that is read has a projectId of null where it belongs to no project.
        ...projectFields,
        members: optional(texts),
      })
      const named = optionalProject({ project, projectId }, projects)
      const created = await service.create(ctx.state.caller, {
        ...fields,
        ...(named !== undefined && { projectId: named }),
      })
      ctx.status = 201
      ctx.body = created
    })
    .purpose('Read a room, its members, and who is typing')
    .get(room, (ctx) => {
      ctx.body = service.get(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Change a room’s name or description')
    .patch(room, accepts({ body: 'json' }), async (ctx) => {
      const changes = await readFields(ctx, { name: optional(text), description: optional(text) })
      ctx.body = await service.change(ctx.state.caller, ctx.params.roomId!, changes)
    })
    .purpose('Join an open room')
    .post(`${room}/join`, async (ctx) => {
      ctx.body = await service.join(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Leave a room')
    .post(`${room}/leave`, async (ctx) => {
      ctx.body = await service.leave(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Add a member to a room')
    .post(`${room}/members`, accepts({ body: 'json' }), async (ctx) => {
      const { memberId } = await readFields(ctx, { memberId: text })
      ctx.body = await service.invite(ctx.state.caller, ctx.params.roomId!, memberId)
    })
    .purpose('Mark a room as read up to a message')
    .put(`${room}/read`, accepts({ body: 'json' }), async (ctx) => {
      const { messageId } = await readFields(ctx, { messageId: text })
      const { unread } = await service.markRead(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .purpose('Mark a room as unread from a message on')
    .put(`${room}/unread`, accepts({ body: 'json' }), async (ctx) => {
      const { messageId } = await readFields(ctx, { messageId: text })
      const { unread } = await service.markUnread(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .purpose('Set what you are notified of in a room')
    .put(`${room}/involvement`, accepts({ body: 'json' }), async (ctx) => {
      const { involvement, memberId } = await readFields(ctx, { involvement: text, memberId: optional(text) })
      ctx.body = await service.setInvolvement(ctx.state.caller, ctx.params.roomId!, involvement, memberId)
    })
