import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** The sidecar database of a home. */
export const databasePath = (home: string): string => join(home, '.workroom', 'workroom.db')

/** Where a new workspace's database is built; nothing looks for it there, so a half-built one is none. */
export const unfinishedDatabasePath = (home: string): string => join(home, '.workroom', 'unfinished.db')

/** Where the database of a backup waits until all of its files are there. */
export const restoringDatabasePath = (home: string): string => join(home, '.workroom', 'restoring.db')

/** Whether a backup was begun to be restored into this folder, and is not all there. */
export const isRestoreUnfinished = (home: string): boolean =>
  !isHome(home) && existsSync(restoringDatabasePath(home))

/** Where the mirrors of linked code repositories lie. */
export const repositoriesPath = (home: string): string => join(home, '.workroom', 'repositories')

/** Whether a workspace lives in this folder. */
export const isHome = (home: string): boolean => existsSync(databasePath(home))

/** Whether a folder that is no home holds projects all the same: its database was lost. */
export function holdsProjects(home: string): boolean {
  const projects = join(home, 'projects')
  return existsSync(projects) && readdirSync(projects).some((name) => isFolder(join(projects, name)))
}

/** Whether the file of the database is there and holds nothing, which SQLite would take for a new database. */
export const isDatabaseEmpty = (home: string): boolean =>
  statSync(databasePath(home), { throwIfNoEntry: false })?.size === 0

/** The ids in the markers of the folders under `projects/`, by folder; null for a folder without one. */
export function projectMarkers(home: string, markerName: string): Map<string, string | null> {
  const projects = join(home, 'projects')
  const names = existsSync(projects) ? readdirSync(projects).sort() : []
  return new Map(
    names
      .filter((name) => isFolder(join(projects, name)))
      .map((name) => [name, readLine(join(projects, name, markerName))]),
  )
}

function readLine(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null
    throw error
  }
}

/**
 * Puts a database out of the way, with its log, so that nothing is lost of what may still be read in it. Of those that were
 * put away before, the newest two stay.
 * @param name of the folder in `.workroom` that it comes into; by their order the newest is the last
 * @returns the folder's absolute path; null where there is no database
 */
export function setDatabaseAside(home: string, name: string): string | null {
  const path = databasePath(home)
  const there = ['', '-wal', '-shm'].filter((suffix) => existsSync(path + suffix))
  if (there.length === 0) return null
  const folder = join(dirname(path), brokenPrefix + name)
  mkdirSync(folder, { mode: 0o700 })
  for (const suffix of there) renameSync(path + suffix, join(folder, basename(path) + suffix))
  const former = readdirSync(dirname(path)).filter((entry) => entry.startsWith(brokenPrefix))
  for (const old of former.sort().slice(0, -maxSetAside))
    rmSync(join(dirname(path), old), { recursive: true })
  return folder
}

const brokenPrefix = 'broken-'
const maxSetAside = 3

/** Whether something is left of a workspace: its folder for the database, or projects. */
export const isHomeLeft = (home: string): boolean =>
  holdsProjects(home) || existsSync(join(home, '.workroom', 'backups'))

/** Makes the folders of a home, that of the database for its owner's eyes alone. */
export function createHome(home: string): void {
  mkdirSync(join(home, 'projects'), { recursive: true })
  mkdirSync(join(home, '.workroom'), { recursive: true, mode: 0o700 })
}

/** Removes what a process left behind that ended before its workspace was made. */
export const clearUnfinishedDatabase = (home: string): void => removeDatabase(unfinishedDatabasePath(home))

/**
 * Gives the finished and closed database its name, from when on the folder is a home, and makes that durable together
 * with the names of the home and of the folders above it, which may be new.
 */
export function publishDatabase(home: string, finished = unfinishedDatabasePath(home)): void {
  // A log that was left behind by a lost database would be replayed into the new one.
  removeDatabase(databasePath(home))
  chmodSync(finished, 0o600)
  sync(finished)
  renameSync(finished, databasePath(home))
  let folder = dirname(databasePath(home))
  for (; folder !== dirname(folder); folder = dirname(folder)) sync(folder)
}

/** A folder above the home that may not be opened was there before; Windows opens none. @throws the system's error */
function sync(path: string): void {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (['EACCES', 'EPERM', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

/** The text of the home's `workroom.yaml`; null where there is none. */
export function readSettings(home: string): string | null {
  try {
    return readFileSync(join(home, 'workroom.yaml'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * The home in one of whose project folders a path lies, links followed; null where there is none.
 * @param path need not exist
 */
export function enclosingHome(path: string): string | null {
  for (let folder = dirname(realPath(resolve(path))); folder !== dirname(folder); folder = dirname(folder)) {
    const home = dirname(folder)
    if (basename(folder) === 'projects' && isFolder(join(home, '.workroom'))) return home
  }
  return null
}

function realPath(path: string): string {
  if (existsSync(path) || path === dirname(path)) return realpathSync(path)
  return join(realPath(dirname(path)), basename(path))
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
