import { z } from 'zod'
import { memberTypes } from '../../core/access/member.ts'
import type { RoomAttachmentView } from '../../core/room-attachments/room-attachments.ts'
import { involvements } from '../../core/room-members/involvement.ts'
import {
  type MessageView,
  type PinView,
  type ReactionView,
  type RoomDetail,
  type RoomView,
  roomTypes,
  type SidebarPlace,
} from '../../core/rooms/types.ts'
import { author, model, time } from './model.ts'

export const room = model(
  'Room',
  z.object({
    _id: z.string(),
    name: z.string(),
    type: z.enum(roomTypes),
    description: z.string(),
    projectId: z.string().nullable(),
    joined: z.boolean(),
    archivedAt: time.exactOptional(),
  }) satisfies z.ZodType<RoomView>,
)

export const sidebarPlace = z.object({
  favourite: z.boolean(),
  section: z.string().nullable(),
}) satisfies z.ZodType<SidebarPlace>

export const roomDetail = model(
  'RoomDetail',
  z.object({
    ...room.shape,
    involvement: z.enum(involvements),
    ...sidebarPlace.shape,
    members: z.array(
      z.object({
        _id: z.string(),
        name: z.string(),
        type: z.enum(memberTypes),
        online: z.boolean(),
        here: z.boolean(),
      }),
    ),
    typing: z.array(z.object({ memberId: z.string(), name: z.string(), until: time })),
  }) satisfies z.ZodType<RoomDetail>,
)

export const reactions = z.array(
  z.object({
    emoji: z.string(),
    count: z.int(),
    members: z.array(z.object({ _id: z.string(), name: z.string() })),
  }) satisfies z.ZodType<ReactionView>,
)

const message = model(
  'Message',
  z.object({
    _id: z.string(),
    body: z.string(),
    _creationTime: time,
    author,
    sentVia: z.string().exactOptional(),
    threadId: z.string().exactOptional(),
    replyCount: z.int().exactOptional(),
    editedAt: time.exactOptional(),
    reactions: reactions.exactOptional(),
    pinned: z.literal(true).exactOptional(),
  }) satisfies z.ZodType<MessageView>,
)

export const pin = model(
  'Pin',
  z.object({ message, pinnedBy: author, pinnedAt: time }) satisfies z.ZodType<PinView>,
)

export const roomAttachment = model(
  'RoomAttachment',
  z.object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    size: z.int(),
    path: z.string(),
  }) satisfies z.ZodType<RoomAttachmentView>,
)

export const messagePage = model(
  'MessagePage',
  z.object({ page: z.array(message), continueCursor: z.string(), isDone: z.boolean() }),
)
