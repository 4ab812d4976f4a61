import type { EventRecord } from '../../data/tables/events.ts'
import type { MessagesTable } from '../../data/tables/messages.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import { broadcastIds } from '../inbox/audience.ts'
import { mentionedIds, previewOf } from '../markdown/canonical-mentions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { EventPresenter } from './kinds.ts'

export interface MessageEventDeps {
  messages: MessagesTable
  rooms: RoomsTable
  members: MemberStore
}

interface Message {
  threadId: string | null
  preview: string
  mentioned: ReadonlySet<string>
  isBroadcast: boolean
}

/** Messages in rooms (`docs/interface.md#events`), with their current text. */
export function messageEvents({ messages, rooms, members }: MessageEventDeps): EventPresenter {
  const cache = new Map<string, Message | null>()

  const read = (id: string): Message | null => {
    const row = messages.find(id)
    if (!row || row.deletedMs !== null) return null
    const mentioned = new Set(mentionedIds(row.body))
    return {
      threadId: row.threadId,
      preview: previewOf(row.body, members.names()),
      mentioned,
      isBroadcast: broadcastIds.some((id) => mentioned.has(id)),
    }
  }

  const find = (id: string): Message | null => {
    const cached = cache.get(id)
    if (cached !== undefined) return cached
    const message = read(id)
    cache.set(id, message)
    return message
  }

  return {
    visibilityFor({ roomId, messageId, actorId }, { caller, filter, rooms }) {
      const { id } = caller.member
      if (!rooms.has(roomId!) || (actorId === id && !filter.ownMessages)) return null
      const message = find(messageId!)
      if (!message) return null
      return message.isBroadcast || message.mentioned.has(id) ? 'mentioned' : ''
    },
    json({ atMs, roomId, messageId, actorId }: EventRecord, variant) {
      const author = members.find(actorId!)!
      const { preview, threadId } = find(messageId!)!
      return JSON.stringify({
        type: 'message',
        ts: atMs,
        roomId,
        roomName: rooms.find(roomId!)!.name,
        messageId,
        ...(threadId !== null && { threadId }),
        author: author.name,
        authorId: author.id,
        authorType: author.type,
        preview,
        mentioned: variant === 'mentioned',
      })
    },
  }
}

export type MessageMarkEvent = { roomId: string; messageId: string; actorId: string } & (
  | { type: 'message.reaction'; detail: { emoji: string; removed: boolean } }
  | { type: 'message.pin'; detail: { removed: boolean } }
)

/** Reactions and pins (`docs/interface.md#events`), to those who see the messages. */
export const messageMarkEvents = ({ messages, rooms, members }: MessageEventDeps): EventPresenter => ({
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
