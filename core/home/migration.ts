import { hasSpaceForSnapshot, takeMigrationSnapshot } from '../../data/backup/snapshots.ts'
import { databasePath, isDatabaseEmpty } from '../../data/home.ts'
import { latestSchema, SchemaError } from '../../data/migrations.ts'
import { openDatabase } from '../../data/open-database.ts'
import { HomeLockedError, lockHome } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { requireOutsideProjects, requireWorkspace } from './home.ts'
import { explainOpenError, openHomeDatabase } from './home-database.ts'

export interface Migration {
  from: number
  to: number
  snapshot: string
}

/** Returns null if the database is current. @throws WorkspaceError `conflict` if it cannot be migrated */
export async function migrateHome(home: string, clock: Clock = systemClock): Promise<Migration | null> {
  requireWorkspace(home)
  requireOutsideProjects(home)
  const from = isDatabaseEmpty(home) ? null : await schemaBefore(home)
  if (from === null) return null
  const lock = lockFor(home)
  try {
    if (!(await hasSpaceForSnapshot(home))) {
      throw new WorkspaceError(
        'conflict',
        `The database of ${home} must be migrated, and the disk has no space for a copy of the old database. Free twice its size.`,
      )
    }
    const snapshot = await takeMigrationSnapshot(home, from, clock.now())
    await openDatabase(databasePath(home), { migrates: true, mustExist: true }).close()
    return { from, to: latestSchema(), snapshot }
  } catch (error) {
    throw explainOpenError(home, error, { isLocked: true })
  } finally {
    lock.release()
  }
}

async function schemaBefore(home: string): Promise<number | null> {
  try {
    await openDatabase(databasePath(home), { mustExist: true }).close()
    return null
  } catch (error) {
    if (error instanceof SchemaError && error.found > 0 && error.found < error.known) return error.found
    throw explainOpenError(home, error)
  }
}

function lockFor(home: string): ReturnType<typeof lockHome> {
  try {
    return lockHome(home)
  } catch (error) {
    // Throws an error that says to restart the server with this version.
    if (error instanceof HomeLockedError) openHomeDatabase(home).connection.close()
    throw error
  }
}
