import type { Stats } from 'node:fs'
import { basename, dirname } from 'node:path'
import { declined, diskError, errnoOf } from './disk-errors.ts'
import type { FolderChain } from './folder-chain.ts'
import { nameKey } from './names.ts'
import { joinHome } from './paths.ts'
import { displacedBy, linkOrRename, newStagedName, type Staging } from './staging.ts'
import { sameContent, sameFile, sameStamp, stampOf, statOrNull, statPath } from './stamps.ts'
import type { Displaced, FileStamp, FileSystem, PlacedFile, Staged, Tree } from './types.ts'

interface PlaceAttempt {
  expected: FileStamp | null
  displaced: Displaced[]
  attempt: number
}

/** Attempts while others create and remove files of the name. */
const placeAttempts = 5

export function placer(
  fs: FileSystem,
  home: string,
  folders: FolderChain,
  staging: Staging,
): Pick<Tree, 'place' | 'placeNew' | 'move' | 'remove' | 'removeSeen' | 'isLink' | 'removeLink'> {
  function place(staged: Staged, path: string, expected: FileStamp | null): PlacedFile {
    const made = makeParents(path, 'written')
    const displaced: Displaced[] = []
    try {
      for (let attempt = 0; attempt < placeAttempts; attempt++) {
        const stamp = tryToPlace(staged, path, { expected, displaced, attempt })
        if (stamp) return { stamp, displaced }
      }
      throw declined('EBUSY', 'written', path)
    } catch (error) {
      folders.removeCreated(made)
      for (const { name } of displaced) staging.discard(name)
      throw diskError(error, 'written', path)
    }
  }

  /** Null if the name was taken or freed since the check. */
  function tryToPlace(staged: Staged, path: string, placing: PlaceAttempt): FileStamp | null {
    const target = joinHome(home, path)
    const there = statOrNull(fs, target)
    if (there === null) return putIn(staged, target)
    if (!there.isFile()) throw declined('EEXIST', 'written', path)
    // After a crash between the link and the removal of the first name.
    if (sameFile(there, staged.stamp)) {
      staging.discard(staged.name)
      return stampAfter(target, staged.stamp)
    }
    return replace(staged, path, stampOf(there), placing)
  }

  /** A save in between makes the link fail, and is set aside by the next attempt: it is never replaced unseen. */
  function replace(
    staged: Staged,
    path: string,
    there: FileStamp,
    { expected, displaced, attempt }: PlaceAttempt,
  ): FileStamp | null {
    const name = displacedBy(staged.name, attempt)
    if (!staging.setAside(path, name)) return null
    let stamp: FileStamp | null
    try {
      requireFile(path, name)
      stamp = putIn(staged, joinHome(home, path))
    } catch (error) {
      putBack(path, name)
      throw error
    }
    staging.confirmPlaced(name)
    const taken = staging.stamp(name)
    const wasExpected =
      taken !== null && expected !== null && sameStamp(there, expected) && sameContent(taken, there)
    displaced.push({ name, stamp: taken, wasExpected })
    return stamp
  }

  /** Something else may be there since the check. What cannot be read is taken for a file. */
  function requireFile(path: string, name: string): void {
    const stat = statPath(fs, staging.absolute(name), Infinity)
    if (stat.kind === 'odd' && stat.odd !== 'unreadable') throw declined('EEXIST', 'written', path)
  }

  /** If this fails too, `restoreAll` does it before the file is reported missing. */
  function putBack(path: string, name: string): void {
    try {
      staging.restore(path, name)
    } catch (error) {
      if (errnoOf(error) === null) throw error
    }
  }

  /** Null if something is there. */
  function putIn(staged: Staged, target: string): FileStamp | null {
    const put = linkOrRename(fs, staging.absolute(staged.name), target)
    if (put === 'taken') return null
    if (put === 'linked') staging.discard(staged.name)
    return stampAfter(target, staged.stamp)
  }

  function placeNew(staged: Staged, path: string): FileStamp | null {
    const made = makeParents(path, 'written')
    const target = joinHome(home, path)
    try {
      return statOrNull(fs, target) === null ? putIn(staged, target) : null
    } catch (error) {
      folders.removeCreated(made)
      throw diskError(error, 'written', path)
    }
  }

  function move(from: string, to: string): FileStamp {
    const source = joinHome(home, from)
    const target = joinHome(home, to)
    if (folders.statusAbove(source) !== 'real') throw declined('ENOENT', 'moved', from)
    const made = makeParents(to, 'moved')
    try {
      const stats = statOrNull(fs, source)
      if (!stats?.isFile()) throw declined(stats ? 'EINVAL' : 'ENOENT', 'moved', from)
      const there = statOrNull(fs, target)
      if (there && isSpelledAnew(source, stats, target, there)) fs.renameSync(source, target)
      else {
        const put = there ? 'taken' : linkOrRename(fs, source, target)
        if (put === 'taken') throw declined('EEXIST', 'written', to)
        if (put === 'linked') dropFirstName(from, target, stats)
      }
      return stampAfter(target, stampOf(stats))
    } catch (error) {
      folders.removeCreated(made)
      throw diskError(error, 'moved', from)
    }
  }

  /** The same file under another case or normal form, on a file system that does not distinguish them. */
  function isSpelledAnew(source: string, from: Stats, target: string, to: Stats): boolean {
    const isOneName = sameFile(from, to) && nameKey(source) === nameKey(target)
    // If both names are listed, they are two hard links.
    return isOneName && !fs.readdirSync(dirname(target)).includes(basename(target))
  }

  /** A new save under the first name stays. If that name cannot be removed, the second one is. */
  function dropFirstName(path: string, target: string, moved: Stats): void {
    const name = displacedBy(newStagedName())
    try {
      if (!staging.setAside(path, name)) return
    } catch (error) {
      fs.unlinkSync(target)
      throw error
    }
    const taken = statOrNull(fs, staging.absolute(name))
    if (taken === null || sameFile(taken, moved)) {
      staging.confirmPlaced(name)
      staging.discard(name)
    } else putBack(path, name)
  }

  function remove(path: string): boolean {
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

  /** Sets the file aside first: a save after the check is either taken as well, and noticed, or there afterwards. */
  function removeSeen(path: string, seen: FileStamp): boolean {
    const target = joinHome(home, path)
    try {
      if (folders.statusAbove(target) !== 'real') return false
      const there = statOrNull(fs, target)
      if (!there?.isFile() || !sameStamp(stampOf(there), seen)) return false
      const name = displacedBy(newStagedName())
      if (!staging.setAside(path, name)) return false
      return dropIfSeen(path, name, seen)
    } catch (error) {
      throw diskError(error, 'removed', path)
    }
  }

  /** Until it is removed, a crash puts it back. */
  function dropIfSeen(path: string, name: string, seen: FileStamp): boolean {
    const taken = staging.stamp(name)
    const isAsSeen = taken !== null && sameContent(taken, seen)
    try {
      if (isAsSeen) fs.unlinkSync(staging.absolute(name))
    } catch (error) {
      putBack(path, name)
      throw error
    }
    if (isAsSeen) staging.confirmPlaced(name)
    else putBack(path, name)
    return isAsSeen
  }

  function isLink(path: string): boolean {
    const target = joinHome(home, path)
    if (folders.statusAbove(target) !== 'real') return false
    const stat = statPath(fs, target, Infinity)
    return stat.kind === 'odd' && stat.odd === 'symlink'
  }

  /** The last check is one system call before the removal, so that nothing else is removed instead. */
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
      return end === -1 ? [] : folders.create(path.slice(0, end))
    } catch (error) {
      throw diskError(error, deed, path)
    }
  }

  /** If the file changed since, `known`, which differs from the next `stat`, so that the change is noticed. */
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

  return { place, placeNew, move, remove, removeSeen, isLink, removeLink }
}
