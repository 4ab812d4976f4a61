import { z } from 'zod'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import type { RoomAttachments } from '../../core/room-attachments/room-attachments.ts'
import { involvements } from '../../core/room-members/involvement.ts'
import type { RoomManagement } from '../../core/rooms/room-management.ts'
import type { Rooms } from '../../core/rooms/rooms.ts'
import type { SidebarPlaces } from '../../core/rooms/sidebar-places.ts'
import { roomTypes } from '../../core/rooms/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { fileHeaders, rangeConditions } from '../described-headers.ts'
import { flag, oneOf } from '../input-types.ts'
import { receiveUpload, type UploadOptions, uploadParameters } from '../middleware/upload.ts'
import { optionalProject, projectFields } from '../project-fields.ts'
import { done } from '../schemas/model.ts'
import { roomAttachment, roomDetail, room as roomModel, sidebarPlace } from '../schemas/rooms.ts'
import { sendFile } from '../send-file.ts'

const rooms = '/api/rooms'
const room = `${rooms}/:roomId`

const listRooms = accepts({
  query: {
    all: flag.describe('1: also those that you can join'),
    archived: flag.describe('1: those that are archived'),
  },
})

const createRoom = accepts({
  body: {
    name: z.string(),
    type: z.enum(roomTypes),
    description: z.string().optional(),
    // A program may send back the null `projectId` of a room that it has read.
    ...projectFields,
    members: z.array(z.string()).optional(),
  },
})

const changeRoom = accepts({
  body: {
    name: z.string().optional(),
    description: z.string().optional(),
    type: z.enum(['open', 'closed']).optional(),
    archived: z.boolean().optional(),
  },
})

const deleteRoom = accepts({
  query: { name: z.string().describe('The name of the room, which confirms it').optional() },
})

const addMember = accepts({ body: { memberId: z.string() } })
const markRead = accepts({ body: { messageId: z.string() } })
const markUnread = accepts({ body: { messageId: z.string() } })
const setPlace = accepts({
  body: { favourite: z.boolean().optional(), section: z.string().nullable().optional() },
})
const setInvolvement = accepts({
  body: {
    involvement: oneOf(involvements, () => `involvement must be one of ${involvements.join(', ')}.`),
    memberId: z.string().optional(),
  },
})

interface RoomRoutesDeps {
  service: Rooms
  management: RoomManagement
  places: SidebarPlaces
  projects: Pick<ProjectStore, 'find'>
}

