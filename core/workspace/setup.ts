import { openDatabase } from '../../data/database.ts'
import {
  clearUnfinishedDatabase,
  createHome,
  publishDatabase,
  unfinishedDatabasePath,
} from '../../data/home.ts'
import { type WorkspaceRow, workspaceTable } from '../../data/tables/workspace.ts'
import { lockHome, openTree, type Tree } from '../../data/tree/index.ts'
import type { Member } from '../access/member.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import {
  hasOrphanedProjects,
  requireNoOrphanedProjects,
  requireOutsideProjects,
  requireRestoreFinished,
  workspaceExists,
} from '../home/home.ts'
import { newIdFactory, type RandomBytes, systemRandom } from '../ids.ts'
import { createProjectFolders, readmeText } from '../projects/project-folders.ts'
import type { ProjectStore } from '../projects/project-store.ts'
import { welcomeText } from '../projects/welcome.ts'
import { ensureWelcomeRoom } from '../room-members/welcome-room.ts'
import { slugOf } from '../text/slug.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { openPeopleAndProjects } from './directories.ts'
import { requireWorkspaceName } from './workspace-name.ts'

interface NewWorkspace {
  /** Absolute path of a folder, created if missing. */
  home: string
  name: string
  /** Display name of the first owner. */
  owner: string
  email?: string
  /** Whether drafts are readable by this user of the machine only. Default true. */
  isPrivate?: boolean
  clock?: Clock
  random?: RandomBytes
}

export interface CreatedWorkspace {
  workspace: WorkspaceRow
  /** The first owner. */
  member: Member
  /** The owner's key, which is only returned once. */
  key: string
}

/**
 * Creates a workspace: its owner with a key, the room `general`, and the project `general` with a welcome page, as
 * plain files that the server ingests when it starts. The database gets its name last; files in the folder stay.
 * @throws WorkspaceError `bad_request` for an invalid name or address; `conflict` if the home has a workspace, or
 * lost its database
 * @throws HomeLockedError if it is in use.
 */
export async function createWorkspace(request: NewWorkspace): Promise<CreatedWorkspace> {
  const { home } = request
  requireWorkspaceName(request.name)
  requireOutsideProjects(home)
  requireRestoreFinished(home)
  requireNoOrphanedProjects(home)
  createHome(home)
  const lock = lockHome(home)
  try {
    if (workspaceExists(home)) throw new WorkspaceError('conflict', `${home} holds a workspace already.`)
    clearUnfinishedDatabase(home)
    const created = await build(request, addGeneral)
    publishDatabase(home)
    return created
  } finally {
    lock.release()
  }
}

/**
 * Creates a workspace for projects whose database is lost: an owner with a key, and the room `general`. The next
 * start adopts the projects under the ids in their markers. Requires the home's lock.
 */
export async function createWorkspaceForFolders(request: NewWorkspace): Promise<CreatedWorkspace> {
  clearUnfinishedDatabase(request.home)
  const created = await build(request, hasOrphanedProjects(request.home) ? null : addGeneral)
  publishDatabase(request.home)
  return created
}

type AddProject = (tree: Tree, projects: ProjectStore, lead: Member) => Promise<void>

const addGeneral: AddProject = async (tree, projects, lead) => {
  const general = await projects.add({ name: 'General', slug: 'general', lead })
  await createProjectFolders(tree, general, {
    readme: readmeText(general.name),
    welcome: welcomeText,
  })
}

async function build(request: NewWorkspace, addProject: AddProject | null): Promise<CreatedWorkspace> {
  const {
    home,
    name,
    owner,
    email = '',
    isPrivate = true,
    clock = systemClock,
    random = systemRandom,
  } = request
  const database = openDatabase(unfinishedDatabasePath(home))
  try {
    const newId = newIdFactory(clock, random)
    const directories = openPeopleAndProjects({ database, clock, random, newId })
    const { members, projects } = directories
    const id = newId('wsp')
    const workspace = { id, name, slug: slugOf(name) || id, createdMs: clock.now() }
    await database.commit(() => workspaceTable(database.connection).insert(workspace))
    await ensureWelcomeRoom({ ...directories, database, clock, newId })
    const { member, key } = await members.add({ name: owner, type: 'human', role: 'owner', email })
    await addProject?.(openTree(home, { isPrivate }), projects, member)
    return { workspace, member, key }
  } finally {
    await database.close()
  }
}
