import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as afterThisTurn } from 'node:timers/promises'
import { type ChokidarOptions, FSWatcher } from 'chokidar'
import { errnoOf } from './disk-errors.ts'

type Listing = ReturnType<FSWatcher['_readdirp']>

/**
 * chokidar for folders alone. At each event it lists the folder and stats each file twice, including ignored ones:
 * 2,000 `lstat` calls for a save among a thousand files. Here it sees no files.
 */
class FoldersOnlyWatcher extends FSWatcher {
  /**
   * chokidar watches a folder some microtasks before it notes how to stop. Closed in between, it would leak the
   * watch, which keeps the process alive.
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

export const watchFolders = (path: string, options: ChokidarOptions): FSWatcher =>
  new FoldersOnlyWatcher(options).add(path)

async function* foldersIn(root: string) {
  for (const entry of await entriesOf(root)) {
    if (!entry.isDirectory()) continue
    yield { path: entry.name, basename: entry.name, fullPath: join(root, entry.name), stats: entry }
  }
}

/** The watch of a missing or unreadable folder reports it. */
async function entriesOf(root: string): Promise<Dirent[]> {
  try {
    return await readdir(root, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errnoOf(error) ?? '')) return []
    throw error
  }
}
