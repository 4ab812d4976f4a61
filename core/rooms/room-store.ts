import type { RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { NewId } from '../ids.ts'
import type { MemberStore } from '../members/member-store.ts'
import { findDirectRoom } from '../room-members/direct-room.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { requireRoomDescription, requireRoomName, roomSlug } from '../room-members/naming.ts'
import type { Clock } from '../time/clock.ts'
import type { NewRoom, RoomChanges } from './types.ts'

interface RoomStoreDeps {
  clock: Clock
  newId: NewId
  rooms: RoomsTable
  members: MemberStore
  memberships: Memberships
}

/** Checks no caller. Changes must be called inside a commit. */
export class RoomStore {
  constructor(private readonly deps: RoomStoreDeps) {}

  joinedBy(member: Member): RoomRow[] {
    return this.filterAccessible(this.deps.rooms.joinedBy(member.id), member)
  }

  directOf(one: Member, other: Member): RoomRow | null {
    return findDirectRoom(one, other, this.deps)
  }

  openToJoin(member: Member): RoomRow[] {
    return this.filterAccessible(this.deps.rooms.openToJoin(member.id), member)
  }

  /** Returns null if another room has the slug now. */
  renamedFrom(slug: string): RoomRow | null {
    const { memberships, rooms } = this.deps
    return memberships.find(slug) ? null : (rooms.findByFormerSlug(slug.normalize('NFC')) ?? null)
  }

  add(creator: Member, request: NewRoom, projectId: string | null): RoomRow {
    const { clock, memberships, newId, rooms } = this.deps
    const { name, type, description = '' } = request
    const id = newId('room')
    const room: RoomRow = {
      id,
      slug: this.availableSlug(name, id),
      name,
      type,
      description,
      projectId,
      creatorId: creator.id,
      welcomesPeople: 0,
      createdMs: clock.now(),
      archivedMs: null,
    }
    const invitees = (request.members ?? []).map((member) => this.requireInvitee(room, member))
    rooms.insert(room)
    for (const member of [creator, ...invitees]) memberships.add(room, member)
    return room
  }

  /** A new name gives the room a new slug. */
  change(room: RoomRow, changes: RoomChanges): RoomRow {
    const { clock, rooms } = this.deps
    const { name = room.name, description = room.description, type = room.type, archived } = changes
    requireRoomName(name)
    requireRoomDescription(description)
    const slug = name === room.name ? room.slug : this.availableSlug(name, room.id)
    const sinceMs = room.archivedMs ?? clock.now()
    const archivedMs = archived === undefined ? room.archivedMs : archived ? sinceMs : null
    const changed = { ...room, slug, name, description, type, archivedMs }
    rooms.update(changed)
    if (slug !== room.slug) rooms.putFormer(room.slug, room.id)
    return changed
  }

  /** Removes its members. `DeletedRooms` deletes its messages afterwards. */
  delete(room: RoomRow, deletedBy: Member): void {
    const { clock, memberships, rooms } = this.deps
    memberships.removeAll(room)
    rooms.remove(room.id, clock.now(), deletedBy.id)
  }

  requireInvitee(room: RoomRow, idOrName: string): Member {
    const { members, memberships } = this.deps
    const member = members.resolve(idOrName)
    if (!member) {
      throw new WorkspaceError('bad_request', `There is no member ${idOrName}.`, {
        next: { step: 'list members' },
      })
    }
    memberships.requireEligible(room, member)
    return member
  }

  private filterAccessible(rooms: RoomRow[], member: Member): RoomRow[] {
    return rooms.filter((room) => this.deps.memberships.mayEnterProjectOf(room, member))
  }

  private availableSlug(name: string, id: string): string {
    const { rooms } = this.deps
    return roomSlug(name, id, (slug) => (rooms.findBySlug(slug)?.id ?? id) !== id)
  }
}
