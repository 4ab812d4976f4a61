import { isUtf8 } from 'node:buffer'
import { constants } from 'node:fs'
import { join } from 'node:path'
import { diskError, errnoOf } from './disk-errors.ts'
import type { FolderChain, FolderStatus } from './folder-chain.ts'
import { isSafeName, joinHome } from './paths.ts'
import { sameStamp, stampOf, statPath } from './stamps.ts'
import { StatCache } from './stat-cache.ts'
import type { FileContent, FileStamp, FileSystem, FolderEntry, PathStat, Tree } from './types.ts'

/** Never through a link, never waiting for the other end of a FIFO. Windows has neither flag. */
export const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** How often a file that changes during the read is read again before it counts as unreadable. */
const readAttempts = 5

/** Errors that concern the file, not the disk. */
export const skipReasonByErrno = new Set([
  'ENOENT',
  'ENOTDIR',
  'ELOOP',
  'ENXIO',
  'ENODEV',
  'EACCES',
  'EPERM',
  'EISDIR',
])

export function reader(
  fs: FileSystem,
  home: string,
  folders: FolderChain,
  maxBytes: number,
): Pick<Tree, 'stat' | 'statCached' | 'read' | 'names' | 'list' | 'entries' | 'folderStamp'> {
  function stat(path: string): PathStat {
    const absolute = joinHome(home, path)
    return lookBelow(folders.statusAbove(absolute), absolute)
  }

  const onArrival = new StatCache<PathStat>()

  function lookOnArrival(path: string): PathStat {
    return onArrival.get(path, () => {
      const absolute = joinHome(home, path)
      return lookBelow(folders.statusAboveCached(absolute), absolute)
    })
  }

  function lookBelow(way: FolderStatus, absolute: string): PathStat {
    if (way === 'real') return statPath(fs, absolute, maxBytes)
    return way === 'missing' ? { kind: 'missing' } : { kind: 'odd', odd: way }
  }

  /** A link swapped in meanwhile, also for a folder, causes another attempt: paths are checked before and after. */
  function read(path: string): FileContent | null {
    for (let attempt = 0; attempt < readAttempts; attempt++) {
      const before = stat(path)
      if (before.kind !== 'file') return null
      const bytes = readIf(before.stamp, path)
      if (bytes === null) continue
      const after = stat(path)
      if (after.kind === 'file' && sameStamp(before.stamp, after.stamp)) return { bytes, stamp: after.stamp }
    }
    return null
  }

  /** The bytes of the file with this stamp; null if another was opened, or it was truncated. */
  function readIf(stamp: FileStamp, path: string): Buffer | null {
    try {
      const file = fs.openSync(joinHome(home, path), readFlags)
      try {
        const stats = fs.fstatSync(file)
        const isSame = stats.isFile() && sameStamp(stampOf(stats), stamp)
        return isSame ? readWhole(file, stamp.size) : null
      } finally {
        fs.closeSync(file)
      }
    } catch (error) {
      if (skipReasonByErrno.has(errnoOf(error) ?? '')) return null
      throw diskError(error, 'read', path)
    }
  }

  function readWhole(file: number, size: number): Buffer | null {
    // Not from the pool: the bytes may be kept for long, or passed to another thread.
    const bytes = Buffer.allocUnsafeSlow(size)
    let length = 0
    while (length < size) {
      const count = fs.readSync(file, bytes, length, size - length, length)
      if (count === 0) return null
      length += count
    }
    return bytes
  }

  function names(path: string): string[] | null {
    const absolute = joinHome(home, path)
    if (!folders.find(absolute)) return null
    try {
      return fs.readdirSync(absolute).sort()
    } catch (error) {
      if (errnoOf(error) === null) throw error
      return null
    }
  }

  function entries(path: string): Iterable<FolderEntry> | null {
    const absolute = joinHome(home, path)
    const found = names(path)
    if (found === null) return null
    try {
      // Node decodes what is not UTF-8 as U+FFFD, which a name may also contain.
      const illegible = found.some((name) => name.includes('\uFFFD'))
        ? namesNotUtf8(absolute)
        : new Set<string>()
      return lookAtEach(absolute, found, illegible)
    } catch (error) {
      if (errnoOf(error) === null) throw error
      return null
    }
  }

  function list(path: string): FolderEntry[] | null {
    const found = entries(path)
    return found === null ? null : [...found]
  }

  function* lookAtEach(folder: string, names: string[], illegible: Set<string>): Generator<FolderEntry> {
    for (const name of names) {
      if (illegible.has(name) || !isSafeName(name)) {
        yield { name, stat: { kind: 'odd', odd: 'unreadable' } }
        continue
      }
      const seen = statPath(fs, join(folder, name), maxBytes)
      if (seen.kind !== 'missing') yield { name, stat: seen }
    }
  }

  function namesNotUtf8(folder: string): Set<string> {
    const names = fs.readdirSync(folder, 'buffer')
    return new Set(names.filter((name) => !isUtf8(name)).map((name) => name.toString()))
  }

  function folderStamp(path: string) {
    const stats = folders.find(joinHome(home, path))
    return stats && { ino: stats.ino, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs }
  }

  return { stat, statCached: lookOnArrival, read, names, list, entries, folderStamp }
}
