import type { Database } from '../../data/database.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import type { NewId } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Clock } from '../time/clock.ts'
import type { Memberships } from './memberships.ts'
import { roomSlug } from './naming.ts'

const welcomeRoom = { name: 'general', description: 'For everything that concerns everyone.' }

/** Must be called inside the commit that adds the member. */
export function joinWelcomeRoom(
  member: Member,
  { rooms, memberships }: { rooms: RoomsTable; memberships: Memberships },
): void {
  const room = rooms.welcoming()
  if (room) memberships.add(room, member)
}

/** Creates the room that all new members join, if the workspace has none. */
export async function ensureWelcomeRoom(deps: {
  database: Database
  rooms: RoomsTable
  memberships: Memberships
  members: MemberStore
  clock: Clock
  newId: NewId
}): Promise<void> {
  const { clock, database, members, memberships, newId, rooms } = deps
  if (rooms.welcoming()) return
  await database.commit(() => {
    if (rooms.welcoming()) return
    const id = newId('room')
    const slug = roomSlug(welcomeRoom.name, id, (slug) => rooms.findBySlug(slug) !== undefined)
    const createdMs = clock.now()
    rooms.insert({
      ...welcomeRoom,
      id,
      slug,
      type: 'open',
      projectId: null,
      creatorId: null,
      welcomesPeople: 1,
      createdMs,
    })
    for (const member of members.active()) memberships.add({ id, type: 'open' }, member)
  })
}
