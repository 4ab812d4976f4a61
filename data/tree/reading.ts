import { errnoOf, skippedErrnos, toDiskError } from './disk-errors.ts'
import type { FolderChain, FolderStatus } from './folder-chain.ts'
import { joinHome } from './paths.ts'
import { readFlags } from './read-flags.ts'
import { sameStamp, stampOf, statPath } from './stamps.ts'
import { StatCache } from './stat-cache.ts'
import type { FileContent, FileStamp, FileSystem, PathStat, Tree } from './types.ts'

/** How often a file that changes during the read is tried before it counts as unreadable. */
const readAttempts = 5

export interface ReadingDeps {
  fs: FileSystem
  home: string
  folders: FolderChain
  maxBytes: number
}

export function fileReader(tree: ReadingDeps): Pick<Tree, 'stat' | 'statCached' | 'read'> {
  const statCache = new StatCache<PathStat>()
  return {
    stat: (path) => stat(tree, path),
    statCached: (path) => statCache.get(path, () => statCached(tree, path)),
    read: (path, seen) => read(tree, path, seen),
  }
}

function stat(tree: ReadingDeps, path: string): PathStat {
  const absolute = joinHome(tree.home, path)
  return statBelow(tree, tree.folders.statusAbove(absolute), absolute)
}

function statCached(tree: ReadingDeps, path: string): PathStat {
  const absolute = joinHome(tree.home, path)
  return statBelow(tree, tree.folders.statusAboveCached(absolute), absolute)
}

function statBelow({ fs, maxBytes }: ReadingDeps, status: FolderStatus, absolute: string): PathStat {
  if (status === 'real') return statPath(fs, absolute, maxBytes)
  return status === 'missing' ? { kind: 'missing' } : { kind: 'skipped', reason: status }
}

/** Checks the path before and after, since a link may be swapped in for the file or a folder. */
function read(tree: ReadingDeps, path: string, seen?: PathStat): FileContent | null {
  for (let attempt = 0; attempt < readAttempts; attempt++) {
    const before = attempt === 0 && seen ? seen : stat(tree, path)
    if (before.kind !== 'file') return null
    const bytes = readIfUnchanged(tree, before.stamp, path)
    if (bytes === null) continue
    const after = stat(tree, path)
    if (after.kind === 'file' && sameStamp(before.stamp, after.stamp)) return { bytes, stamp: after.stamp }
  }
  return null
}

/** Null if another file was opened, or it was truncated. */
function readIfUnchanged({ fs, home }: ReadingDeps, stamp: FileStamp, path: string): Buffer | null {
  try {
    const file = fs.openSync(joinHome(home, path), readFlags)
    try {
      const stats = fs.fstatSync(file)
      const isSame = stats.isFile() && sameStamp(stampOf(stats), stamp)
      return isSame ? readWhole(fs, file, stamp.size) : null
    } finally {
      fs.closeSync(file)
    }
  } catch (error) {
    if (skippedErrnos.has(errnoOf(error) ?? '')) return null
    throw toDiskError(error, 'read', path)
  }
}

function readWhole(fs: FileSystem, file: number, size: number): Buffer | null {
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
