import type { Database } from '../../data/database.ts'
import type { RoomRow } from '../../data/tables/rooms.ts'
import { type WorkspaceRow, workspaceTable } from '../../data/tables/workspace.ts'
import { isServed, openTree, type Tree } from '../../data/tree/index.ts'
import type { Member } from '../access/member.ts'
import type { Project } from '../access/project.ts'
import { commitOrUnavailable } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { openHomeDatabase } from '../home/home-database.ts'
import { newIdFactory, systemRandom } from '../ids.ts'
import { createProject } from '../projects/creation.ts'
import { systemClock } from '../time/clock.ts'
import { openPeopleAndProjects, type PeopleAndProjects } from './directories.ts'
import { WorkspaceName } from './workspace-name.ts'

export interface CommandLineWorkspace extends PeopleAndProjects {
  database: Database
  workspace: WorkspaceRow
  identity: WorkspaceName
  /** The base URL of the last run; null if it was never served. */
  address: string | null
  /** The `outbound.allow` of the running server; null if none is running. */
  serverAllowList(): string[] | null
  tree: Tree
  /** Returns false if already in it. @throws WorkspaceError `bad_request` for a direct room */
  joinRoom(room: RoomRow, member: Member): Promise<boolean>
  /** @throws WorkspaceError as `createProject` */
  addProject(request: { name: string; slug?: string; lead: Member | null }): Promise<Project>
  close(): Promise<void>
}

/** Takes no lock: a server may be running, and notices changes. @throws WorkspaceError as `openHomeDatabase` */
export function openForCommandLine(home: string, { isPrivate = true } = {}): CommandLineWorkspace {
  const database = openHomeDatabase(home)
  const newId = newIdFactory(systemClock, systemRandom)
  const directories = openPeopleAndProjects({ database, clock: systemClock, random: systemRandom, newId })
  const tree = openTree(home, { isPrivate })
  const workspace = workspaceTable(database.connection)
  return {
    ...directories,
    database,
    workspace: workspace.find()!,
    identity: new WorkspaceName({ database, workspace }),
    address: workspace.address(),
    serverAllowList: () => (isServed(home) ? workspace.outboundAllow() : null),
    tree,
    async joinRoom(room, member) {
      if (room.type === 'direct') {
        throw new WorkspaceError('bad_request', 'Members cannot be added to a direct room.')
      }
      const { memberships } = directories
      memberships.requireEligible(room, member)
      return commitOrUnavailable(database, () => memberships.add(room, member))
    },
    addProject: (request) => createProject({ projects: directories.projects, tree }, request),
    close: () => database.close(),
  }
}
