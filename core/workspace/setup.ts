import {
  clearUnfinishedDatabase,
  createHome,
  publishDatabase,
  unfinishedDatabasePath,
} from '../../data/home.ts'
import { openDatabase } from '../../data/open-database.ts'
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
  /** Absolute; created if missing. */
  home: string
  name: string
  owner: string
  email?: string
  /** Whether drafts are readable by this user of the machine only. Default true. */
  isPrivate?: boolean
  clock?: Clock
  random?: RandomBytes
}

export interface CreatedWorkspace {
  workspace: WorkspaceRow
  member: Member
  /** Returned only once. */
  key: string
}

/**
 * The database gets its final name last. Other files in the folder stay.
 * @throws WorkspaceError `bad_request` for the name or address; `conflict` if the home has or lost its
 * database; HomeLockedError
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
    if (workspaceExists(home)) throw new WorkspaceError('conflict', `${home} already holds a workspace.`)
    clearUnfinishedDatabase(home)
    const created = await build(request, addGeneral)
    publishDatabase(home)
    return created
  } finally {
    lock.release()
  }
}

/** For projects whose database is lost, which the next start adopts. Requires the home's lock. */
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
