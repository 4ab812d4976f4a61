import { type Dirent, lstatSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join, sep } from 'node:path'
import { Readable } from 'node:stream'
import { setImmediate as afterThisTurn } from 'node:timers/promises'
import { type ChokidarOptions, FSWatcher } from 'chokidar'
import { errnoOf } from './disk-errors.ts'

type Listing = ReturnType<FSWatcher['_readdirp']>

/** The system may have dropped events. */
const maxListingAgeMs = 10_000

const maxChangedNames = 1000

interface ListedFolder {
  folders: Set<string>
  /** `performance.now()` when the listing began. */
  listedMs: number
  /** Names of events since then; null if the folder must be listed. */
  changed: Set<string> | null
}

/**
 * chokidar lists a folder at each event and stats each file twice: 2,000 `lstat` calls for a save among a
 * thousand files. This one sees folders alone, and after a first listing checks only the names of events.
 */
class FoldersOnlyWatcher extends FSWatcher {
  private readonly listed = new Map<string, ListedFolder>()
  private isClosing = false

  constructor(options: ChokidarOptions) {
    super(options)
    this.on('raw', (_event, name: string | null, details) =>
      this.noteChanged(name, (details as { watchedPath?: string }).watchedPath),
    )
  }

  /** chokidar may add a folder when it notices a removal. After closing, that would open the watcher again. */
  override add(...folder: Parameters<FSWatcher['add']>): FSWatcher {
    return this.isClosing ? this : super.add(...folder)
  }

  /** If closed in the microtasks before chokidar records how to stop a new watch, it would leak the watch. */
  override async close(): Promise<void> {
    this.isClosing = true
    await afterThisTurn()
    await super.close()
  }

  override _readdirp(root: string): Listing {
    if (this.closed) return undefined
    const listing = Readable.from(this.foldersIn(root)) as NonNullable<Listing>
    this._streams.add(listing)
    listing.once('close', () => this._streams.delete(listing))
    return listing
  }

  /** chokidar lists a folder right before it reports the event. If it polls, `name` is the folder. */
  private noteChanged(name: string | null, watched: string | undefined): void {
    const folder = watched ?? name
    const listing = folder === null ? undefined : this.listed.get(folder)
    if (!listing?.changed) return
    // An event with the folder's own name concerns the folder itself.
    const isChildNamed = watched !== undefined && name !== null && name !== basename(watched)
    if (isChildNamed && listing.changed.size < maxChangedNames) listing.changed.add(name)
    else listing.changed = null
  }

  private async *foldersIn(root: string) {
    // By then the event that caused this has been noted.
    await afterThisTurn()
    const listed = this.listed.get(root)
    const isFresh = listed?.changed && performance.now() - listed.listedMs < maxListingAgeMs
    const { folders } = isFresh ? this.updateChanged(root, listed) : await this.list(root)
    for (const name of folders)
      yield { path: name, basename: name, fullPath: join(root, name), stats: noLink }
  }

  private updateChanged(root: string, listing: ListedFolder): ListedFolder {
    for (const name of listing.changed ?? []) {
      const path = join(root, name)
      const isFolderNow = isFolder(path)
      if (isFolderNow || listing.folders.has(name)) this.forget(path)
      if (isFolderNow) listing.folders.add(name)
      else listing.folders.delete(name)
    }
    listing.changed = new Set()
    return listing
  }

  private async list(root: string): Promise<ListedFolder> {
    const startedMs = performance.now()
    // The first listing is made before the folder is watched: the first event causes another.
    const changed = this.listed.has(root) ? new Set<string>() : null
    // Not fresh before it is complete. What changes meanwhile is checked afterwards.
    const listing: ListedFolder = { folders: new Set(), listedMs: -Infinity, changed }
    this.listed.set(root, listing)
    for (const entry of await entriesOf(root)) if (entry.isDirectory()) listing.folders.add(entry.name)
    listing.listedMs = startedMs
    return listing
  }

  private forget(folder: string): void {
    for (const path of this.listed.keys()) {
      if (path === folder || path.startsWith(folder + sep)) this.listed.delete(path)
    }
  }
}

export const watchFolders = (path: string, options: ChokidarOptions): FSWatcher =>
  new FoldersOnlyWatcher(options).add(path)

/** The watch of a missing or unreadable folder reports it. */
async function entriesOf(root: string): Promise<Dirent[]> {
  try {
    return await readdir(root, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP'].includes(errnoOf(error) ?? '')) return []
    throw error
  }
}

const noLink = { isSymbolicLink: () => false }

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return false
  }
}
