import { join, relative } from 'node:path'
import {
  DurableFolderWriter,
  hashOf,
  isMissingOrEmpty,
  measureFolder,
  readTextOrNull,
  walk,
} from '../../data/backup/folders.ts'
import { createHome, publishDatabase, restoringDatabasePath } from '../../data/home.ts'
import { isPrivatePath, lockHome } from '../../data/tree/index.ts'
import { mapConcurrently } from '../concurrency/map-concurrently.ts'
import { type Finding, findDifferences } from '../doctor/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { requireOutsideProjects, requireRestoreFinished, workspaceExists } from '../home/home.ts'
import { type RandomBytes, systemRandom } from '../ids.ts'
import { scratchFolder } from '../mount/scratch.ts'
import { roomFilesRoot } from '../room-attachments/room-attachment-files.ts'
import { checksumsName, parseChecksums, verifyChecksums } from './checksums.ts'
import { databaseName, type Manifest, manifestName, readManifest } from './manifest.ts'
import { startNewEpoch } from './new-epoch.ts'

interface RestoreRequest {
  from: string
  home: string
  random?: RandomBytes
  onProgress?: (files: number) => void
}

interface Restored extends Manifest {
  /** Filled for a backup without checksums: files that differ from its database. */
  differing: Finding[]
}

/**
 * Verifies the backup first. The database gets its name last, so that an interrupted restore leaves no
 * workspace.
 * @throws WorkspaceError `bad_request` for a damaged backup; `conflict` for a home that is not empty
 */
export async function restore(request: RestoreRequest): Promise<Restored> {
  const { from, home, random = systemRandom, onProgress = () => {} } = request
  const manifest = readManifest(await readTextOrNull(join(from, manifestName)), from)
  requireEmptyHome(home)
  await requireComplete(from, manifest)
  createHome(home)
  const lock = lockHome(home)
  try {
    await copyFiles(from, home, onProgress)
    await startNewEpoch(restoringDatabasePath(home), random)
    publishDatabase(home, restoringDatabasePath(home))
  } finally {
    lock.release()
  }
  return { ...manifest, differing: manifest.sums ? [] : (await findDifferences(home)).findings }
}

function requireEmptyHome(home: string): void {
  requireOutsideProjects(home)
  if (isMissingOrEmpty(home)) return
  requireRestoreFinished(home)
  throw new WorkspaceError(
    'conflict',
    workspaceExists(home)
      ? `${home} holds a workspace. Stop its server and move it away, or restore into another folder.`
      : `${home} is not empty. Restore into a folder that does not exist yet.`,
  )
}

async function requireComplete(from: string, manifest: Manifest): Promise<void> {
  const { database, sums } = manifest
  if (!(await matchesChecksum(join(from, databaseName), database.sha256)))
    throw damagedBackupError('its database differs from the one that was written')
  if (sums === undefined) return requireCount(from, manifest)
  if (!(await matchesChecksum(join(from, checksumsName), sums.sha256)))
    throw damagedBackupError(`its ${checksumsName} differs from the one that was written`)
  const listedSums = parseChecksums((await readTextOrNull(join(from, checksumsName))) ?? '')
  const differences = await verifyChecksums(
    listedSums,
    from,
    new Set([databaseName, manifestName, checksumsName]),
  )
  if (differences.length === 0) return
  const listed = differences.slice(0, maxListed).map(({ path, status }) => `${path} (${status})`)
  const omittedCount = differences.length - listed.length
  throw damagedBackupError(`${listed.join(', ')}${omittedCount > 0 ? ` and ${omittedCount} more files` : ''}`)
}

const maxListed = 20

/** All that can be checked in a backup of format 1 before it is restored. */
async function requireCount(from: string, { files, bytes }: Manifest): Promise<void> {
  const isCounted = (path: string) => path !== databaseName && path !== manifestName
  const measured = await measureFolder(from, isCounted)
  if (measured.files === files && measured.bytes === bytes) return
  throw damagedBackupError(
    `it holds ${measured.files} files of ${measured.bytes} bytes, but was written with ${files} of ${bytes}`,
  )
}

async function matchesChecksum(path: string, sha256: string): Promise<boolean> {
  try {
    return (await hashOf(path)) === sha256
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

const damagedBackupError = (reason: string) =>
  new WorkspaceError('bad_request', `The backup is damaged: ${reason}. Take another one.`)

async function copyFiles(from: string, home: string, onProgress: (files: number) => void): Promise<void> {
  // Copied first: until it is renamed, it marks the home as incomplete.
  await new DurableFolderWriter(home, 'private').copy(
    join(from, databaseName),
    relative(home, restoringDatabasePath(home)),
  )
  const writer = new DurableFolderWriter(home, (path) => (isPrivatePath(path) ? 'private' : 'default'))
  let files = 0
  for (const top of ['projects', 'trash', roomFilesRoot, scratchFolder]) {
    await mapConcurrently(walk(join(from, top)), async ({ path, kind }) => {
      const [source, target] = [join(from, top, path), `${top}/${path}`]
      if (kind === 'folder') await writer.makeFolder(target)
      else if (kind === 'link') await writer.copyLink(source, target)
      else await writer.copy(source, target)
      if (kind !== 'folder') onProgress(++files)
    })
  }
  await new DurableFolderWriter(home, 'private').copy(join(from, 'workroom.yaml'), 'workroom.yaml')
  await writer.sync()
}
