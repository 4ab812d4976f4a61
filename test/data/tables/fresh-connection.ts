import { join } from 'node:path'
import type { Test } from 'tap'
import type { Connection } from '../../../data/database.ts'
import { openDatabase } from '../../../data/open-database.ts'
import { type MemberRow, membersTable } from '../../../data/tables/members.ts'
import { type ProjectRow, projectsTable } from '../../../data/tables/projects.ts'
import type { RoomRow } from '../../../data/tables/rooms.ts'

/** Opens a connection to a fresh database until the test ends. */
export function freshConnection(t: Test): Connection {
  const database = openDatabase(join(t.testdir(), 'workroom.db'))
  t.teardown(() => database.close())
  return database.connection
}

export const memberRow = (id: string, name = id): MemberRow => ({
  id,
  name,
  type: 'human',
  role: 'member',
  status: 'active',
  email: '',
  ownerId: null,
  avatarUrl: '',
  statusText: '',
  description: '',
  emailNotifications: true,
  createdMs: 1,
})

export const projectRow = (id: string): ProjectRow => ({
  id,
  slug: id,
  folder: id,
  name: id,
  createdMs: 1,
  archivedMs: null,
  deletionsConfirmedMs: null,
  deletedMs: null,
  deletedBy: null,
  deletedFolder: null,
})

export const roomRow = (id: string): RoomRow => ({
  id,
  slug: id,
  name: id,
  type: 'open',
  description: '',
  projectId: null,
  creatorId: null,
  archivedMs: null,
  welcomesPeople: 0,
  createdMs: 1,
})

/** Opens a fresh database with a member `mem_1` and a project `prj_1`. */
export function populatedConnection(t: Test): Connection {
  const db = freshConnection(t)
  membersTable(db).insert(memberRow('mem_1'))
  projectsTable(db).insert(projectRow('prj_1'))
  return db
}
