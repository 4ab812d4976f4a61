import type { RoomRow } from '../../data/tables/rooms.ts'
import type { Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import type { MemberStore } from '../members/member-store.ts'
import type { Unreached } from '../members/unreached.ts'
import { membersPath } from '../paths.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import type { Memberships } from '../room-members/memberships.ts'
import { broadcastIds } from './audience.ts'
import { isNotifiedByName } from './room-audience.ts'

export type { Unreached } from '../members/unreached.ts'

/** Member ids and reserved broadcast ids, each with the name in the text. */
type MentionList = Iterable<readonly [id: string, name: string]>

export const unreachedField = (unreached: readonly Unreached[]): { unreached?: readonly Unreached[] } =>
  unreached.length === 0 ? {} : { unreached }

/** Mentioned members who are not notified, without broadcasts and the author. */
export function unreachedInRoom(
  mentioned: MentionList,
  room: RoomRow,
  authorId: string,
  deps: { members: MemberStore; memberships: Memberships },
): Unreached[] {
  return unreachedOf(mentioned, authorId, deps, (member) => {
    if (isNotifiedByName(member, room, deps)) return null
    const { name } = member
    if (!deps.memberships.mayEnterProjectOf(room, member)) {
      return `${name} is not in the project that the room ${room.name} belongs to. A lead, owner or admin can add ${name}.`
    }
    if (room.type !== 'open') {
      return `${name} is not in this ${room.type} room. A person who is in it can add ${name}.`
    }
    return `${name} is not in the room ${room.name}, and agents are notified only in rooms they belong to. A person in the room can add ${name}, or ${name} can join it.`
  })
}

export function unreachedInProject(
  mentioned: MentionList,
  project: Project,
  authorId: string,
  deps: { members: MemberStore; projects: ProjectStore },
): Unreached[] {
  return unreachedOf(mentioned, authorId, deps, (member) => {
    if (deps.projects.roleOf(project, member) !== null) return null
    const { name, type } = member
    const later = type === 'human' ? ' The mention waits in their inbox until then.' : ''
    return `${name} is not in the project ${project.slug}. Its lead, an owner or an admin can add ${name}.${later}`
  })
}

function unreachedOf(
  mentioned: MentionList,
  authorId: string,
  { members }: { members: MemberStore },
  reasonFor: (member: Member) => string | null,
): Unreached[] {
  const unreached: Unreached[] = []
  for (const [memberId, name] of new Map(mentioned)) {
    if (memberId === authorId || broadcastIds.some((id) => id === memberId)) continue
    const member = members.find(memberId)
    const reason =
      member === null
        ? `There is no member with the id ${memberId}. GET ${membersPath} lists the ids.`
        : member.status !== 'active'
          ? `${member.name} is deactivated.`
          : reasonFor(member)
    if (reason !== null) unreached.push({ memberId, name: member?.name ?? name, reason })
  }
  return unreached
}
