import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { errnoOf } from './disk-errors.ts'
import { restrictToOwner } from './privacy.ts'
import { DiskError, type HomeLock } from './types.ts'

export class HomeLockedError extends Error {
  readonly pid: number | null

  constructor(pid: number | null) {
    super(`This home is in use by another Workroom (process ${pid ?? 'unknown'}); stop that one first`)
    this.name = 'HomeLockedError'
    this.pid = pid
  }
}

/** Lasts until `release` or the end of the process. @throws HomeLockedError; DiskError */
export function lockHome(home: string): HomeLock {
  const folder = join(home, '.workroom')
  const pidPath = join(folder, 'lock.pid')
  const database = openLocked(folder, pidPath)
  try {
    writeFileSync(pidPath, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    // On a full disk a workspace can still be read.
    if (!diskFullCodes.has(errnoOf(error))) {
      database.close()
      throw lockFailure(error)
    }
  }
  return {
    release() {
      if (!database.open) return
      // While the lock is held: afterwards the file may be the next holder's.
      rmSync(pidPath, { force: true })
      database.close()
    },
  }
}

/** @throws DiskError if the lock cannot be checked */
export function isServed(home: string): boolean {
  try {
    lockHome(home).release()
    return false
  } catch (error) {
    if (error instanceof HomeLockedError) return true
    throw error
  }
}

const diskFullCodes = new Set<string | null>(['ENOSPC', 'EDQUOT'])

function openLocked(folder: string, pidPath: string): Database.Database {
  let database: Database.Database | null = null
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    database = new Database(join(folder, 'lock.db'), { timeout: 0 })
    // Nothing is ever written to it, so no space is needed.
    database.pragma('journal_mode = MEMORY')
    restrictToOwner(join(folder, 'lock.db'))
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (isCode(error, 'SQLITE_BUSY')) throw new HomeLockedError(pidIn(pidPath))
    throw lockFailure(error)
  }
}

function pidIn(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, 'utf8'), 10) || null
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}

function lockFailure(error: unknown): DiskError {
  if (isCode(error, 'SQLITE_CANTOPEN') || isCode(error, 'SQLITE_READONLY')) {
    return new DiskError('EACCES', 'The server may not write in .workroom', { cause: error })
  }
  const errno = errnoOf(error) ?? 'EIO'
  return new DiskError(errno, `The home could not be locked: ${String((error as Error).message)}`, {
    cause: error,
  })
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Database.SqliteError && (error.code === code || error.code.startsWith(`${code}_`))
}
