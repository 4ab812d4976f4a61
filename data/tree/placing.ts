import type { Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import { diskError, errnoOf, refusal } from './failures.ts'
import type { Folders } from './folders.ts'
import { nameKey } from './names.ts'
import { joinHome } from './paths.ts'
import { isLinkUnsupported, type Staging } from './staging.ts'
import { lookAt, sameContent, sameFile, sameStamp, stampOf, statOrNull } from './stamps.ts'
import type { FileStamp, FileSystem, Placed, Staged, Tree } from './types.ts'

/** How often a name that is taken and freed by others meanwhile is tried again. */
const placeAttempts = 5

/** The half of the tree that puts files in their places, renames and removes them. */
export function placer(
  fs: FileSystem,
  home: string,
  folders: Folders,
  staging: Staging,
): Pick<Tree, 'place' | 'placeNew' | 'move' | 'remove' | 'isLink' | 'removeLink'> {
  function place(staged: Staged, path: string, expected: FileStamp | null): Placed {
    const made = makeParents(path, 'written')
    try {
      for (let attempt = 0; attempt < placeAttempts; attempt++) {
        const placed = tryToPlace(staged, path, expected)
        if (placed) return placed
      }
      throw refusal('EBUSY', 'written', path)
    } catch (error) {
      folders.unmake(made)
      throw diskError(error, 'written', path)
    }
  }

  /** Null when the name was taken or freed between the look and the deed. */
  function tryToPlace(staged: Staged, path: string, expected: FileStamp | null): Placed | null {
    const target = joinHome(home, path)
    const there = statOrNull(fs, target)
    if (there === null) {
      if (putWhereNothingIs(staging.absolute(staged.name), target) === 'taken') return null
      staging.discard(staged.name)
      return { stamp: stampAfter(target, staged.stamp), displaced: null }
    }
    if (!there.isFile()) throw refusal('EEXIST', 'written', path)
    // A crash came between the link and the removal of its first name: it is in place already.
    if (sameFile(there, staged.stamp)) {
      staging.discard(staged.name)
      return { stamp: stampAfter(target, staged.stamp), displaced: null }
    }
    return replace(staged, path, stampOf(there), expected)
  }

  function replace(
    staged: Staged,
    path: string,
    there: FileStamp,
    expected: FileStamp | null,
  ): Placed | null {
    const target = joinHome(home, path)
    const kept = keepUnlessGone(path, staged.name)
    if (kept === null) return null
    try {
      fs.renameSync(staging.absolute(staged.name), target)
    } catch (error) {
      staging.discard(kept.name)
      throw error
    }
    // The new bytes are in place, so nothing may fail from here on: what cannot be looked at counts as changed.
    const replaced = kept.stamp()
    const wasExpected = expected !== null && sameStamp(there, expected)
    const isLoss = !wasExpected || replaced === null || !sameContent(replaced, there)
    if (!isLoss) staging.discard(kept.name)
    return { stamp: stampAfter(target, staged.stamp), displaced: isLoss ? kept.name : null }
  }

  function keepUnlessGone(path: string, stagedName: string) {
    try {
      return staging.keep(path, stagedName)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null
      throw error
    }
  }

  /**
   * A hard link, unlike a rename, never replaces what somebody has put there in this moment.
   * @returns `linked`: the first name is still there, for the caller to remove; `taken`: something is there after all
   */
  function putWhereNothingIs(source: string, target: string): 'linked' | 'renamed' | 'taken' {
    try {
      fs.linkSync(source, target)
      return 'linked'
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return 'taken'
      if (!isLinkUnsupported(error)) throw error
      fs.renameSync(source, target)
      return 'renamed'
    }
  }

  function placeNew(staged: Staged, path: string): FileStamp | null {
    const made = makeParents(path, 'written')
    const target = joinHome(home, path)
    try {
      if (statOrNull(fs, target) !== null) return null
      if (putWhereNothingIs(staging.absolute(staged.name), target) === 'taken') return null
      staging.discard(staged.name)
      return stampAfter(target, staged.stamp)
    } catch (error) {
      folders.unmake(made)
      throw diskError(error, 'written', path)
    }
  }

  function move(from: string, to: string): FileStamp {
    const source = joinHome(home, from)
    const target = joinHome(home, to)
    if (folders.above(source) !== 'real') throw refusal('ENOENT', 'moved', from)
    const made = makeParents(to, 'moved')
    try {
      const stats = statOrNull(fs, source)
      if (!stats?.isFile()) throw refusal(stats ? 'EINVAL' : 'ENOENT', 'moved', from)
      const there = statOrNull(fs, target)
      if (there && isSpelledAnew(source, stats, target, there)) fs.renameSync(source, target)
      else {
        const put = there ? 'taken' : putWhereNothingIs(source, target)
        if (put === 'taken') throw refusal('EEXIST', 'written', to)
        if (put === 'linked') dropFirstName(source, target, stats)
      }
      return stampAfter(target, stampOf(stats))
    } catch (error) {
      folders.unmake(made)
      throw diskError(error, 'moved', from)
    }
  }

  /** One file whose name changes in case or normal form alone, on a file system to which both are the same name. */
  function isSpelledAnew(source: string, from: Stats, target: string, to: Stats): boolean {
    const isOneName = sameFile(from, to) && nameKey(source) === nameKey(target)
    // Where both names are listed they are two hard links, and the second is somebody's.
    return isOneName && !fs.readdirSync(dirname(target)).includes(basename(target))
  }

  /** Ends a move by link. When the first name cannot go, the second one does; what was saved anew there stays. */
  function dropFirstName(source: string, target: string, moved: Stats): void {
    try {
      const there = statOrNull(fs, source)
      if (there && sameFile(there, moved)) fs.unlinkSync(source)
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return
      fs.unlinkSync(target)
      throw error
    }
  }

  function remove(path: string): boolean {
    const target = joinHome(home, path)
    try {
      const way = folders.above(target)
      if (way === 'missing') return false
      if (way !== 'real') throw refusal('ENOTDIR', 'removed', path)
      const stats = statOrNull(fs, target)
      if (stats?.isDirectory()) throw refusal('EISDIR', 'removed', path)
      if (stats) fs.unlinkSync(target)
      return stats !== null
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false
      throw diskError(error, 'removed', path)
    }
  }

  function isLink(path: string): boolean {
    const target = joinHome(home, path)
    if (folders.above(target) !== 'real') return false
    const look = lookAt(fs, target, Infinity)
    return look.kind === 'odd' && look.odd === 'symlink'
  }

  /** The last look is one system call before the deed: no file of somebody's, and nothing in another folder, is taken for the link. */
  function removeLink(path: string): boolean {
    try {
      if (!isLink(path)) return false
      fs.unlinkSync(joinHome(home, path))
      return true
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false
      throw diskError(error, 'removed', path)
    }
  }

  function makeParents(path: string, deed: 'written' | 'moved'): string[] {
    const end = path.lastIndexOf('/')
    try {
      return end === -1 ? [] : folders.make(path.slice(0, end))
    } catch (error) {
      throw diskError(error, deed, path)
    }
  }

  /**
   * The stamp of our bytes in their new place. When somebody has been there since, it is `known`, which then differs
   * from what the next look shows, so that their change is seen.
   */
  function stampAfter(target: string, known: FileStamp): FileStamp {
    try {
      const stats = statOrNull(fs, target)
      const now = stats && stampOf(stats)
      return now && sameContent(now, known) ? now : known
    } catch (error) {
      if (errnoOf(error) === null) throw error
      return known
    }
  }

  return { place, placeNew, move, remove, isLink, removeLink }
}
