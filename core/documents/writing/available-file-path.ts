import { nameKey } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { WorkspaceError } from '../../errors/workspace-error.ts'
import type { DocumentsDeps } from '../deps/deps.ts'
import { availablePath, pathInHome } from '../model/document-paths.ts'

/**
 * Returns the first name available in the table and on the disk, or `own`. Must be called inside a commit,
 * where names just allotted are seen. @throws WorkspaceError `conflict`, `unavailable`
 */
export function availableFilePath(
  deps: DocumentsDeps,
  project: Project,
  path: string,
  own: string | null = null,
): string {
  const { documents, tree } = deps
  const folder = path.slice(0, path.lastIndexOf('/'))
  for (let end = folder.indexOf('/'); end !== -1; end = folder.indexOf('/', end + 1)) {
    requireFolder(deps, project, folder.slice(0, end))
  }
  requireFolder(deps, project, folder)
  return availablePath(path, (candidate) => {
    if (candidate === own) return false
    const stat = tree.stat(pathInHome(project, candidate))
    // Otherwise no name would ever be available.
    if (stat.kind === 'skipped' && stat.reason === 'unreadable') {
      throw notAFolderError('unavailable', folder, 'it cannot be read; check its permissions')
    }
    return stat.kind !== 'missing' || documents.isTaken(project.id, nameKey(candidate))
  })
}

function requireFolder({ catalogue, tree }: DocumentsDeps, project: Project, folder: string): void {
  const stat = tree.stat(pathInHome(project, folder))
  if (stat.kind === 'file') throw notAFolderError('conflict', folder, 'it is a file')
  if (stat.kind === 'skipped' && stat.reason !== 'folder' && stat.reason !== 'unreadable') {
    const description = { symlink: 'a symbolic link, which is never followed', too_large: 'a file' }[
      stat.reason as string
    ]
    throw notAFolderError('conflict', folder, `it is ${description ?? 'not a folder'}`)
  }
  if (stat.kind !== 'missing') return
  // On many systems a folder cannot exist beside a file whose name differs in case alone.
  const clashing = catalogue
    .atSimilarPath(project.id, folder)
    .find((other) => tree.stat(pathInHome(project, other.path)).kind === 'file')
  if (clashing) throw notAFolderError('conflict', folder, `${clashing.path} is a file`)
}

const notAFolderError = (code: 'conflict' | 'unavailable', folder: string, reason: string) =>
  new WorkspaceError(
    code,
    `Nothing can be put into ${folder}: ${reason}.${code === 'conflict' ? ' Choose another folder.' : ''}`,
  )
