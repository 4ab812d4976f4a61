import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  DurableFolderWriter,
  hashOf,
  isMissingOrEmpty,
  measureFolder,
  publishFolder,
  removeFolder,
  restrictToOwner,
} from '../../data/backup/folders.ts'
import { snapshotDatabase } from '../../data/backup/write-snapshot.ts'
import { databasePath, enclosingHome } from '../../data/home.ts'
import { openDatabase } from '../../data/open-database.ts'
import { isServed } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { openHomeDatabase } from '../home/home-database.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { BackupFiles } from './backup-files.ts'
import { checksumsName, formatChecksums } from './checksums.ts'
import { currentFormat, databaseName, type Manifest, manifestName } from './manifest.ts'
import { SnapshotFiles } from './snapshot-files.ts'

interface BackupRequest {
  home: string
  to: string
  clock?: Clock
  onProgress?: (files: number) => void
}

/**
 * The database is as of one moment, the documents as that database has them, other files as found right after.
 * Secrets are in the backup in clear, so that only its owner can read it.
 * @throws WorkspaceError `not_found` if there is no workspace; `conflict` if there is no space
 */
export async function backUp({
  home,
  to,
  clock = systemClock,
  onProgress = () => {},
}: BackupRequest): Promise<Manifest> {
  // Checks the schema first: a server of another version may be running.
  await openHomeDatabase(home).close()
  const partial = `${to}.partial`
  requireUnusedTarget(home, to, partial)
  try {
    const manifest = await writeBackup(home, partial, { clock, onProgress })
    await publishFolder(partial, to)
    return manifest
  } catch (error) {
    await removeFolder(partial)
    throw error
  }
}

function requireUnusedTarget(home: string, to: string, partial: string): void {
  if (!isMissingOrEmpty(to)) throw new WorkspaceError('conflict', `${to} is not empty. Choose a new folder.`)
  if (!isMissingOrEmpty(partial)) {
    throw new WorkspaceError(
      'conflict',
      `${partial} is left over from a backup that was interrupted, or belongs to one that is running. Remove it first.`,
    )
  }
  if (enclosingHome(to) === null && !`${to}/`.startsWith(`${home}/`)) return
  throw new WorkspaceError('conflict', `${to} is in a workspace. Choose a folder outside of it.`)
}

async function writeBackup(
  home: string,
  folder: string,
  { clock, onProgress }: Required<Pick<BackupRequest, 'clock' | 'onProgress'>>,
): Promise<Manifest> {
  const writer = new DurableFolderWriter(folder, 'private')
  await writer.makeFolder('projects')
  // Without a server, later edits are not ingested: the files are backed up as they are.
  const isLive = isServed(home)
  const database = openSnapshot(home, join(folder, databaseName))
  let manifestFields: Pick<Manifest, 'workspace' | 'documents' | 'newer' | 'leftOut' | 'at'>
  try {
    const at = new Date(clock.now()).toISOString()
    const snapshot = new SnapshotFiles(database)
    const files = new BackupFiles({ home, snapshot, writer, isLive, onProgress })
    await files.copyAll()
    await snapshot.finish(folder)
    const { id, name, slug } = snapshot.workspace
    const { newer, leftOut } = files
    manifestFields = {
      workspace: { id, name, slug },
      at,
      documents: snapshot.documents.length,
      newer,
      leftOut,
    }
  } finally {
    await database.close()
  }
  const path = join(folder, databaseName)
  await restrictToOwner(path)
  const measured = await measureFolder(folder, (path) => path !== databaseName)
  const { bytes } = await measureFolder(folder, (path) => path === databaseName)
  const sums = Buffer.from(formatChecksums(writer.sums))
  await writer.write(checksumsName, sums)
  const manifest: Manifest = {
    format: currentFormat,
    ...manifestFields,
    ...measured,
    sums: { sha256: createHash('sha256').update(sums).digest('hex') },
    database: { bytes, sha256: await hashOf(path) },
  }
  await writer.write(manifestName, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
  await writer.sync()
  return manifest
}

function openSnapshot(home: string, path: string) {
  snapshotDatabase(databasePath(home), path)
  return openDatabase(path)
}
