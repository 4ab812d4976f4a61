import { DurableFolderWriter } from '../../data/backup/folders.ts'
import { listSnapshots, type Snapshot } from '../../data/backup/snapshots.ts'
import type { Connection } from '../../data/database.ts'
import {
  clearUnfinishedDatabase,
  databasePath,
  publishDatabase,
  unfinishedDatabasePath,
} from '../../data/home.ts'
import { integrityProblems } from '../../data/integrity.ts'
import { SchemaError } from '../../data/migrations.ts'
import { openDatabase } from '../../data/open-database.ts'
import { documentsTable } from '../../data/tables/documents.ts'
import { lockHome } from '../../data/tree/index.ts'
import { requireOutsideProjects, workspaceExists } from '../home/home.ts'
import { type RandomBytes, systemRandom } from '../ids.ts'
import { startNewEpoch } from './new-epoch.ts'

interface RestoredDatabase {
  atMs: number
  documents: ReadonlySet<string>
}

/** Returns null if none was missing, or no snapshot is usable (`docs/operations.md#doctor-and-repair`). */
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

/** Requires the home's lock. Returns null if no snapshot is usable. */
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

export async function countKeptIds(
  home: string,
  { documents }: RestoredDatabase,
): Promise<{ kept: number; added: number }> {
  const ids = await documentIds(databasePath(home))
  const kept = [...ids].filter((id) => documents.has(id)).length
  return { kept, added: ids.size - kept }
}

async function trySnapshot(
  home: string,
  { path }: Snapshot,
  random: RandomBytes,
): Promise<Set<string> | null> {
  clearUnfinishedDatabase(home)
  const unfinished = unfinishedDatabasePath(home)
  const outcome = await new DurableFolderWriter(home, 'private').copy(path, '.workroom/unfinished.db')
  if (outcome !== 'copied') return null
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

export const documentIds = (path: string): Promise<Set<string>> => withDatabase(path, idsIn)

async function withDatabase<T>(path: string, work: (db: Connection) => T): Promise<T> {
  const database = openDatabase(path)
  try {
    return work(database.connection)
  } finally {
    await database.close()
  }
}
