import { nameKey, sameFile, type Tree } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { pathInHome } from '../model/document-paths.ts'

/**
 * Whether two paths of a project, which differ in case or normal form alone, lead to one file, as they do on a disk that
 * takes one name for the other.
 */
export function isSameFile(
  tree: Tree,
  project: Pick<Project, 'folder'>,
  path: string,
  other: string,
): boolean {
  if (nameKey(path) !== nameKey(other)) return false
  const one = tree.statAnySize(pathInHome(project, path))
  const same = tree.statAnySize(pathInHome(project, other))
  return one.kind === 'file' && same.kind === 'file' && sameFile(one.stamp, same.stamp)
}
