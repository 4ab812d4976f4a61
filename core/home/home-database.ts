import { listSnapshots } from '../../data/backup/snapshots.ts'
import type { Database, DatabaseOptions } from '../../data/database.ts'
import { busyText, failureReason, isCorrupt } from '../../data/failures.ts'
import { databasePath, isDatabaseEmpty } from '../../data/home.ts'
import { SchemaError } from '../../data/migrations.ts'
import { openDatabase } from '../../data/open-database.ts'
import { workspaceTable } from '../../data/tables/workspace.ts'
import { isServed } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireOutsideProjects, requireWorkspace } from './home.ts'

interface HomeDatabaseOptions extends Omit<DatabaseOptions, 'migrates' | 'mustExist'> {
  /** Whether the caller holds the home's lock, so that no server is running. */
  isLocked?: boolean
}

/** Never migrates. @throws WorkspaceError `conflict` for a damaged database, or another version's */
export function openHomeDatabase(home: string, options: HomeDatabaseOptions = {}): Database {
  requireWorkspace(home)
  requireOutsideProjects(home)
  if (isDatabaseEmpty(home)) throw new BrokenDatabaseError(home, 'it is empty')
  const database = openOrExplain(home, options)
  try {
    if (workspaceTable(database.connection).find()) return database
  } catch (error) {
    database.connection.close()
    throw explainOpenError(home, error, options)
  }
  database.connection.close()
  throw new BrokenDatabaseError(home, 'it holds no workspace')
}

function openOrExplain(home: string, options: HomeDatabaseOptions): Database {
  try {
    return openDatabase(databasePath(home), { ...options, migrates: false, mustExist: true })
  } catch (error) {
    throw explainOpenError(home, error, options)
  }
}

export function explainOpenError(
  home: string,
  error: unknown,
  { isLocked = false }: HomeDatabaseOptions = {},
): unknown {
  if (error instanceof SchemaError && error.found === 0) {
    return new BrokenDatabaseError(home, 'it holds no workspace')
  }
  if (error instanceof SchemaError) return schemaMismatchError(home, error, !isLocked && isServed(home))
  if (failureReason(error) === busyText) {
    return new WorkspaceError(
      'conflict',
      `${busyText}, which has locked it exclusively. If that is a server that was started on a full disk, free space and restart it.`,
    )
  }
  return error instanceof Error && isCorrupt(error) ? new BrokenDatabaseError(home, error.message) : error
}

export class BrokenDatabaseError extends WorkspaceError {
  constructor(home: string, reason: string) {
    super(
      'conflict',
      `The database ${databasePath(home)} is broken: ${reason}. Stop the server if it is running, and repair it with: ` +
        `workroom repair --home ${home}. Project files are not changed.`,
    )
    this.name = 'BrokenDatabaseError'
  }
}

function schemaMismatchError(home: string, { found, known }: SchemaError, isServed: boolean): WorkspaceError {
  if (found > known) return new WorkspaceError('conflict', newerSchemaError(home, found, known))
  const schemas = `the database has schema ${found}, this program needs ${known}`
  return new WorkspaceError(
    'conflict',
    isServed
      ? `${home} is served by an older Workroom: ${schemas}. Restart the server with this version, then try again.`
      : `${home} was used by an older Workroom: ${schemas}. Serve it, or migrate the database with: workroom migrate --home ${home}`,
  )
}

function newerSchemaError(home: string, found: number, known: number): string {
  const message =
    `The database of ${home} was written by a newer Workroom: it has schema ${found}, this program knows ${known}. ` +
    'Use the newer version.'
  const snapshot = listSnapshots(home).find(({ schema }) => schema !== null && schema <= known)
  if (!snapshot) return message
  const path = databasePath(home)
  return (
    `${message} To go back to this version, losing what the newer one wrote except the files: stop the server, remove ` +
    `${path}, ${path}-wal and ${path}-shm, and move ${snapshot.path} to ${path}`
  )
}
