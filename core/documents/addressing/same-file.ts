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
  const stat = tree.statAnySize(pathInHome(project, path))
  const otherStat = tree.statAnySize(pathInHome(project, other))
  return stat.kind === 'file' && otherStat.kind === 'file' && sameFile(stat.stamp, otherStat.stamp)
}
