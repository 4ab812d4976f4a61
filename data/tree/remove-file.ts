import type { TreeDeps } from './deps.ts'
import { declined, diskError, errnoOf } from './disk-errors.ts'
import { joinHome } from './paths.ts'
import { displacedBy, newStagedName } from './staging.ts'
import { sameContent, sameStamp, stampOf, statOrNull } from './stamps.ts'
import type { FileStamp, Tree } from './types.ts'

export const fileRemover = (tree: TreeDeps): Pick<Tree, 'remove' | 'removeSeen'> => ({
  remove: (path) => remove(tree, path),
  removeSeen: (path, seen) => removeSeen(tree, path, seen),
})

function remove({ fs, home, folders }: TreeDeps, path: string): boolean {
  const target = joinHome(home, path)
  try {
    const way = folders.statusAbove(target)
    if (way === 'missing') return false
    if (way !== 'real') throw declined('ENOTDIR', 'removed', path)
    const stats = statOrNull(fs, target)
    if (stats?.isDirectory()) throw declined('EISDIR', 'removed', path)
    if (stats) fs.unlinkSync(target)
    return stats !== null
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw diskError(error, 'removed', path)
  }
}

/** Sets the file aside first: a save after the check is either taken as well, and noticed, or remains. */
function removeSeen(tree: TreeDeps, path: string, seen: FileStamp): boolean {
  const { fs, home, folders, staging } = tree
  const target = joinHome(home, path)
  try {
    if (folders.statusAbove(target) !== 'real') return false
    const there = statOrNull(fs, target)
    if (!there?.isFile() || !sameStamp(stampOf(there), seen)) return false
    const name = displacedBy(newStagedName())
    if (!staging.setAside(path, name)) return false
    return dropIfSeen(tree, path, name, seen)
  } catch (error) {
    throw diskError(error, 'removed', path)
  }
}

/** A crash before the removal restores the file. */
function dropIfSeen({ fs, staging }: TreeDeps, path: string, name: string, seen: FileStamp): boolean {
  const taken = staging.stamp(name)
  const isAsSeen = taken !== null && sameContent(taken, seen)
  try {
    if (isAsSeen) fs.unlinkSync(staging.absolute(name))
  } catch (error) {
    staging.restoreIfPossible(path, name)
    throw error
  }
  if (isAsSeen) staging.confirmPlaced(name)
  else staging.restoreIfPossible(path, name)
  return isAsSeen
}
