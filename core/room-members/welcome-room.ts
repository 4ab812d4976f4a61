import type { Database } from '../../data/database.ts'
import type { RoomsTable } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import type { NewId } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Clock } from '../time/clock.ts'
import type { Memberships } from './memberships.ts'
import { roomSlug } from './naming.ts'

const welcomeRoom = { name: 'general', description: 'For everything that concerns everyone.' }

/** Whoever is new is in the room that welcomes them, people and agents; to be called inside the commit that adds them. */
export function joinWelcomeRoom(
  member: Member,
  parts: { rooms: RoomsTable; memberships: Memberships },
): void {
  const room = parts.rooms.welcoming()
  if (room) parts.memberships.add(room, member)
}

/** Makes the open room that welcomes whoever is new, with all active members in it, where the workspace has none. */
export async function ensureWelcomeRoom(parts: {
  database: Database
  rooms: RoomsTable
  memberships: Memberships
  members: MemberStore
  clock: Clock
  newId: NewId
}): Promise<void> {
  const { clock, database, members, memberships, newId, rooms } = parts
  if (rooms.welcoming()) return
  await database.commit(() => {
    if (rooms.welcoming()) return
    const id = newId('room')
    const slug = roomSlug(welcomeRoom.name, id, (slug) => rooms.findBySlug(slug) !== undefined)
    const createdMs = clock.now()
    rooms.insert({ ...welcomeRoom, id, slug, type: 'open', projectId: null, welcomesPeople: 1, createdMs })
    for (const member of members.active()) memberships.add({ id }, member)
  })
}
