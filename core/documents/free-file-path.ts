import { nameKey } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors.ts'
import type { Project } from '../projects/types.ts'
import type { Parts } from './parts.ts'
import { freePath, homePathOf } from './places.ts'

/**
 * Where a file can be put, within its project: the first of its names that is free in the table and on the
 * disk. To be called inside a commit, where names that were just given away are seen.
 * @param own a path that the document has already, and may keep
 * @throws WorkspaceError `unavailable` where no file can be put into the folder
 */
export function freeFilePath(
  { documents, tree }: Parts,
  project: Project,
  path: string,
  own: string | null = null,
): string {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const way = tree.look(homePathOf(project, folder))
  if (way.kind === 'file') throw notAFolder(folder, 'it is a file')
  if (way.kind === 'odd' && way.odd === 'symlink') {
    throw notAFolder(folder, 'a symbolic link is never followed')
  }
  return freePath(path, (candidate) => {
    if (candidate === own) return false
    const look = tree.look(homePathOf(project, candidate))
    // In a folder that cannot be looked into no name would ever be free.
    if (look.kind === 'odd' && look.odd === 'unreadable') {
      throw notAFolder(folder, 'it cannot be looked into; check its permissions')
    }
    return look.kind !== 'missing' || documents.isTaken(project.id, nameKey(candidate))
  })
}

const notAFolder = (folder: string, reason: string) =>
  new WorkspaceError('unavailable', `Nothing can be put into ${folder}: ${reason}.`)
