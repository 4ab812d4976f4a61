import type { Database } from '../../data/database.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Caller, Member } from '../access/member.ts'
import { requirePerson, requireRoomManager, requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Events } from '../events/events.ts'
import type { RoomChangeEvent } from '../events/room-events.ts'
import type { Notices } from '../inbox/notices.ts'
import type { MemberStore } from '../members/member-store.ts'
import { requireUnarchived } from '../room-members/archiving.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { Clock } from '../time/clock.ts'
import type { DeletedRooms } from './deleted-rooms.ts'
import type { RoomStore } from './room-store.ts'
import { roomView } from './room-view.ts'
import type { RoomChanges, RoomView } from './types.ts'
import type { TypingSignals } from './typing.ts'

interface RoomManagementDeps {
  clock: Clock
  database: Database
  events: Pick<Events, 'append'>
  rooms: RoomStore
  deletedRooms: Pick<DeletedRooms, 'start'>
  members: MemberStore
  memberships: Memberships
  noticeStore: Notices
  typing: TypingSignals
}

/** A person in a room may change its name and description, those who manage it everything else. */
export class RoomManagement {
  constructor(private readonly deps: RoomManagementDeps) {}

  async change(caller: Caller, idOrSlug: string, changes: RoomChanges): Promise<RoomView> {
    requireScope(caller, 'rooms:write')
    const { memberships, rooms } = this.deps
    return this.commit(() => {
      const isManaged = changes.type !== undefined || changes.archived !== undefined
      const room = isManaged
        ? this.requireManaged(caller, idOrSlug, 'change who a room is open to, or archive it')
        : memberships.requireIn(caller.member, idOrSlug)
      requirePerson(caller.member, 'change a room')
      // The response also shows what does not change.
      requireScope(caller, 'rooms:read')
      requireChangeable(room, changes)
      const changed = rooms.change(room, changes)
      for (const change of changesBetween(room, changed)) this.publish(caller, room, { change })
      return roomView(changed, memberships.isIn(room, caller.member))
    })
  }

  /** Idempotent. Notifies the member, unless it is the caller. */
  async removeMember(caller: Caller, idOrSlug: string, idOrName: string): Promise<{ removed: true }> {
    requireScope(caller, 'rooms:write')
    const { clock, memberships, noticeStore, typing } = this.deps
    const { room, member } = await this.commit(() => {
      const room = this.requireManaged(caller, idOrSlug, 'remove members from a room')
      requireNotDirect(room, 'Members cannot be removed from a direct room.')
      const member = this.requireMember(idOrName)
      if (memberships.remove(room, member)) {
        this.publish(caller, room, { change: 'removed', memberId: member.id })
        noticeStore.addForRemoval(member.id, room, { actorId: caller.member.id, atMs: clock.now() })
      }
      return { room, member }
    })
    typing.end(room.id, member.id)
    return { removed: true }
  }

  /** @param name of the room, as a confirmation */
  async delete(caller: Caller, idOrSlug: string, name: string | undefined): Promise<{ deleted: true }> {
    requireScope(caller, 'rooms:write')
    await this.commit(() => {
      const room = this.requireManaged(caller, idOrSlug, 'delete a room')
      requireNotDirect(room, 'A direct room cannot be deleted. Leave it, or hide it from your sidebar.')
      requireNotWelcoming(room, 'deleted')
      if (name !== room.name) {
        throw new WorkspaceError(
          'bad_request',
          `This permanently deletes the room with all its messages. To confirm, send its name: ?name=${encodeURIComponent(room.name)}`,
        )
      }
      this.deps.rooms.delete(room, caller.member)
    })
    this.deps.deletedRooms.start()
    return { deleted: true }
  }

  private requireManaged(caller: Caller, idOrSlug: string, action: string): RoomRow {
    const { memberships } = this.deps
    const room = memberships.require(idOrSlug)
    memberships.requireEntryToProject(room, caller.member)
    requireRoomManager(caller.member, room, { isIn: memberships.isIn(room, caller.member), action })
    return room
  }

  private publish({ member }: Caller, { id }: RoomRow, detail: RoomChangeEvent['detail']): void {
    this.deps.events.append({ type: 'room.change', roomId: id, actorId: member.id, detail })
  }

  private requireMember(idOrName: string): Member {
    const member = this.deps.members.resolve(idOrName)
    if (member) return member
    throw new WorkspaceError('not_found', `There is no member ${idOrName}.`, {
      next: { step: 'list members' },
    })
  }

  private commit<T>(write: () => T): Promise<T> {
    return commitOrUnavailable(this.deps.database, write)
  }
}

function changesBetween(before: RoomRow, after: RoomRow): RoomChangeEvent['detail']['change'][] {
  const isArchived = after.archivedMs !== null
  return [
    ...(before.type === after.type
      ? []
      : [after.type === 'open' ? ('opened' as const) : ('closed' as const)]),
    ...((before.archivedMs !== null) === isArchived
      ? []
      : [isArchived ? ('archived' as const) : ('reopened' as const)]),
  ]
}

function requireChangeable(room: RoomRow, { name, description, type, archived }: RoomChanges): void {
  if (type !== undefined && type !== room.type) {
    requireNotDirect(
      room,
      'A direct room cannot be changed into another type. Create another room for more members.',
    )
    requireNotWelcoming(room, 'closed')
  }
  if (archived === true) {
    requireNotDirect(room, 'A direct room cannot be archived. Hide it from your sidebar instead.')
    requireNotWelcoming(room, 'archived')
  }
  // One request may open the room again and change it.
  const isWritten = [name, description, type].some((value) => value !== undefined)
  if (isWritten && archived !== false) requireUnarchived(room)
}

function requireNotDirect(room: RoomRow, message: string): void {
  if (room.type === 'direct') throw new WorkspaceError('conflict', message)
}

function requireNotWelcoming(room: RoomRow, action: string): void {
  if (!room.welcomesPeople) return
  throw new WorkspaceError(
    'conflict',
    `${room.name} is the room that all new members join: it cannot be ${action}.`,
  )
}
