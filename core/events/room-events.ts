import type { RoomsTable } from '../../data/tables/rooms.ts'
import { hasScope } from '../access/permissions.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { EventPresenter } from './kinds.ts'

export const roomChangeKinds = ['opened', 'closed', 'archived', 'reopened', 'removed'] as const

export interface RoomChangeEvent {
  type: 'room.change'
  roomId: string
  actorId: string
  detail: { change: (typeof roomChangeKinds)[number]; memberId?: string }
}

interface RoomEventDeps {
  rooms: RoomsTable
  members: MemberStore
}

/** A removed member sees the event, too. */
export const roomEvents = ({ rooms, members }: RoomEventDeps): EventPresenter => ({
  visibilityFor({ roomId, actorId, askerId }, { caller, filter, rooms: visibleRooms }) {
    if (actorId === caller.member.id && !filter.ownMessages) return null
    const isRemoved = askerId === caller.member.id && hasScope(caller, 'rooms:read')
    return (visibleRooms.has(roomId!) || isRemoved) && rooms.find(roomId!) ? '' : null
  },
  json({ atMs, actorId, roomId, detail }) {
    const { change, memberId } = JSON.parse(detail) as RoomChangeEvent['detail']
    const author = members.find(actorId!)!
    return JSON.stringify({
      type: 'room.change',
      ts: atMs,
      roomId,
      roomName: rooms.find(roomId!)!.name,
      change,
      ...(memberId !== undefined && { memberId, memberName: members.find(memberId)!.name }),
      author: author.name,
      authorId: author.id,
      authorType: author.type,
    })
  },
})
