import type { Database } from '../../data/database.ts'
import { formerProjectSlugsTable } from '../../data/tables/former-project-slugs.ts'
import { invitesTable } from '../../data/tables/invites.ts'
import { keysTable } from '../../data/tables/keys.ts'
import { membersTable } from '../../data/tables/members.ts'
import { projectMembersTable } from '../../data/tables/project-members.ts'
import { projectsTable } from '../../data/tables/projects.ts'
import { type RoomMembersTable, roomMembersTable } from '../../data/tables/room-members.ts'
import { type RoomsTable, roomsTable } from '../../data/tables/rooms.ts'
import { signinLinksTable } from '../../data/tables/signin-links.ts'
import type { NewId, RandomBytes } from '../ids.ts'
import { InviteStore } from '../members/invite-store.ts'
import { MemberStore } from '../members/member-store.ts'
import { ProjectStore } from '../projects/project-store.ts'
import { Memberships } from '../room-members/memberships.ts'
import { joinWelcomeRoom } from '../room-members/welcome-room.ts'
import { SigninLinks } from '../sessions/signin-links.ts'
import type { Clock } from '../time/clock.ts'

export interface PeopleAndProjects {
  members: MemberStore
  invites: InviteStore
  signinLinks: SigninLinks
  projects: ProjectStore
  memberships: Memberships
  rooms: RoomsTable
  roomMembers: RoomMembersTable
}

export function openPeopleAndProjects(deps: {
  database: Database
  clock: Clock
  random: RandomBytes
  newId: NewId
}): PeopleAndProjects {
  const db = deps.database.connection
  const rooms = roomsTable(db)
  const roomMembers = roomMembersTable(db)
  const members = new MemberStore({
    ...deps,
    members: membersTable(db),
    keys: keysTable(db),
    onAdded: (member) => joinWelcomeRoom(member, { rooms, memberships }),
  })
  const projects = new ProjectStore({
    ...deps,
    projects: projectsTable(db),
    projectMembers: projectMembersTable(db),
    formerProjectSlugs: formerProjectSlugsTable(db),
  })
  const memberships = new Memberships({ ...deps, rooms, roomMembers, members, projects })
  const invites = new InviteStore({ ...deps, invites: invitesTable(db) })
  const signinLinks = new SigninLinks({ ...deps, signinLinks: signinLinksTable(db), members })
  return { members, invites, signinLinks, projects, memberships, rooms, roomMembers }
}
