import { closeSync, lstatSync, openSync, type Stats } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { TimeSlice } from '../scheduling/time-slice.ts'
import { errnoOf } from './disk-errors.ts'
import { isIgnoredName } from './names.ts'
import { isSafeName, joinHome } from './paths.ts'
import type { Hint, Tree, Watcher, WatcherState } from './types.ts'
import { watchFolders } from './watch-folders.ts'
import { probeProblem, watchProblem } from './watch-problem.ts'

const root = 'projects'

const probeName = '.workroom-probe'

const startTimeoutMs = 10_000

/** chokidar's addition to a system event. Polling has no `watchedPath`. */
interface RawDetails {
  watchedPath?: string
}

/** How long chokidar has to notice a new folder. Checked twice before everything is watched again. */
const probeTimeoutMs = 200

interface WatchedFolder {
  watchedPath: string
  path: string
  isIncluded: boolean
}

export interface WatchOptions {
  /** May be called before `watchTree` resolves. */
  onHint: (hint: Hint) => void
  onProblem: (state: WatcherState) => void
  isExcluded?: (folder: string) => boolean
  probeMs?: number
  watch?: typeof watchFolders
}

/** Resolves after a self-test has shown whether events arrive. Never fails; a scan finds earlier changes. */
export async function watchTree(tree: Tree, options: WatchOptions): Promise<Watcher> {
  const watcher = new FolderWatcher(tree, options)
  await watcher.start()
  return watcher
}

class FolderWatcher implements Watcher {
  private readonly closing = new AbortController()
  private chokidar: FSWatcher | null = null
  private opening: Promise<void> = Promise.resolve()
  private nextOpening: Promise<void> | null = null
  private isReady = false
  private problem: string | null = null
  /** The problem before a restart; cleared only when the restart has succeeded. */
  private previousProblem: string | null = null
  private readonly watched = new Map<string, string>()
  /** Folders that may have been found before they were watched. */
  private readonly newFolders = new Set<string>()
  /** Recently moved names, with how often chokidar was found not to watch them. */
  private readonly unwatched = new Map<string, number>()
  private recheckTimer: NodeJS.Timeout | null = null
  private lastFolder: WatchedFolder | null = null
  private onProbeSeen: (() => void) | null = null

  constructor(
    private readonly tree: Tree,
    private readonly options: WatchOptions,
  ) {}

  state(): WatcherState {
    const problem = this.problem ?? this.previousProblem
    return { mode: problem === null ? 'watching' : 'polling', problem }
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
      // Hints are merged later: chokidar need not wait for the second half of a rename.
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
    const before = this.problem
    this.previousProblem = before
    this.problem = null
    this.isReady = false
    this.watched.clear()
    this.unwatched.clear()
    // Closed first: chokidar keeps one watch for each path, and would take a dead one for the new.
    await this.chokidar?.close()
    await this.open()
    this.previousProblem = null
    if (this.closing.signal.aborted) return
    if (before !== null && this.problem === null) this.options.onProblem(this.state())
    this.options.onHint({ path: root, kind: 'moved' })
  }

  private isIgnored(path: string, stats?: Stats): boolean {
    const inner = this.relative(path)
    if (inner === '') return false
    if (stats && !stats.isDirectory()) return true
    return !this.isIncluded(inner)
  }

  private isIncluded(path: string): boolean {
    const [top, ...names] = path.split('/')
    return top === root && !names.some(isIgnoredName) && !this.options.isExcluded?.(path)
  }

  /** A checkout causes events for thousands of names of one folder in a turn. */
  private isIncludedIn(folder: WatchedFolder, name: string, path: string): boolean {
    if (folder.path === '') return this.isIncluded(path)
    return folder.isIncluded && !isIgnoredName(name) && !this.options.isExcluded?.(path)
  }

  private watchedFolder(watchedPath: string): WatchedFolder {
    if (this.lastFolder?.watchedPath !== watchedPath) {
      const path = this.relative(watchedPath)
      this.lastFolder = { watchedPath, path, isIncluded: this.isIncluded(path) }
    }
    return this.lastFolder
  }

