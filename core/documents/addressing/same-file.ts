import { nameKey, sameFile, type Tree } from '../../../data/tree/index.ts'
import type { Project } from '../../access/project.ts'
import { pathInHome } from '../model/document-paths.ts'

/** True for two spellings of one file, as on a case-insensitive disk. */
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
