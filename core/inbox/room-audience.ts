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
  deps: { members: MemberStore; memberships: Memberships; presence: OnlinePresence },
): string[] {
  const { members, memberships, presence } = deps

  const broadcastMembers = (): string[] =>
    memberships
      .in(room)
      .filter(({ involvement }) => !ignoresBroadcasts.includes(involvement))
      .map(({ member }) => member.id)
  const peopleOutside = (): string[] => {
    if (room.type !== 'open') return []
    const inside = new Set(memberships.in(room).map(({ member }) => member.id))
    return members
      .active()
      .filter(({ id, type }) => type === 'human' && !inside.has(id))
      .filter((member) => memberships.mayRead(room, member))
      .map(({ id }) => id)
  }
  const expand = (id: string): string[] => {
    if (id === '__channel__') return broadcastMembers()
    if (id === '__here__') return broadcastMembers().filter((memberId) => presence.isOnline(memberId))
    if (id === '__everyone__') return [...broadcastMembers(), ...peopleOutside()]
    const member = members.find(id)
    return member && isNotifiedByName(member, room, deps) ? [id] : []
  }

  const audience = new Set(mentioned.flatMap(expand))
  audience.delete(authorId)
  return [...audience]
}
