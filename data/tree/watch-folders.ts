import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as afterThisTurn } from 'node:timers/promises'
import { type ChokidarOptions, FSWatcher } from 'chokidar'
import { errnoOf } from './disk-errors.ts'

type Listing = ReturnType<FSWatcher['_readdirp']>

/**
 * chokidar for folders alone. At every event it reads the folder again, and looks twice at each file in it, those that
 * it ignores included: a save in a folder of a thousand files cost two thousand `lstat`. Here it is shown no files.
 */
class FoldersOnlyWatcher extends FSWatcher {
  /**
   * A folder is watched some microtasks before chokidar notes how that is ended. Closed between the two, it would forget
   * the watch, which would keep the process from ending.
   */
  override async close(): Promise<void> {
    await afterThisTurn()
    await super.close()
  }

  override _readdirp(root: string): Listing {
    if (this.closed) return undefined
    const listing = Readable.from(foldersIn(root)) as NonNullable<Listing>
    this._streams.add(listing)
    listing.once('close', () => this._streams.delete(listing))
    return listing
  }
}

/** As `chokidar.watch`, without files. */
export const watchFolders = (path: string, options: ChokidarOptions): FSWatcher =>
  new FoldersOnlyWatcher(options).add(path)

async function* foldersIn(root: string) {
  for (const entry of await entriesOf(root)) {
    if (!entry.isDirectory()) continue
    yield { path: entry.name, basename: entry.name, fullPath: join(root, entry.name), stats: entry }
  }
}

/** A folder that has gone, or may not be read, has no entries: its own watch tells of that. */
async function entriesOf(root: string): Promise<Dirent[]> {
  try {
    return await readdir(root, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errnoOf(error) ?? '')) return []
    throw error
  }
}
