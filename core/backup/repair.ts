import { DurableFolderWriter } from '../../data/backup/folders.ts'
import { isCorrupt } from '../../data/failures.ts'
import {
  clearUnfinishedDatabase,
  databasePath,
  isDatabaseEmpty,
  publishDatabase,
  setDatabaseAside,
  unfinishedDatabasePath,
} from '../../data/home.ts'
import { integrityProblems, rebuildIndexes, removeOrphans } from '../../data/integrity.ts'
import { SchemaError } from '../../data/migrations.ts'
import { openDatabase } from '../../data/open-database.ts'
import { workspaceTable } from '../../data/tables/workspace.ts'
import { HomeLockedError, lockHome } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import {
  hasWorkspaceFiles,
  requireOutsideProjects,
  requireRestoreFinished,
  workspaceExists,
} from '../home/home.ts'
import { BrokenDatabaseError, openHomeDatabase } from '../home/home-database.ts'
import { type RandomBytes, systemRandom } from '../ids.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { openWorkspace, type WorkspaceOptions } from '../workspace/index.ts'
import { type CreatedWorkspace, createWorkspaceForFolders } from '../workspace/setup.ts'
import { documentIds, restoreNewestSnapshot } from './restore-snapshot.ts'

interface RepairRequest {
  home: string
  /** The name of the first owner, used if only files are left. */
  owner: string
  config: WorkspaceOptions['config']
  clock?: Clock
  random?: RandomBytes
}

type RepairedFrom = 'indexes' | 'snapshot' | 'files'

export interface Repaired {
  from: RepairedFrom
  snapshotMs: number | null
  broken: string | null
  kept: number
  added: number
  created: CreatedWorkspace | null
}

/**
 * Rebuilds a damaged or missing database: from its own rows if only indexes are damaged or rows orphaned,
 * else from the newest sound snapshot, else from the files. Keeps the damaged database, and changes no
 * project file. Returns null if the database is sound.
 * @throws WorkspaceError `not_found` if there is nothing to repair; `conflict` if it is in use, or of a newer
 * version
 */
export async function repair(request: RepairRequest): Promise<Repaired | null> {
  const { home, clock = systemClock, random = systemRandom } = request
  requireOutsideProjects(home)
  requireRestoreFinished(home)
  if (!workspaceExists(home) && !hasWorkspaceFiles(home)) {
    throw new WorkspaceError('not_found', `There is no workspace in ${home}, nor the remains of one.`)
  }
  const rebuilt = await rebuildFromSnapshot(request, clock, random)
  if (rebuilt === null) return null
  await ingestFiles({ ...request, clock, random })
  const ids = await documentIds(databasePath(home))
  const kept = [...ids].filter((id) => rebuilt.documents.has(id)).length
  const { documents, ...repaired } = rebuilt
  return { ...repaired, kept, added: ids.size - kept }
}

type RebuiltDatabase = Omit<Repaired, 'kept' | 'added'> & { documents: ReadonlySet<string> }

async function rebuildFromSnapshot(
  { home, owner }: RepairRequest,
  clock: Clock,
  random: RandomBytes,
): Promise<RebuiltDatabase | null> {
  const lock = lockFor(home)
  try {
    if (workspaceExists(home) && (await isHealthy(home))) return null
    const idsAfterRepair = await repairIndexes(home)
    const broken = setDatabaseAside(home, new Date(clock.now()).toISOString().replace(/[:.]/g, '-'))
    if (idsAfterRepair) {
      publishDatabase(home)
      return { from: 'indexes', snapshotMs: null, broken, documents: idsAfterRepair, created: null }
    }
    const snapshot = await restoreNewestSnapshot(home, random)
    if (snapshot) {
      const { atMs, documents } = snapshot
      return { from: 'snapshot', snapshotMs: atMs, broken, documents, created: null }
    }
    const created = await createWorkspaceForFolders({ home, name: 'Workroom', owner, clock, random })
    return { from: 'files', snapshotMs: null, broken, documents: new Set(), created }
  } finally {
    lock.release()
  }
}

function lockFor(home: string): ReturnType<typeof lockHome> {
  try {
    return lockHome(home)
  } catch (error) {
    if (!(error instanceof HomeLockedError)) throw error
    throw new WorkspaceError(
      'conflict',
      `${home} is served (process ${error.pid ?? 'unknown'}). Stop the server, then repair the database.`,
    )
  }
}

async function isHealthy(home: string): Promise<boolean> {
  try {
    const database = openHomeDatabase(home, { isLocked: true })
    try {
      return integrityProblems(database.connection).length === 0
    } finally {
      await database.close()
    }
  } catch (error) {
    if (isCorrupt(error) || error instanceof BrokenDatabaseError) return false
    throw error
  }
}

/** Tries the repair on a copy. Returns the documents' ids, or null if it is not enough. */
async function repairIndexes(home: string): Promise<Set<string> | null> {
  clearUnfinishedDatabase(home)
  if (!workspaceExists(home) || isDatabaseEmpty(home)) return null
  const writer = new DurableFolderWriter(home, 'private')
  for (const suffix of ['', '-wal']) {
    await writer.copy(databasePath(home) + suffix, `.workroom/unfinished.db${suffix}`)
  }
  const unfinished = unfinishedDatabasePath(home)
  try {
    const database = openDatabase(unfinished, { mustExist: true })
    try {
      rebuildIndexes(database.connection)
      removeOrphans(database.connection)
      const isWorkspace = workspaceTable(database.connection).find() !== undefined
      if (!isWorkspace || integrityProblems(database.connection).length > 0) return null
    } finally {
      await database.close()
    }
    return await documentIds(unfinished)
  } catch (error) {
    if (error instanceof SchemaError) return null
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')) return null
    throw error
  }
}

/** Offline, so that no webhook, mail or fetch is sent. */
async function ingestFiles({ home, config, clock, random }: Required<RepairRequest>): Promise<void> {
  const workspace = await openWorkspace({ home, config, clock, random, isOffline: true })
  await workspace.close()
}
