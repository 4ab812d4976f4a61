import {
  enclosingHome,
  hasHomeRemains,
  holdsProjects,
  isHome,
  isRestoreUnfinished,
  projectMarkers,
} from '../../data/home.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { isProjectId, markerName } from '../projects/project-folders.ts'

export const workspaceExists = (home: string): boolean => isHome(home)

export const hasOrphanedProjects = (home: string): boolean => !isHome(home) && holdsProjects(home)

export const hasWorkspaceFiles = (home: string): boolean => hasHomeRemains(home)

/** A folder with a marker belongs to a workspace, whose database may be on an unmounted disk. */
export function requireNoOrphanedProjects(home: string): void {
  if (workspaceExists(home)) return
  const markers = [...projectMarkers(home, markerName)].filter(([, id]) => id !== null && isProjectId(id))
  if (markers.length === 0) return
  const folders = markers.map(([folder]) => folder)
  throw new WorkspaceError(
    'conflict',
    `The database of ${home} is missing, and the folders ${folders.slice(0, 5).join(', ')}${folders.length > 5 ? ' …' : ''} in projects/ belong to a workspace. ` +
      'Mount the disk that .workroom is on, or put .workroom/workroom.db back. If it is lost, rebuild it ' +
      `from the snapshots and the files: workroom repair --home ${home}`,
  )
}

export function requireWorkspace(home: string): void {
  if (workspaceExists(home)) return
  throw new WorkspaceError(
    'not_found',
    `There is no workspace in ${home}. Create one with: workroom init --home ${home} --name ORG --owner NAME`,
  )
}

/** @throws WorkspaceError `conflict` after an interrupted restore */
export function requireRestoreFinished(home: string): void {
  if (!isRestoreUnfinished(home)) return
  throw new WorkspaceError(
    'conflict',
    `A restore into ${home} was interrupted. Remove the folder, and restore the backup again.`,
  )
}

/** A database in a project's folder would be published, synchronized and edited like a document. */
export function requireOutsideProjects(home: string): void {
  if (enclosingHome(home) !== null) {
    throw new WorkspaceError(
      'conflict',
      `${home} is in a project of another workspace. Choose another folder.`,
    )
  }
  if (enclosingHome(`${home}/.workroom`) !== null) {
    throw new WorkspaceError(
      'conflict',
      `The database of ${home} is in a project's folder. Move the folder .workroom out of it.`,
    )
  }
}
