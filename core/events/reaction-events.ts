import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { EventPresenter } from './kinds.ts'

export interface ReactionEvent {
  type: 'message.reaction'
  roomId: string
  messageId: string
  actorId: string
  detail: { emoji: string; removed: boolean }
}

interface ReactionEventDeps {
  messages: MessagesTable
  rooms: RoomsTable
  members: MemberStore
}

/** Reactions to messages (`docs/interface.md#events`), to those who see the messages. */
export const reactionEvents = ({ messages, rooms, members }: ReactionEventDeps): EventPresenter => ({
  visibilityFor({ roomId, messageId, actorId }, { caller, filter, rooms: visible }) {
    if (!visible.has(roomId!) || (actorId === caller.member.id && !filter.ownMessages)) return null
    return messages.find(messageId!)?.deletedMs === null ? '' : null
  },
  json({ atMs, roomId, messageId, actorId, detail }) {
    const { emoji, removed } = JSON.parse(detail) as ReactionEvent['detail']
    const author = members.find(actorId!)!
    const threadId = messages.find(messageId!)?.threadId ?? null
    return JSON.stringify({
      type: 'message.reaction',
      ts: atMs,
      roomId,
      roomName: rooms.find(roomId!)!.name,
      messageId,
      ...(threadId !== null && { threadId }),
      emoji,
      removed,
      author: author.name,
      authorId: author.id,
      authorType: author.type,
    })
  },
})
