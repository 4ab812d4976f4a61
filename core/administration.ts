import { type Database, openDatabase } from '../data/database.ts'
import { databasePath } from '../data/home.ts'
import { type WorkspaceRow, workspaceTable } from '../data/tables/workspace.ts'
import { isServed, openTree, type Tree } from '../data/tree/index.ts'
import { systemClock } from './clock.ts'
import { type Directories, openDirectories } from './directories.ts'
import { requireOwnPlace, requireWorkspace } from './home.ts'
import { idMaker, systemRandom } from './ids.ts'
import type { Member } from './members/types.ts'
import { createProjectFolders, readmeText } from './projects/folders.ts'
import type { Project } from './projects/types.ts'

export interface Administration extends Directories {
  database: Database
  workspace: WorkspaceRow
  /** The base address at which it was served last; null where it never was. */
  address: string | null
  /** The exceptions of `outbound.allow` that a server which runs now was started with; null where none runs. */
  servedAllow(): string[] | null
  tree: Tree
  /** Adds a project with its folders. @throws WorkspaceError as `Projects.add`; DiskError */
  addProject(request: { name: string; slug?: string; lead: Member | null }): Promise<Project>
  close(): Promise<void>
}

/**
 * Opens a workspace for the command line, beside a server that may be running on it: no lock, no watcher, and no
 * documents, which are the server's. It notices what was changed here by itself.
 * @param home absolute path
 * @throws WorkspaceError `not_found` where no workspace lives
 */
export function openAdministration(home: string): Administration {
  requireWorkspace(home)
  requireOwnPlace(home)
  const database = openDatabase(databasePath(home))
  const newId = idMaker(systemClock, systemRandom)
  const directories = openDirectories({ database, clock: systemClock, random: systemRandom, newId })
  const tree = openTree(home)
  const workspace = workspaceTable(database.connection)
  return {
    ...directories,
    database,
    workspace: workspace.find()!,
    address: workspace.address(),
    servedAllow: () => (isServed(home) ? workspace.outboundAllow() : null),
    tree,
    async addProject(request) {
      // The row comes first: a running server would adopt a folder that nobody owns as a project of its own.
      const project = await directories.projects.add(request)
      createProjectFolders(tree, project, { readme: readmeText(project.name) })
      return project
    },
    close: () => database.close(),
  }
}