export const roomRoutes = ({ service, management, places, projects }: RoomRoutesDeps): Routes =>
  newRoutes()
    .purpose(
      'List your rooms; with ?all=1 also those that you can join; with ?archived=1 those that are archived',
    )
    .answers(z.array(roomModel))
    .refuses('forbidden')
    .get(rooms, listRooms, (ctx) => {
      ctx.body = service.list(ctx.state.caller, listRooms.query(ctx))
    })
    .purpose('Create a room')
    .answers(roomModel, 201)
    .answers(roomModel)
    .refuses('forbidden', 'not_found')
    .post(rooms, createRoom, async (ctx) => {
      const { project, projectId, ...fields } = await createRoom.fields(ctx)
      const requestedProject = optionalProject({ project, projectId }, projects)
      const { room: created, isNew } = await service.create(ctx.state.caller, {
        ...fields,
        ...(requestedProject !== undefined && { projectId: requestedProject }),
      })
      ctx.status = isNew ? 201 : 200
      ctx.body = created
    })
    .purpose('Read a room, its members, and who is typing')
    .answers(roomDetail)
    .refuses('forbidden', 'not_found')
    .get(room, (ctx) => {
      ctx.body = service.get(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Change a room: its name or description, who it is open to, whether it is archived')
    .answers(roomModel)
    .refuses('forbidden', 'not_found', 'conflict')
    .patch(room, changeRoom, async (ctx) => {
      const changes = await changeRoom.fields(ctx)
      ctx.body = await management.change(ctx.state.caller, ctx.params.roomId!, changes)
    })
    .purpose('Delete a room for good, with its messages; ?name= confirms it')
    .answers(z.object({ deleted: z.boolean() }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(room, deleteRoom, async (ctx) => {
      const { name } = deleteRoom.query(ctx)
      ctx.body = await management.delete(ctx.state.caller, ctx.params.roomId!, name)
    })
    .purpose('Join an open room')
    .answers(z.object({ joined: z.boolean(), already: z.boolean() }))
    .refuses('forbidden', 'not_found')
    .post(`${room}/join`, async (ctx) => {
      ctx.body = await service.join(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Leave a room')
    .answers(z.object({ joined: z.boolean() }))
    .refuses('forbidden', 'not_found')
    .post(`${room}/leave`, async (ctx) => {
      ctx.body = await service.leave(ctx.state.caller, ctx.params.roomId!)
    })
    .purpose('Add a member to a room')
    .answers(z.object({ joined: z.boolean() }))
    .refuses('forbidden', 'not_found')
    .post(`${room}/members`, addMember, async (ctx) => {
      const { memberId } = await addMember.fields(ctx)
      ctx.body = await service.invite(ctx.state.caller, ctx.params.roomId!, memberId)
    })
    .purpose('Remove a member from a room')
    .answers(z.object({ removed: z.boolean() }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(`${room}/members/:memberId`, async (ctx) => {
      const { roomId, memberId } = ctx.params
      ctx.body = await management.removeMember(ctx.state.caller, roomId!, memberId!)
    })
    .purpose('Mark a room as read up to a message')
    .answers(done.extend({ unread: z.int() }))
    .refuses('forbidden', 'not_found')
    .put(`${room}/read`, markRead, async (ctx) => {
      const { messageId } = await markRead.fields(ctx)
      const { unread } = await service.markRead(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .purpose('Mark a room as unread from a message on')
    .answers(done.extend({ unread: z.int() }))
    .refuses('forbidden', 'not_found')
    .put(`${room}/unread`, markUnread, async (ctx) => {
      const { messageId } = await markUnread.fields(ctx)
      const { unread } = await service.markUnread(ctx.state.caller, ctx.params.roomId!, messageId)
      ctx.body = { ok: true, unread }
    })
    .purpose('Set your involvement in a room')
    .answers(z.object({ involvement: z.enum(involvements) }))
    .refuses('forbidden', 'not_found')
    .put(`${room}/involvement`, setInvolvement, async (ctx) => {
      const { involvement, memberId } = await setInvolvement.fields(ctx)
      ctx.body = await service.setInvolvement(ctx.state.caller, ctx.params.roomId!, involvement, memberId)
    })
    .purpose('Set the position of a room in your sidebar')
    .answers(sidebarPlace)
    .refuses('forbidden', 'not_found')
    .put(`${room}/sidebar`, setPlace, async (ctx) => {
      ctx.body = await places.set(ctx.state.caller, ctx.params.roomId!, await setPlace.fields(ctx))
    })

const attachments = `${room}/attachments`
const attachment = `${attachments}/:id`

export const roomAttachmentRoutes = (service: RoomAttachments, uploads: UploadOptions): Routes =>
  newRoutes()
    .purpose('Upload a file to a room, for a message to link to')
    .answers(roomAttachment, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(attachments, accepts({ query: uploadParameters, body: 'file' }), async (ctx) => {
      const { caller } = ctx.state
      const uploaded = await receiveUpload(ctx, uploads, (begin) =>
        service.add(caller, ctx.params.roomId!, begin),
      )
      ctx.status = 201
      ctx.body = uploaded
    })
    .purpose('Read a file of a room')
    .answers('application/octet-stream')
    .answersHeaders(fileHeaders)
    .refuses('forbidden', 'not_found', 'too_large')
    .get(attachment, accepts({ headers: rangeConditions }), (ctx) => {
      sendFile(ctx, service.open(ctx.state.caller, ctx.params.roomId!, ctx.params.id!))
    })
    .purpose('Delete a file of a room')
    .answers(z.object({ id: z.string(), deleted: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(attachment, async (ctx) => {
      ctx.body = await service.remove(ctx.state.caller, ctx.params.roomId!, ctx.params.id!)
    })
