import type { TreeDeps } from './deps.ts'
import { errnoOf, toDiskError } from './disk-errors.ts'
import { joinHome } from './paths.ts'
import { statPath } from './stamps.ts'
import type { Tree } from './types.ts'

export const linkRemover = (tree: TreeDeps): Pick<Tree, 'isLink' | 'removeLink'> => ({
  isLink: (path) => isLink(tree, path),
  removeLink: (path) => removeLink(tree, path),
})

function isLink({ fs, home, folders }: TreeDeps, path: string): boolean {
  const target = joinHome(home, path)
  if (folders.statusAbove(target) !== 'real') return false
  const stat = statPath(fs, target, Infinity)
  return stat.kind === 'skipped' && stat.reason === 'symlink'
}

/** The last check is one system call before the removal, so that nothing else is removed. */
function removeLink(tree: TreeDeps, path: string): boolean {
  const { fs, home } = tree
  try {
    if (!isLink(tree, path)) return false
    fs.unlinkSync(joinHome(home, path))
    return true
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw toDiskError(error, 'removed', path)
  }
}
