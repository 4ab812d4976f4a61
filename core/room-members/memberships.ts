import type { RoomMembersTable } from '../../data/tables/room-members.ts'
import type { RoomRow, RoomsTable } from '../../data/tables/rooms.ts'
import type { Member, MemberType } from '../access/member.ts'
import { mayReadProject, requireInRoom, requireProject } from '../access/permissions.ts'
import type { Project } from '../access/project.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Clock } from '../time/clock.ts'
import type { Involvement } from './involvement.ts'

interface MembershipsDeps {
  rooms: RoomsTable
  roomMembers: RoomMembersTable
  members: MemberStore
  projects: ProjectStore
  clock: Clock
}

/** In a direct room everything is meant for an agent that is in it. */
const defaultInvolvement = (type: MemberType, room: Pick<RoomRow, 'type'>): Involvement =>
  type === 'human' || room.type === 'direct' ? 'everything' : 'mentions'

/**
 * Reads from the database each time, because another process may change it. A member who has left the room's
 * project keeps the row and is not in the room. Changes must be called inside a commit.
 */
export class Memberships {
  constructor(private readonly deps: MembershipsDeps) {}

  find(idOrSlug: string): RoomRow | null {
    const { rooms } = this.deps
    return rooms.find(idOrSlug) ?? rooms.findBySlug(idOrSlug.normalize('NFC')) ?? null
  }

  require(idOrSlug: string): RoomRow {
    const room = this.find(idOrSlug)
    if (room) return room
    throw new WorkspaceError('not_found', `There is no room ${idOrSlug}.`, { next: { step: 'list rooms' } })
  }

  /** @throws WorkspaceError `not_found`; `forbidden` if the member is not in the room, saying how to join */
  requireIn(member: Member, idOrSlug: string): RoomRow {
    const room = this.require(idOrSlug)
    this.requireEntryToProject(room, member)
    requireInRoom(room, this.isIn(room, member))
    return room
  }

  requireEntryToProject(room: RoomRow, member: Member): void {
    const project = this.projectOf(room)
    if (project) requireProject(member, project, this.deps.projects.roleOf(project, member))
  }

  /** True for a room without a project. */
  mayEnterProjectOf(room: RoomRow, member: Member): boolean {
    const project = this.projectOf(room)
    return project === null || mayReadProject(this.deps.projects.roleOf(project, member))
  }

  isIn(room: RoomRow, member: Member): boolean {
    return (
      this.deps.roomMembers.find(room.id, member.id) !== undefined && this.mayEnterProjectOf(room, member)
    )
  }

  mayRead(room: RoomRow, member: Member): boolean {
    return room.type === 'open' ? this.mayEnterProjectOf(room, member) : this.isIn(room, member)
  }

  /** Active members, in the order in which they joined. */
  in(room: RoomRow): { member: Member; involvement: Involvement }[] {
    return this.deps.roomMembers.of(room.id).flatMap(({ memberId, involvement }) => {
      const member = this.deps.members.find(memberId)
      const isEligible = member?.status === 'active' && this.mayEnterProjectOf(room, member)
      return isEligible ? [{ member, involvement }] : []
    })
  }

  requireEligible(room: RoomRow, member: Member): void {
    if (member.status !== 'active') {
      throw new WorkspaceError('bad_request', `${member.name} is deactivated and cannot be in a room.`)
    }
    if (this.mayEnterProjectOf(room, member)) return
    throw new WorkspaceError(
      'bad_request',
      `${member.name} is not a member of the room's project. Add them to the project first.`,
    )
  }

  involvementOf(room: Pick<RoomRow, 'id'>, member: Member): Involvement | null {
    return this.deps.roomMembers.find(room.id, member.id)?.involvement ?? null
  }

  sidebarPlaceOf(room: Pick<RoomRow, 'id'>, member: Member): { favourite: boolean; section: string | null } {
    const row = this.deps.roomMembers.find(room.id, member.id)
    return { favourite: row?.isFavourite === 1, section: row?.section ?? null }
  }

  add(room: Pick<RoomRow, 'id' | 'type'>, member: Member): boolean {
    const { clock, roomMembers } = this.deps
    return roomMembers.add({
      roomId: room.id,
      memberId: member.id,
      involvement: defaultInvolvement(member.type, room),
      joinedMs: clock.now(),
    })
  }

  remove(room: RoomRow, member: Member): boolean {
    return this.deps.roomMembers.remove(room.id, member.id)
  }

  removeAll(room: RoomRow): void {
    this.deps.roomMembers.removeAll(room.id)
  }

  setInvolvement(room: RoomRow, member: Member, involvement: Involvement): void {
    this.deps.roomMembers.setInvolvement(room.id, member.id, involvement)
  }

  private projectOf({ id, projectId }: RoomRow): Project | null {
    if (projectId === null) return null
    const project = this.deps.projects.find(projectId)
    // Not null: without a project the room would be open to everybody.
    if (!project) throw new Error(`The project ${projectId} of the room ${id} is not known.`)
    return project
  }
}
