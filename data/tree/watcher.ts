import { closeSync, lstatSync, openSync, type Stats } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { TimeSlice } from '../time-slice.ts'
import { errnoOf } from './disk-errors.ts'
import { isIgnoredName } from './names.ts'
import { isSafeName, joinHome } from './paths.ts'
import type { Hint, Tree, Watcher, WatcherState } from './types.ts'
import { watchFolders } from './watch-folders.ts'
import { probeProblem, watchProblem } from './watch-problem.ts'

/** What is watched, with all folders below it. */
const root = 'projects'

/** Written at the start to see whether its event comes; hidden, so that it is litter to everybody. */
const probeName = '.workroom-probe'

/** For a walk that never ends; the probe then tells whether anything is watched. */
const startTimeoutMs = 10_000

/** What chokidar adds to an event of the system; polling has no `watchedPath`. */
interface RawDetails {
  watchedPath?: string
}

/** How long chokidar has to notice a new folder. Asked twice before everything is watched anew. */
const probeTimeoutMs = 200

/** A folder that the system tells of. */
interface WatchedFolder {
  /** Absolute. */
  watchedPath: string
  /** Within the home. */
  path: string
  isOurs: boolean
}

export interface WatchOptions {
  /** Called from when the first folder is watched, and so perhaps before `watchTree` resolves. */
  onHint: (hint: Hint) => void
  /** Called whenever the state changes, for the better as well. */
  onTrouble: (state: WatcherState) => void
  /** Whether nobody needs to know of a folder (within the home), nor of anything in it. Default: none. */
  isLeftOut?: (folder: string) => boolean
  /** How long the self-test waits for its event. Default 1,000 ms. */
  probeMs?: number
  /** Opens the watcher below; default `watchFolders`. */
  watch?: typeof watchFolders
}

/**
 * Watches `projects/`: one system watch per folder, none per file. Resolves when every folder is watched and a
 * self-test has shown whether events come at all; what changed before is for a scan to find. Never fails: what it
 * cannot watch is told to `onTrouble`, and hints go on as far as they come.
 */
export async function watchTree(tree: Tree, options: WatchOptions): Promise<Watcher> {
  const watcher = new FolderWatcher(tree, options)
  await watcher.start()
  return watcher
}

class FolderWatcher implements Watcher {
  private readonly tree: Tree
  private readonly options: WatchOptions
  private readonly closing = new AbortController()
  private chokidar: FSWatcher | null = null
  private opening: Promise<void> = Promise.resolve()
  /** A new start that has not begun yet: it serves everybody who asks meanwhile. */
  private nextOpening: Promise<void> | null = null
  private isReady = false
  private trouble: string | null = null
  /** What was wrong before everything is watched anew; it is over only when that has worked. */
  private formerTrouble: string | null = null
  /** The folders that chokidar says it watches, with the identity that each had. */
  private readonly watched = new Map<string, string>()
  /** Folders that were found lately, perhaps before they were watched. */
  private readonly fresh = new Set<string>()
  /** Names that came or went lately; the count is how often chokidar was found not to watch them. */
  private readonly unwatched = new Map<string, number>()
  private recheckTimer: NodeJS.Timeout | null = null
  private lastFolder: WatchedFolder | null = null
  private probeSeen: (() => void) | null = null

  constructor(tree: Tree, options: WatchOptions) {
    this.tree = tree
    this.options = options
  }

  state(): WatcherState {
    const trouble = this.trouble ?? this.formerTrouble
    return { mode: trouble === null ? 'watching' : 'polling', trouble }
  }

  start(): Promise<void> {
    this.opening = this.open()
    return this.opening
  }

  rewatch(): Promise<void> {
    this.nextOpening ??= this.opening.then(() => {
      this.nextOpening = null
      this.opening = this.reopen()
      return this.opening
    })
    return this.nextOpening
  }

