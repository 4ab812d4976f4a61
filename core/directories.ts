import type { Database } from '../data/database.ts'
import { keysTable } from '../data/tables/keys.ts'
import { membersTable } from '../data/tables/members.ts'
import { projectMembersTable } from '../data/tables/project-members.ts'
import { projectsTable } from '../data/tables/projects.ts'
import type { Clock } from './clock.ts'
import type { NewId, RandomBytes } from './ids.ts'
import { Members } from './members/members.ts'
import { Projects } from './projects/projects.ts'

export interface Directories {
  members: Members
  projects: Projects
}

/** Opens who is in the workspace and what it is divided into, on a database that is open. */
export function openDirectories(parts: {
  database: Database
  clock: Clock
  random: RandomBytes
  newId: NewId
}): Directories {
  const db = parts.database.connection
  return {
    members: new Members({ ...parts, members: membersTable(db), keys: keysTable(db) }),
    projects: new Projects({
      ...parts,
      projects: projectsTable(db),
      projectMembers: projectMembersTable(db),
    }),
  }
}
