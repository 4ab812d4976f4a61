import { z } from 'zod'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import { involvements } from '../../core/room-members/involvement.ts'
import type { Rooms } from '../../core/rooms/rooms.ts'
import { roomTypes } from '../../core/rooms/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { flag } from '../input-types.ts'
import { optionalProject, projectFields } from '../project-fields.ts'
import { done } from '../schemas/model.ts'
import { roomDetail, room as roomModel } from '../schemas/rooms.ts'

const rooms = '/api/rooms'
const room = `${rooms}/:roomId`

const listRooms = accepts({ query: { all: flag } })

const createRoom = accepts({
  body: {
    name: z.string(),
    type: z.enum(roomTypes),
    description: z.string().optional(),
    // A room that is read has a projectId of null where it belongs to no project.
    ...projectFields,
    members: z.array(z.string()).optional(),
  },
})

const changeRoom = accepts({
  body: { name: z.string().optional(), description: z.string().optional() },
})

const addMember = accepts({ body: { memberId: z.string() } })
const markRead = accepts({ body: { messageId: z.string() } })
const markUnread = accepts({ body: { messageId: z.string() } })
const setInvolvement = accepts({
  body: { involvement: z.string(), memberId: z.string().optional() },
})

export const roomRoutes = (service: Rooms, projects: Pick<ProjectStore, 'find'>): Routes =>
  newRoutes()
    .purpose('List your rooms; with ?all=1 also those that you can join')
    .answers(z.array(roomModel))
    .get(rooms, listRooms, (ctx) => {
      ctx.body = service.list(ctx.state.caller, listRooms.query(ctx))
    })
    .purpose('Create a room')
    .answers(roomModel, 201)
    .post(rooms, createRoom, async (ctx) => {
      const { project, projectId, ...fields } = await createRoom.fields(ctx)
      const named = optionalProject({ project, projectId }, projects)
      const created = await service.create(ctx.state.caller, {
        ...fields,
        ...(named !== undefined && { projectId: named }),
      })
      ctx.status = 201
      ctx.body = created
    })
    .purpose('Read a room, its members, and who is typing')
    .answers(roomDetail)
    .get(room, (ctx) => {
      ctx.body = service.get(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Change a room’s name or description')
    .answers(roomModel)
    .patch(room, changeRoom, async (ctx) => {
      const changes = await changeRoom.fields(ctx)
      ctx.body = await service.change(ctx.state.caller, ctx.params.roomId!, changes)
    })
    .purpose('Join an open room')
    .answers(z.object({ joined: z.boolean(), already: z.boolean() }))
    .post(`${room}/join`, async (ctx) => {
      ctx.body = await service.join(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Leave a room')
    .answers(z.object({ joined: z.boolean() }))
    .post(`${room}/leave`, async (ctx) => {
      ctx.body = await service.leave(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Add a member to a room')
    .answers(z.object({ joined: z.boolean() }))
    .post(`${room}/members`, addMember, async (ctx) => {
      const { memberId } = await addMember.fields(ctx)
      ctx.body = await service.invite(ctx.state.caller, ctx.params.roomId!, memberId)
    })
    .purpose('Mark a room as read up to a message')
    .answers(done.extend({ unread: z.int() }))
    .put(`${room}/read`, markRead, async (ctx) => {
      const { messageId } = await markRead.fields(ctx)
      const { unread } = await service.markRead(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .purpose('Mark a room as unread from a message on')
    .answers(done.extend({ unread: z.int() }))
    .put(`${room}/unread`, markUnread, async (ctx) => {
      const { messageId } = await markUnread.fields(ctx)
      const { unread } = await service.markUnread(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .purpose('Set what you are notified of in a room')
    .answers(z.object({ involvement: z.enum(involvements) }))
    .put(`${room}/involvement`, setInvolvement, async (ctx) => {
      const { involvement, memberId } = await setInvolvement.fields(ctx)
      ctx.body = await service.setInvolvement(ctx.state.caller, ctx.params.roomId!, involvement, memberId)
    })
