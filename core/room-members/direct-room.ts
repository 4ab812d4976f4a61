import type { NewRoomRow, RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import type { NewId } from '../ids.ts'
import type { Clock } from '../time/clock.ts'
import type { Memberships } from './memberships.ts'
import { maxNameLength, roomSlug } from './naming.ts'

export interface DirectRoomDeps {
  rooms: RoomsTable
  memberships: Memberships
  clock: Clock
  newId: NewId
}

/** The oldest direct room of two members and nobody else. */
export function findDirectRoom(
  one: Member,
  other: Member,
  { memberships, rooms }: Pick<DirectRoomDeps, 'memberships' | 'rooms'>,
): RoomRow | null {
  const isBetweenBoth = (room: RoomRow): boolean => {
    if (room.type !== 'direct') return false
    const ids = memberships.in(room).map(({ member }) => member.id)
    return ids.length === 2 && ids.includes(one.id) && ids.includes(other.id)
  }
  return rooms.joinedBy(one.id).find(isBetweenBoth) ?? null
}

export function findOrCreateDirectRoom(one: Member, other: Member, deps: DirectRoomDeps): RoomRow {
  const { clock, memberships, newId, rooms } = deps
  const existing = findDirectRoom(one, other, deps)
  if (existing) return existing
  const id = newId('room')
  const name = [...`${one.name} and ${other.name}`].slice(0, maxNameLength).join('').trim()
  const room: NewRoomRow = {
    id,
    name,
    slug: roomSlug(name, id, (slug) => rooms.findBySlug(slug) !== undefined),
    type: 'direct',
    description: '',
    projectId: null,
    creatorId: one.id,
    welcomesPeople: 0,
    createdMs: clock.now(),
  }
  rooms.insert(room)
  for (const member of [one, other]) memberships.add(room, member)
  return { ...room, archivedMs: null }
}
