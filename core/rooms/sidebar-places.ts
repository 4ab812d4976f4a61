import type { Database } from '../../data/database.ts'
import type { RoomMembersTable } from '../../data/tables/room-members.ts'
import type { Caller } from '../access/member.ts'
import { requireScope } from '../access/permissions.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { Memberships } from '../room-members/memberships.ts'
import type { SidebarPlace } from './types.ts'

interface SidebarPlacesDeps {
  database: Database
  memberships: Memberships
  roomMembers: RoomMembersTable
}

const maxSectionLength = 40

/** Where members have rooms in their sidebars. */
export class SidebarPlaces {
  constructor(private readonly deps: SidebarPlacesDeps) {}

  /** A blank section, or null, is none. */
  async set(
    caller: Caller,
    idOrSlug: string,
    changes: { favourite?: boolean; section?: string | null },
  ): Promise<SidebarPlace> {
    requireScope(caller, 'rooms:write')
    const { database, memberships, roomMembers } = this.deps
    return commitOrUnavailable(database, () => {
      const room = memberships.requireIn(caller.member, idOrSlug)
      const row = roomMembers.find(room.id, caller.member.id)!
      const { favourite = row.isFavourite === 1 } = changes
      const section = changes.section === undefined ? row.section : requireSection(changes.section ?? '')
      roomMembers.setSidebarPlace({
        roomId: room.id,
        memberId: caller.member.id,
        isFavourite: favourite ? 1 : 0,
        section,
      })
      return { favourite, section }
    })
  }
}

function requireSection(name: string): string | null {
  const section = name.trim().normalize('NFC')
  if ([...section].length <= maxSectionLength && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(section))
    return section || null
  throw new WorkspaceError(
    'bad_request',
    `The name of a section is one line of at most ${maxSectionLength} characters.`,
  )
}