  async close(): Promise<void> {
    this.closing.abort()
    if (this.recheckTimer) clearTimeout(this.recheckTimer)
    await (this.nextOpening ?? this.opening)
    await this.chokidar?.close()
  }

  private async open(): Promise<void> {
    const opened = (this.options.watch ?? watchFolders)(this.tree.home, {
      ignored: (path, stats) => this.isIgnored(path, stats),
      followSymlinks: false,
      // Waiting for a deletion that is half a rename is for those who hear the hints.
      atomic: false,
    })
    this.chokidar = opened
    opened
      .on('raw', (event, name, details) => this.handleRaw(event, name, (details as RawDetails).watchedPath))
      .on('addDir', (path, stats) => this.folderAdded(this.relative(path), stats))
      .on('unlinkDir', (path) => this.folderRemoved(this.relative(path)))
      .on('error', (error) => this.setProblem(watchProblem(error, (path) => this.relative(path))))
    const ready = new Promise<void>((resolve) => opened.once('ready', resolve))
    await withTimeout(ready, startTimeoutMs, this.closing.signal)
    this.isReady = true
    await this.probe()
  }

  private async reopen(): Promise<void> {
    if (this.closing.signal.aborted) return
    const before = this.trouble
    this.formerTrouble = before
    this.trouble = null
    this.isReady = false
    this.watched.clear()
    this.unwatched.clear()
    // Closed first: chokidar keeps one watch per path, and a dead one would be taken for the new.
    await this.chokidar?.close()
    await this.open()
    this.formerTrouble = null
    if (this.closing.signal.aborted) return
    if (before !== null && this.trouble === null) this.options.onTrouble(this.state())
    this.options.onHint({ path: root, kind: 'moved' })
  }

  /** The home itself is watched too, to see `projects` come back, and nothing else in it. */
  private isIgnored(path: string, stats?: Stats): boolean {
    const inner = this.relative(path)
    if (inner === '') return false
    if (stats && !stats.isDirectory()) return true
    return !this.isOurs(inner)
  }

  private isOurs(path: string): boolean {
    const [top, ...names] = path.split('/')
    return top === root && !names.some(isIgnoredName) && !this.options.isLeftOut?.(path)
  }

  /** The same for a name in a folder; a checkout brings thousands of names of one folder in one turn. */
  private isOursIn(folder: WatchedFolder, name: string, path: string): boolean {
    if (folder.path === '') return this.isOurs(path)
    return folder.isOurs && !isIgnoredName(name) && !this.options.isLeftOut?.(path)
  }

  private watchedFolder(watchedPath: string): WatchedFolder {
    if (this.lastFolder?.watchedPath !== watchedPath) {
      const path = this.relative(watchedPath)
      this.lastFolder = { watchedPath, path, isOurs: this.isOurs(path) }
    }
    return this.lastFolder
  }

  /** What the system says, as it comes: chokidar's own events leave out whatever follows within 50 ms. */
  private handleRaw(event: string, name: string | null, watchedPath: string | undefined): void {
    if (watchedPath === undefined) return
    const folder = this.watchedFolder(watchedPath)
    if (folder.path === root && name === probeName) this.probeSeen?.()
    const kind = event === 'rename' ? 'moved' : 'written'
    // A name that no path can hold, or that is not UTF-8, is told by its folder.
    const isTold = name !== null && isSafeName(name) && !name.includes('\uFFFD')
    const path = !isTold ? folder.path : `${folder.path === '' ? '' : `${folder.path}/`}${name}`
    if (isTold ? this.isOursIn(folder, name, path) : folder.isOurs) {
      this.options.onHint({ path, kind })
      if (kind === 'moved') this.suspectUnwatched(path)
    }
    // Under its own name the system tells of the watched folder itself: that it is gone, for one.
    if (name === basename(folder.path)) this.folderChanged(folder.path)
  }

  private hint(path: string, kind: Hint['kind']): void {
    if (this.isOurs(path)) this.options.onHint({ path, kind })
  }

