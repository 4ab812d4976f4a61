import type { Stats } from 'node:fs'
import { dirname, sep } from 'node:path'
import { declined, errnoOf } from './disk-errors.ts'
import { syncFolder } from './fsync.ts'
import { joinHome } from './paths.ts'
import { isPrivatePath, privateFolderMode } from './privacy.ts'
import { statOrNull } from './stamps.ts'
import { StatCache } from './stat-cache.ts'
import type { FileSystem } from './types.ts'

/** How far a way of folders leads; a file on the way makes it `missing`, for nothing can be below. */
export type FolderStatus = 'real' | 'missing' | 'symlink' | 'unreadable'

/** So many folders are remembered as durable; then all are forgotten, and made durable anew when it is asked for. */
const maxDurable = 10_000

/**
 * The folders between the home and a file. Each must be a real one: a link among them would lead out of the home.
 * How they are is not remembered beyond the requests that arrived together, since a folder can be swapped for a link at
 * any moment: each costs one `lstat`, about 2 microseconds, so that a path with three folders above it is looked at in
 * about 8.
 */
export class FolderChain {
  private readonly fs: FileSystem
  private readonly home: string
  private readonly isPrivate: boolean
  /** By the folder in which a file stands. */
  private readonly onArrival = new StatCache<FolderStatus>()
  /** The folders whose names this process has made durable, with the inode of each. */
  private readonly durable = new Map<string, number>()

  /** @param isPrivate whether what not everybody may read is kept from other users of the machine */
  constructor(fs: FileSystem, home: string, isPrivate = true) {
    this.fs = fs
    this.home = home
    this.isPrivate = isPrivate
  }

  /** The way to the folder in which `absolute` stands. */
  statusAbove(absolute: string): FolderStatus {
    for (const folder of this.foldersAbove(absolute)) {
      const step = this.step(folder)
      if (step !== 'real') return step
    }
    return 'real'
  }

  /** The same, shared by the requests that arrived together. */
  statusAboveCached(absolute: string): FolderStatus {
    return this.onArrival.get(dirname(absolute), () => this.statusAbove(absolute))
  }

  /** A folder's `stat`; null when it is missing or unreadable, or it or one above it is not a real one. */
  find(absolute: string): Stats | null {
    if (this.statusAbove(absolute) !== 'real') return null
    try {
      const stats = statOrNull(this.fs, absolute)
      return stats?.isDirectory() ? stats : null
    } catch {
      return null
    }
  }

  /**
   * Makes a name durable: that it is in its folder, or that it is there no more, and likewise the names of the folders
   * above it, each of which is synced once in the life of this process. @throws the system's error
   */
  async syncParent(absolute: string): Promise<void> {
    let parent = this.home
    for (const folder of this.foldersAbove(absolute)) {
      const stats = statOrNull(this.fs, folder)
      // Where the folder is gone as well, its own absence is what is to be durable.
      if (!stats) break
      if (this.durable.get(folder) !== stats.ino) {
        await syncFolder(parent, this.fs)
        if (this.durable.size >= maxDurable) this.durable.clear()
        this.durable.set(folder, stats.ino)
      }
      parent = folder
    }
    await syncFolder(parent, this.fs)
  }

  /**
   * Makes a folder and its parents, where they are missing.
   * @returns those that were made, outermost first
   * @throws the system's error, or DiskError `ENOTDIR` when something else stands there; nothing made is left behind
   */
  create(path: string): string[] {
    const absolute = joinHome(this.home, path)
    const made: string[] = []
    try {
      for (const folder of [...this.foldersAbove(absolute), absolute]) {
        if (this.step(folder) === 'missing' && this.makeOne(folder)) made.push(folder)
        if (this.step(folder) !== 'real') throw declined('ENOTDIR', 'written', path)
      }
    } catch (error) {
      this.removeCreated(made)
      throw error
    }
    return made
  }

  /** Takes back what `make` made, as far as it is still empty. */
  removeCreated(made: string[]): void {
    for (const folder of made.toReversed()) this.removeIfEmpty(folder)
  }

  /** Never fails: a folder that is in use, or cannot be removed, stays. */
  removeIfEmpty(absolute: string): void {
    try {
      if (this.find(absolute)) this.fs.rmdirSync(absolute)
      this.durable.delete(absolute)
    } catch (error) {
      if (errnoOf(error) === null) throw error
    }
  }

  private *foldersAbove(absolute: string): Generator<string> {
    let end = absolute.indexOf(sep, this.home.length + 1)
    while (end !== -1) {
      yield absolute.slice(0, end)
      end = absolute.indexOf(sep, end + 1)
    }
  }

  private step(folder: string): FolderStatus {
    try {
      const stats = statOrNull(this.fs, folder)
      if (stats?.isDirectory()) return 'real'
      return stats?.isSymbolicLink() ? 'symlink' : 'missing'
    } catch {
      return 'unreadable'
    }
  }

  /** @returns false when another process has just made it, or a file stands there */
  private makeOne(folder: string): boolean {
    try {
      const isPrivate = isPrivatePath(folder.slice(this.home.length + 1).replaceAll(sep, '/'), this.isPrivate)
      this.fs.mkdirSync(folder, isPrivate ? privateFolderMode : undefined)
      this.durable.delete(folder)
      return true
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false
      throw error
    }
  }
}
