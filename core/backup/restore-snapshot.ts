import { DurableFolderWriter } from '../../data/backup/folders.ts'
import { listSnapshots, type Snapshot } from '../../data/backup/snapshots.ts'
import { type Connection, openDatabase } from '../../data/database.ts'
import {
  clearUnfinishedDatabase,
  databasePath,
  publishDatabase,
  unfinishedDatabasePath,
} from '../../data/home.ts'
import { integrityProblems } from '../../data/integrity.ts'
import { SchemaError } from '../../data/migrations.ts'
import { documentsTable } from '../../data/tables/documents.ts'
import { lockHome } from '../../data/tree/index.ts'
import { requireOutsideProjects, workspaceExists } from '../home/home.ts'
import { type RandomBytes, systemRandom } from '../ids.ts'
import { startNewEpoch } from './new-epoch.ts'

/** What became of a database that was lost. */
interface RestoredDatabase {
  /** The moment that the database shows, Unix milliseconds. */
  atMs: number
  /** The ids of the documents that it knew. */
  documents: ReadonlySet<string>
}

/**
 * Where the database of a home is gone, puts its newest sound snapshot in its place: members, keys, rooms and ids are as they
 * were then, and a start takes in what has happened to the files since (`docs/operations.md#doctor-and-repair`).
 * @returns null where nothing was lost, or there is no snapshot that could be used
 * @throws HomeLockedError while another process serves the home
 */
export async function restoreLostDatabase(
  home: string,
  random: RandomBytes = systemRandom,
): Promise<RestoredDatabase | null> {
  if (workspaceExists(home) || listSnapshots(home).length === 0) return null
  requireOutsideProjects(home)
  const lock = lockHome(home)
  try {
    return await restoreNewestSnapshot(home, random)
  } finally {
    lock.release()
  }
}

/**
 * Puts the newest sound snapshot of a home in the place of its database, which is gone. To be called with the home's lock.
 * @returns null where there is none that could be used
 */
export async function restoreNewestSnapshot(
  home: string,
  random: RandomBytes,
): Promise<RestoredDatabase | null> {
  for (const snapshot of listSnapshots(home)) {
    const documents = await trySnapshot(home, snapshot, random)
    if (documents === null) continue
    publishDatabase(home)
    return { atMs: snapshot.atMs, documents }
  }
  clearUnfinishedDatabase(home)
  return null
}

/** How many of a home's documents had their ids before, and how many are new. */
export async function countKeptIds(
  home: string,
  { documents }: RestoredDatabase,
): Promise<{ kept: number; added: number }> {
  const ids = await documentIds(databasePath(home))
  const kept = [...ids].filter((id) => documents.has(id)).length
  return { kept, added: ids.size - kept }
}

/** @returns the ids of its documents; null where it is damaged */
async function trySnapshot(
  home: string,
  { path }: Snapshot,
  random: RandomBytes,
): Promise<Set<string> | null> {
  clearUnfinishedDatabase(home)
  const unfinished = unfinishedDatabasePath(home)
  if ((await new DurableFolderWriter(home, 'private').copy(path, '.workroom/unfinished.db')) === null)
    return null
  try {
    await startNewEpoch(unfinished, random, { isSameDisk: true })
    return await withDatabase(unfinished, (db) => (integrityProblems(db).length === 0 ? idsIn(db) : null))
  } catch (error) {
    if (error instanceof SchemaError) return null
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')) return null
    throw error
  }
}

const idsIn = (db: Connection): Set<string> =>
  new Set(
    documentsTable(db)
      .live()
      .map(({ id }) => id),
  )

/** The ids of the documents that a database knows. @param path of a database that is sound */
export const documentIds = (path: string): Promise<Set<string>> => withDatabase(path, idsIn)

async function withDatabase<T>(path: string, work: (db: Connection) => T): Promise<T> {
  const database = openDatabase(path)
  try {
    return work(database.connection)
  } finally {
    await database.close()
  }
}
