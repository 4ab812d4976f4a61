import type { Stats } from 'node:fs'
import { dirname, sep } from 'node:path'
import { createDiskError, errnoOf, toDiskError } from './disk-errors.ts'
import { syncFolder } from './fsync.ts'
import { joinHome } from './paths.ts'
import { isPrivatePath, privateFolderMode } from './privacy.ts'
import { statOrNull } from './stamps.ts'
import { StatCache } from './stat-cache.ts'
import type { FileSystem } from './types.ts'

export type FolderStatus = 'real' | 'missing' | 'symlink' | 'unreadable'

/** When there are more, all are forgotten and synced again on demand. */
const maxDurable = 10_000

/**
 * Folders between the home and a file must be real: a link could lead out of the home. Results are shared
 * only by requests that arrived together, since a folder can become a link at any moment.
 */
export class FolderChain {
  private readonly statusCache = new StatCache<FolderStatus>()
  /** Folders whose names this process has made durable, with their inodes. */
  private readonly durable = new Map<string, number>()

  constructor(
    private readonly fs: FileSystem,
    private readonly home: string,
    private readonly isPrivate = true,
  ) {}

  statusAbove(absolute: string): FolderStatus {
    for (const folder of this.foldersAbove(absolute)) {
      const status = this.statusOf(folder)
      if (status !== 'real') return status
    }
    return 'real'
  }

  statusAboveCached(absolute: string): FolderStatus {
    return this.statusCache.get(dirname(absolute), () => this.statusAbove(absolute))
  }

  /** Null if the folder, or one above it, is missing, unreadable or a link. */
  find(absolute: string): Stats | null {
    if (this.statusAbove(absolute) !== 'real') return null
    try {
      const stats = statOrNull(this.fs, absolute)
      return stats?.isDirectory() ? stats : null
    } catch {
      return null
    }
  }

  /** Makes a name or its absence durable, with those of the folders above. @throws the system's error */
  async syncParent(absolute: string): Promise<void> {
    let parent = this.home
    for (const folder of this.foldersAbove(absolute)) {
      const stats = statOrNull(this.fs, folder)
      // If the folder is gone as well, its absence is made durable.
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

  /** Returns new folders, outermost first. @throws the system's error; nothing remains */
  create(path: string): string[] {
    const absolute = joinHome(this.home, path)
    const created: string[] = []
    try {
      for (const folder of [...this.foldersAbove(absolute), absolute]) {
        const status = this.statusOf(folder)
        if (status === 'real') continue
        if (status === 'missing' && this.makeFolder(folder)) created.push(folder)
        if (this.statusOf(folder) !== 'real') throw createDiskError('ENOTDIR', 'written', path)
      }
    } catch (error) {
      this.removeCreated(created)
      throw error
    }
    return created
  }

  /** As `create`. @throws DiskError; nothing remains */
  createParents(path: string, operation: 'written' | 'moved'): string[] {
    const end = path.lastIndexOf('/')
    try {
      return end === -1 ? [] : this.create(path.slice(0, end))
    } catch (error) {
      throw toDiskError(error, operation, path)
    }
  }

  removeCreated(created: string[]): void {
    for (const folder of created.toReversed()) this.removeIfEmpty(folder)
  }

  /** Never fails: a folder that cannot be removed stays. */
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

  private statusOf(folder: string): FolderStatus {
    try {
      const stats = statOrNull(this.fs, folder)
      if (stats?.isDirectory()) return 'real'
      return stats?.isSymbolicLink() ? 'symlink' : 'missing'
    } catch {
      return 'unreadable'
    }
  }

  private makeFolder(folder: string): boolean {
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
