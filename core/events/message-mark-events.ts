import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { EventPresenter } from './kinds.ts'

interface OnMessage {
  roomId: string
  messageId: string
  actorId: string
}

export type MessageMarkEvent = OnMessage &
  (
    | { type: 'message.reaction'; detail: { emoji: string; removed: boolean } }
    | { type: 'message.pin'; detail: { removed: boolean } }
  )

interface MessageMarkEventDeps {
  messages: MessagesTable
  rooms: RoomsTable
  members: MemberStore
}

/** Reactions and pins (`docs/interface.md#events`), to those who see the messages. */
export const messageMarkEvents = ({ messages, rooms, members }: MessageMarkEventDeps): EventPresenter => ({
  visibilityFor({ roomId, messageId, actorId }, { caller, filter, rooms: visibleRooms }) {
    if (!visibleRooms.has(roomId!) || (actorId === caller.member.id && !filter.ownMessages)) return null
    return messages.find(messageId!)?.deletedMs === null ? '' : null
  },
  json({ type, atMs, roomId, messageId, actorId, detail }) {
    const author = members.find(actorId!)!
    const threadId = messages.find(messageId!)?.threadId ?? null
    return JSON.stringify({
      type,
      ts: atMs,
      roomId,
      roomName: rooms.find(roomId!)!.name,
      messageId,
      ...(threadId !== null && { threadId }),
      ...(JSON.parse(detail) as MessageMarkEvent['detail']),
      author: author.name,
      authorId: author.id,
      authorType: author.type,
    })
  },
})
