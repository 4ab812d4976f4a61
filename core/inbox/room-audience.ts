import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { OnlinePresence } from '../members/online-presence.ts'
import type { Involvement } from '../room-members/involvement.ts'
import type { Memberships } from '../room-members/memberships.ts'

/** A mention by name still notifies them. */
const ignoresBroadcasts: readonly Involvement[] = ['nothing', 'invisible']

export const isNotifiedByName = (
  member: Member,
  room: RoomRow,
  { memberships }: { memberships: Memberships },
): boolean =>
  member.status === 'active' &&
  (memberships.isIn(room, member) || (member.type === 'human' && memberships.mayRead(room, member)))

/** Excludes the author. Outside of the room only people who could join it count, by id or `@everyone`. */
export function roomAudience(
  mentioned: readonly string[],
  room: RoomRow,
  authorId: string,
  parts: { members: MemberStore; memberships: Memberships; presence: OnlinePresence },
): string[] {
  const { members, memberships, presence } = parts

  const listening = (): string[] =>
    memberships
      .in(room)
      .filter(({ involvement }) => !ignoresBroadcasts.includes(involvement))
      .map(({ member }) => member.id)
  const outside = (): string[] => {
    if (room.type !== 'open') return []
    const inside = new Set(memberships.in(room).map(({ member }) => member.id))
    return members
      .active()
      .filter(({ id, type }) => type === 'human' && !inside.has(id))
      .filter((member) => memberships.mayRead(room, member))
      .map(({ id }) => id)
  }
  const reach = (id: string): string[] => {
    if (id === '__channel__') return listening()
    if (id === '__here__') return listening().filter((memberId) => presence.isOnline(memberId))
    if (id === '__everyone__') return [...listening(), ...outside()]
    const member = members.find(id)
    return member && isNotifiedByName(member, room, parts) ? [id] : []
  }

  const reached = new Set(mentioned.flatMap(reach))
  reached.delete(authorId)
  return [...reached]
}
