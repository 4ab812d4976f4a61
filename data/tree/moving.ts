import type { Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { TreeDeps } from './deps.ts'
import { createDiskError, errnoOf, toDiskError } from './disk-errors.ts'
import { nameKey } from './names.ts'
import { joinHome } from './paths.ts'
import { displacedBy, linkOrRename, newStagedName } from './staging.ts'
import { sameFile, stampAfter, stampOf, statOrNull } from './stamps.ts'
import type { FileStamp, FileSystem, Tree } from './types.ts'

export const mover = (tree: TreeDeps): Pick<Tree, 'move' | 'moveFolder'> => ({
  move: (from, to) => move(tree, from, to),
  moveFolder: (from, to) => moveFolder(tree, from, to),
})

function move(tree: TreeDeps, from: string, to: string): FileStamp {
  const { fs, home, folders } = tree
  const source = joinHome(home, from)
  const target = joinHome(home, to)
  if (folders.statusAbove(source) !== 'real') throw createDiskError('ENOENT', 'moved', from)
  const created = folders.createParents(to, 'moved')
  try {
    const stats = statOrNull(fs, source)
    if (!stats?.isFile()) throw createDiskError(stats ? 'EINVAL' : 'ENOENT', 'moved', from)
    const existing = statOrNull(fs, target)
    if (existing && isRespelling(fs, source, stats, target, existing)) fs.renameSync(source, target)
    else {
      const outcome = existing ? 'taken' : linkOrRename(fs, source, target)
      if (outcome === 'taken') throw createDiskError('EEXIST', 'written', to)
      if (outcome === 'linked') removeOldName(tree, from, target, stats)
    }
    return stampAfter(fs, target, stampOf(stats))
  } catch (error) {
    folders.removeCreated(created)
    throw toDiskError(error, 'moved', from)
  }
}

/** Whether both are one name on a file system that ignores case or normal form. */
function isRespelling(fs: FileSystem, source: string, from: Stats, target: string, to: Stats): boolean {
  const isOneName = sameFile(from, to) && nameKey(source) === nameKey(target)
  // If both names are listed, they are two hard links.
  return isOneName && !fs.readdirSync(dirname(target)).includes(basename(target))
}

/** Keeps a new save under the first name. */
function removeOldName({ fs, staging }: TreeDeps, path: string, target: string, moved: Stats): void {
  const name = displacedBy(newStagedName())
  try {
    if (!staging.setAside(path, name)) return
  } catch (error) {
    fs.unlinkSync(target)
    throw error
  }
  const displaced = statOrNull(fs, staging.absolute(name))
  if (displaced === null || sameFile(displaced, moved)) {
    staging.confirmPlaced(name)
    staging.discard(name)
  } else staging.restoreIfPossible(path, name)
}

function moveFolder({ fs, home, folders }: TreeDeps, from: string, to: string): void {
  const source = joinHome(home, from)
  const target = joinHome(home, to)
  if (folders.find(source) === null) throw createDiskError('ENOENT', 'moved', from)
  let created: string[] = []
  try {
    created = folders.create(dirname(to))
    if (statOrNull(fs, target)?.isDirectory() === false) throw createDiskError('EEXIST', 'written', to)
    // The system refuses to replace a folder that is not empty.
    fs.renameSync(source, target)
  } catch (error) {
    folders.removeCreated(created)
    if (errnoOf(error) === 'ENOTEMPTY') throw createDiskError('EEXIST', 'written', to)
    throw toDiskError(error, 'moved', from)
  }
}