  /** chokidar's own events leave out what follows within 50 ms. */
  private handleRaw(event: string, name: string | null, watchedPath: string | undefined): void {
    if (watchedPath === undefined) return
    const folder = this.watchedFolder(watchedPath)
    if (folder.path === root && name === probeName) this.onProbeSeen?.()
    const kind = event === 'rename' ? 'moved' : 'written'
    // A name that cannot be part of a path is reported by its folder.
    const isUsableName = name !== null && isSafeName(name) && !name.includes('\uFFFD')
    const path = !isUsableName ? folder.path : `${folder.path === '' ? '' : `${folder.path}/`}${name}`
    if (isUsableName ? this.isIncludedIn(folder, name, path) : folder.isIncluded) {
      this.options.onHint({ path, kind })
      if (kind === 'moved') this.suspectUnwatched(path)
    }
    // An event with the folder's own name concerns the folder itself, such as its removal.
    if (name === basename(folder.path)) this.folderChanged(folder.path)
  }

  private hint(path: string, kind: Hint['kind']): void {
    if (this.isIncluded(path)) this.options.onHint({ path, kind })
  }

  private folderAdded(folder: string, stats?: Stats): void {
    if (stats) this.watched.set(folder, identityOf(stats))
    if (!this.isReady || folder === '') return
    this.hint(folder, 'moved')
    this.newFolders.add(folder)
    this.scheduleRecheck()
    if (folder === root) void this.rewatch()
  }

  private folderRemoved(folder: string): void {
    this.watched.delete(folder)
    this.hint(folder, 'moved')
    if (folder === root) this.setProblem(`There is no folder ${root}`)
  }

  private folderChanged(folder: string): void {
    this.hint(folder, 'moved')
    if (this.isIncluded(folder)) this.suspectUnwatched(folder)
  }

  /** A folder removed and created again at once seems unchanged to chokidar, but its watch is dead. */
  private suspectUnwatched(path: string): void {
    this.unwatched.set(path, 0)
    this.scheduleRecheck()
  }

  private scheduleRecheck(): void {
    if (this.closing.signal.aborted) return
    this.recheckTimer ??= setTimeout(() => {
      void this.recheck().finally(() => {
        this.recheckTimer = null
        if (this.unwatched.size + this.newFolders.size > 0) this.scheduleRecheck()
      })
    }, probeTimeoutMs).unref()
  }

  private async recheck(): Promise<void> {
    // What was put into them before they were watched caused no event.
    for (const folder of this.newFolders) this.hint(folder, 'moved')
    this.newFolders.clear()
    const slice = new TimeSlice()
    for (const [path, misses] of [...this.unwatched]) {
      while (slice.isOver) await slice.pause()
      if (this.closing.signal.aborted) return
      if (this.isWatched(path)) this.unwatched.delete(path)
      else if (misses > 0) return void this.rewatch()
      else this.unwatched.set(path, misses + 1)
    }
  }

  /** Also true for what needs no watch: a file, or what cannot be read. */
  private isWatched(path: string): boolean {
    try {
      const stats = lstatSync(joinHome(this.tree.home, path), { throwIfNoEntry: false })
      return !stats?.isDirectory() || identityOf(stats) === this.watched.get(path)
    } catch (error) {
      if (errnoOf(error) === null) throw error
      return true
    }
  }

  /** Some mounts of networks and containers accept a watch and never send an event. */
  private async probe(): Promise<void> {
    const path = `${root}/${probeName}`
    const seen = new Promise<void>((resolve) => {
      this.onProbeSeen = resolve
    })
    try {
      this.tree.remove(path)
      closeSync(openSync(joinHome(this.tree.home, path), 'wx'))
      const hasArrived = await withTimeout(seen, this.options.probeMs ?? 1000, this.closing.signal)
      if (!hasArrived && !this.closing.signal.aborted) {
        this.setProblem(
          `The file system of ${root} sends no events, as network mounts do not; it is scanned instead`,
        )
      }
      this.tree.remove(path)
    } catch (error) {
      this.setProblem(probeProblem(error, root))
    } finally {
      this.onProbeSeen = null
    }
  }

  /** Keeps the first problem until everything is watched again: others mostly follow from it. */
  private setProblem(problem: string): void {
    if (this.problem !== null) return
    this.problem = problem
    this.options.onProblem(this.state())
  }

  private relative(path: string): string {
    return relative(this.tree.home, path).replaceAll(sep, '/')
  }
}

/** An inode number alone is reused at once. */
function identityOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}:${stats.birthtimeMs}`
}

function withTimeout(promise: Promise<void>, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isResolved: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
      resolve(isResolved)
    }
    const giveUp = () => end(false)
    // A suspended process may wake up too late: pending events come first.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    signal.addEventListener('abort', giveUp)
    void promise.then(() => end(true))
    if (signal.aborted) giveUp()
  })
}
