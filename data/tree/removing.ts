import type { TreeDeps } from './deps.ts'
import { createDiskError, errnoOf, toDiskError } from './disk-errors.ts'
import { joinHome } from './paths.ts'
import { displacedBy, newStagedName } from './staging.ts'
import { sameContent, sameStamp, stampOf, statOrNull, statPath } from './stamps.ts'
import type { FileStamp, Tree } from './types.ts'

type Removing = Pick<Tree, 'remove' | 'removeIfUnchanged' | 'isLink' | 'removeLink'>

export const remover = (tree: TreeDeps): Removing => ({
  remove: (path) => remove(tree, path),
  removeIfUnchanged: (path, expected) => removeIfUnchanged(tree, path, expected),
  isLink: (path) => isLink(tree, path),
  removeLink: (path) => removeLink(tree, path),
})

function remove({ fs, home, folders }: TreeDeps, path: string): boolean {
  const target = joinHome(home, path)
  try {
    const status = folders.statusAbove(target)
    if (status === 'missing') return false
    if (status !== 'real') throw createDiskError('ENOTDIR', 'removed', path)
    const stats = statOrNull(fs, target)
    if (stats?.isDirectory()) throw createDiskError('EISDIR', 'removed', path)
    if (stats) fs.unlinkSync(target)
    return stats !== null
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false
    throw toDiskError(error, 'removed', path)
  }
}

/** Sets the file aside first: a save after the check is either taken as well, and noticed, or remains. */
function removeIfUnchanged(tree: TreeDeps, path: string, expected: FileStamp): boolean {
  const { fs, home, folders, staging } = tree
  const target = joinHome(home, path)
  try {
    if (folders.statusAbove(target) !== 'real') return false
    const existing = statOrNull(fs, target)
    if (!existing?.isFile() || !sameStamp(stampOf(existing), expected)) return false
    const name = displacedBy(newStagedName())
    if (!staging.setAside(path, name)) return false
    return deleteIfUnchanged(tree, path, name, expected)
  } catch (error) {
    throw toDiskError(error, 'removed', path)
  }
}

/** A crash before the removal restores the file. */
function deleteIfUnchanged(
  { fs, staging }: TreeDeps,
  path: string,
  name: string,
  expected: FileStamp,
): boolean {
  const stamp = staging.stamp(name)
  const isUnchanged = stamp !== null && sameContent(stamp, expected)
  try {
    if (isUnchanged) fs.unlinkSync(staging.absolute(name))
  } catch (error) {
    staging.restoreIfPossible(path, name)
    throw error
  }
  if (isUnchanged) staging.confirmPlaced(name)
  else staging.restoreIfPossible(path, name)
  return isUnchanged
}

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