  private folderAdded(folder: string, stats?: Stats): void {
    if (stats) this.watched.set(folder, identityOf(stats))
    if (!this.isReady || folder === '') return
    this.hint(folder, 'moved')
    this.fresh.add(folder)
    this.examineLater()
    if (folder === root) void this.rewatch()
  }

  private folderRemoved(folder: string): void {
    this.watched.delete(folder)
    this.hint(folder, 'moved')
    if (folder === root) this.setProblem(`There is no folder ${root}`)
  }

  private folderChanged(folder: string): void {
    this.hint(folder, 'moved')
    if (this.isOurs(folder)) this.suspectUnwatched(folder)
  }

  /**
   * A folder that is removed and made again within moments looks to chokidar like one that was always there, and its
   * watch is dead from then on. So each name that came or went is looked at a little later.
   */
  private suspectUnwatched(path: string): void {
    this.unwatched.set(path, 0)
    this.examineLater()
  }

  private examineLater(): void {
    if (this.closing.signal.aborted) return
    this.recheckTimer ??= setTimeout(() => {
      void this.examine().finally(() => {
        this.recheckTimer = null
        if (this.unwatched.size + this.fresh.size > 0) this.examineLater()
      })
    }, probeTimeoutMs).unref()
  }

  private async examine(): Promise<void> {
    // What was put into them before they were watched was told of by nobody.
    for (const folder of this.fresh) this.hint(folder, 'moved')
    this.fresh.clear()
    const slice = new TimeSlice()
    for (const [path, times] of [...this.unwatched]) {
      while (slice.isOver) await slice.pause()
      if (this.closing.signal.aborted) return
      if (this.isWatched(path)) this.unwatched.delete(path)
      else if (times > 0) return void this.rewatch()
      else this.unwatched.set(path, times + 1)
    }
  }

  /** True also for what needs no watch of its own: a file, or nothing that can be looked at. */
  private isWatched(path: string): boolean {
    try {
      const stats = lstatSync(joinHome(this.tree.home, path), { throwIfNoEntry: false })
      return !stats?.isDirectory() || identityOf(stats) === this.watched.get(path)
    } catch (error) {
      if (errnoOf(error) === null) throw error
      return true
    }
  }

  /** Some mounts, of networks and of containers, take a watch and never send an event. */
  private async probe(): Promise<void> {
    const path = `${root}/${probeName}`
    const seen = new Promise<void>((resolve) => {
      this.probeSeen = resolve
    })
    try {
      this.tree.remove(path)
      closeSync(openSync(joinHome(this.tree.home, path), 'wx'))
      const came = await withTimeout(seen, this.options.probeMs ?? 1000, this.closing.signal)
      if (!came && !this.closing.signal.aborted) {
        this.setProblem(
          `The file system of ${root} sends no events, as network mounts do not; it is scanned instead`,
        )
      }
      this.tree.remove(path)
    } catch (error) {
      this.setProblem(probeProblem(error, root))
    } finally {
      this.probeSeen = null
    }
  }

  /** The first reason stands until everything is watched anew: others mostly follow from it. */
  private setProblem(trouble: string): void {
    if (this.trouble !== null) return
    this.trouble = trouble
    this.options.onTrouble(this.state())
  }

  private relative(path: string): string {
    return relative(this.tree.home, path).replaceAll(sep, '/')
  }
}

/** An inode number alone is handed to the next folder at once. */
function identityOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
}

/** Whether it comes about within `timeMs`; false at once when `signal` is aborted. */
function withTimeout(happening: Promise<void>, timeMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (came: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      resolve(came)
    }
    const giveUp = () => end(false)
    // A process that was kept from running may wake up too late: what has come meanwhile is told first.
    const timer = setTimeout(() => setImmediate(giveUp), timeMs)
    signal.addEventListener('abort', giveUp)
    void happening.then(() => end(true))
    if (signal.aborted) giveUp()
  })
}
