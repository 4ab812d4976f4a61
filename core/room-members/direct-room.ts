import type { RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
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

export function findOrCreateDirectRoom(one: Member, other: Member, deps: DirectRoomDeps): RoomRow {
  const { clock, memberships, newId, rooms } = deps
  const isTheirs = (room: RoomRow): boolean => {
    const ids = memberships.in(room).map(({ member }) => member.id)
    return room.type === 'direct' && ids.length === 2 && ids.includes(one.id) && ids.includes(other.id)
  }
  const known = rooms.joinedBy(one.id).find(isTheirs)
  if (known) return known
  const id = newId('room')
  const name = [...`${one.name} and ${other.name}`].slice(0, maxNameLength).join('').trim()
  const room: RoomRow = {
    id,
    name,
    slug: roomSlug(name, id, (slug) => rooms.findBySlug(slug) !== undefined),
    type: 'direct',
    description: '',
    projectId: null,
    welcomesPeople: 0,
    createdMs: clock.now(),
  }
  rooms.insert(room)
  for (const member of [one, other]) memberships.add(room, member)
  return room
}
