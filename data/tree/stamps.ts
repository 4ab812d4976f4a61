import type { Stats } from 'node:fs'
import { errnoOf } from './disk-errors.ts'
import type { FileStamp, FileSystem, PathStat, SkipReason } from './types.ts'

export function stampOf(stats: Stats): FileStamp {
  const { dev, ino, birthtimeMs, size, mtimeMs, ctimeMs, uid } = stats
  return { dev, ino, birthtimeMs, size, mtimeMs, ctimeMs, uid }
}

export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return sameContent(a, b) && a.ctimeMs === b.ctimeMs && a.birthtimeMs === b.birthtimeMs
}

/** Whether the bytes are unchanged; a link or rename changes ctime. */
export function sameContent(a: FileStamp, b: FileStamp): boolean {
  return sameFile(a, b) && a.size === b.size && a.mtimeMs === b.mtimeMs
}

/** Whether two names have one inode now. Over time, compare birth times as well. */
export function sameFile(a: { dev: number; ino: number }, b: { dev: number; ino: number }): boolean {
  return a.dev === b.dev && a.ino === b.ino
}

/** `lstat`; null if nothing is there. @throws the system's error for any other reason */
export function statOrNull(fs: FileSystem, absolute: string): Stats | null {
  try {
    return fs.lstatSync(absolute, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    // A name that is too long cannot exist; a file has nothing below it.
    if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) return null
    throw error
  }
}

export function statPath(fs: FileSystem, absolute: string, maxBytes: number): PathStat {
  let stats: Stats | null
  try {
    stats = statOrNull(fs, absolute)
  } catch {
    return { kind: 'skipped', reason: 'unreadable' }
  }
  if (stats === null) return { kind: 'missing' }
  const reason = skipReason(stats, maxBytes)
  return reason === null ? { kind: 'file', stamp: stampOf(stats) } : { kind: 'skipped', reason }
}

function skipReason(stats: Stats, maxBytes: number): SkipReason | null {
  if (stats.isFile()) return stats.size > maxBytes ? 'too_large' : null
  if (stats.isDirectory()) return 'folder'
  if (stats.isSymbolicLink()) return 'symlink'
  if (stats.isFIFO()) return 'fifo'
  if (stats.isSocket()) return 'socket'
  return 'device'
}

/** If the file changed since, `previous` differs from the next `stat`, so that the change is noticed. */
export function stampAfter(fs: FileSystem, target: string, previous: FileStamp): FileStamp {
  try {
    const stats = statOrNull(fs, target)
    const current = stats && stampOf(stats)
    return current && sameContent(current, previous) ? current : previous
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return previous
  }
}
