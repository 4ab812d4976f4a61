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

export const databasePath = (home: string): string => join(home, '.workroom', 'workroom.db')

export const unfinishedDatabasePath = (home: string): string => join(home, '.workroom', 'unfinished.db')

/** The database of a backup has this path until all files are restored. */
export const restoringDatabasePath = (home: string): string => join(home, '.workroom', 'restoring.db')

export const isRestoreUnfinished = (home: string): boolean =>
  !isHome(home) && existsSync(restoringDatabasePath(home))

export const repositoriesPath = (home: string): string => join(home, '.workroom', 'repositories')

export const isHome = (home: string): boolean => existsSync(databasePath(home))

export function holdsProjects(home: string): boolean {
  const projects = join(home, 'projects')
  return existsSync(projects) && readdirSync(projects).some((name) => isFolder(join(projects, name)))
}

export const isDatabaseEmpty = (home: string): boolean =>
  statSync(databasePath(home), { throwIfNoEntry: false })?.size === 0

/** Null for a folder without a marker. */
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

/** Keeps the newest two of earlier ones. Null if there is no database. */
export function setDatabaseAside(home: string, name: string): string | null {
  const path = databasePath(home)
  const existing = ['', '-wal', '-shm'].filter((suffix) => existsSync(path + suffix))
  if (existing.length === 0) return null
  const folder = join(dirname(path), brokenPrefix + name)
  mkdirSync(folder, { mode: 0o700 })
  for (const suffix of existing) renameSync(path + suffix, join(folder, basename(path) + suffix))
  const earlier = readdirSync(dirname(path)).filter((entry) => entry.startsWith(brokenPrefix))
  for (const old of earlier.sort().slice(0, -maxSetAside))
    rmSync(join(dirname(path), old), { recursive: true })
  return folder
}

const brokenPrefix = 'broken-'
const maxSetAside = 3

export const hasHomeRemains = (home: string): boolean =>
  holdsProjects(home) || existsSync(join(home, '.workroom', 'backups'))

export function createHome(home: string): void {
  mkdirSync(join(home, 'projects'), { recursive: true })
  mkdirSync(join(home, '.workroom'), { recursive: true, mode: 0o700 })
}

export const clearUnfinishedDatabase = (home: string): void => removeDatabase(unfinishedDatabasePath(home))

/** Makes the folder a home, durably with the names of all folders above. The database must be closed. */
export function publishDatabase(home: string, finished = unfinishedDatabasePath(home)): void {
  // SQLite would replay the log of a lost database into the new one.
  removeDatabase(databasePath(home))
  chmodSync(finished, 0o600)
  sync(finished)
  renameSync(finished, databasePath(home))
  let folder = dirname(databasePath(home))
  for (; folder !== dirname(folder); folder = dirname(folder)) sync(folder)
}

/** Skips a folder above the home that cannot be opened; Windows opens none. */
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

export function readSettings(home: string): string | null {
  try {
    return readFileSync(join(home, 'workroom.yaml'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Follows links. The path need not exist. */
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
