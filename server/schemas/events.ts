import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'
import { projectRoles } from '../../core/access/project.ts'
import { askStates } from '../../core/asks/types.ts'
import { roomChangeKinds } from '../../core/events/room-events.ts'
import { model, time } from './model.ts'

const actor = { author: z.string(), authorId: z.string(), authorType: z.enum(memberTypes) }

const messageEvent = z.object({
  type: z.literal('message'),
  ts: time,
  roomId: z.string(),
  roomName: z.string(),
  messageId: z.string(),
  threadId: z.string().exactOptional(),
  ...actor,
  preview: z.string(),
  mentioned: z.boolean(),
})

const markedMessage = {
  ts: time,
  roomId: z.string(),
  roomName: z.string(),
  messageId: z.string(),
  threadId: z.string().exactOptional(),
  removed: z.boolean(),
  ...actor,
}

const reactionEvent = z.object({
  type: z.literal('message.reaction'),
  emoji: z.string(),
  ...markedMessage,
})

const pinEvent = z.object({ type: z.literal('message.pin'), ...markedMessage })

const askEvent = z.object({
  type: z.literal('ask'),
  ts: time,
  askId: z.string(),
  askState: z.enum(askStates),
  preview: z.string(),
  projectId: z.string(),
  chosenOption: z.string().nullable().exactOptional(),
  resolution: z.string().nullable().exactOptional(),
})

const documentFields = {
  ts: time,
  projectId: z.string(),
  docType: z.enum(['note', 'post', 'card']),
  docId: z.string(),
  // For another member's draft, instead of title, path and url.
  restricted: z.literal(true).exactOptional(),
  title: z.string().exactOptional(),
  path: z.string().exactOptional(),
  previousPath: z.string().exactOptional(),
  url: z.string().exactOptional(),
  ...actor,
  via: z.string(),
}

const writeEvent = z.object({
  type: z.literal('doc.write'),
  ...documentFields,
  changed: z.boolean().exactOptional(),
  created: z.literal(true).exactOptional(),
  blockIds: z.object({ rebound: z.int(), orphaned: z.int(), total: z.int() }).exactOptional(),
})

const deleteEvent = z.object({
  type: z.literal('doc.delete'),
  ...documentFields,
  deleted: z.literal(true),
})

const roomEvent = z.object({
  type: z.literal('room.change'),
  ts: time,
  roomId: z.string(),
  roomName: z.string(),
  change: z.enum(roomChangeKinds),
  memberId: z.string().exactOptional(),
  memberName: z.string().exactOptional(),
  ...actor,
})

const joinEvent = z.object({
  type: z.literal('project.join'),
  ts: time,
  projectId: z.string(),
  memberId: z.string(),
  memberName: z.string(),
  memberType: z.enum(memberTypes),
  role: z.enum(projectRoles),
  ...actor,
})

const skillEvent = z.object({
  type: z.literal('skill.publish'),
  ts: time,
  projectId: z.string(),
  name: z.string(),
  version: z.int(),
  // Null if it is no longer published.
  path: z.string().nullable(),
  // Absent for versions made on the disk.
  author: z.string().exactOptional(),
  authorId: z.string().exactOptional(),
  authorType: z.enum(memberTypes).exactOptional(),
})

const event = model(
  'Event',
  z.discriminatedUnion('type', [
    messageEvent,
    reactionEvent,
    pinEvent,
    askEvent,
    writeEvent,
    deleteEvent,
    joinEvent,
    roomEvent,
    skillEvent,
  ]),
)

export const eventPage = model('EventPage', z.object({ events: z.array(event), cursor: z.number() }))
