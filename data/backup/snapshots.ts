import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { runInChildProcess } from '../background.ts'
import { databasePath } from '../home.ts'
import { syncFolder } from '../tree/fsync.ts'
import { restrictToOwner } from './folders.ts'

export interface Snapshot {
  path: string
  atMs: number
  /** The former schema, for a snapshot before a migration. */
  schema: number | null
}

const folderOf = (home: string) => join(home, '.workroom', 'backups')

/** `2026-11-21T19-09-39-656Z.db`: valid on every file system. */
const nameOf = (atMs: number) => `${new Date(atMs).toISOString().replace(/[:.]/g, '-')}.db`
const partialSuffix = '.partial'
const namePattern = /^(?:before-migration-from-(\d+)-)?(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.db$/

export function listSnapshots(home: string): Snapshot[] {
  const folder = folderOf(home)
  if (!existsSync(folder)) return []
  const snapshots = readdirSync(folder).flatMap((name) => {
    const atMs = Date.parse(name.replace(namePattern, '$2:$3:$4.$5'))
    const schema = namePattern.exec(name)?.[1]
    if (Number.isNaN(atMs)) return []
    return [{ path: join(folder, name), atMs, schema: schema === undefined ? null : Number(schema) }]
  })
  return snapshots.sort((a, b) => b.atMs - a.atMs)
}

/** Requires twice the size of a snapshot. */
export async function hasSpaceForSnapshot(home: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(home)
  return bavail * bsize > 2 * statSync(databasePath(home)).size
}

/** Returns the path once it is durable. */
export const takeSnapshot = (home: string, atMs: number, signal: AbortSignal): Promise<string> =>
  store(home, nameOf(atMs), (to) => copyInBackground(home, to, signal))

/** Returns the path once it is durable. */
export const storeSnapshot = (
  home: string,
  atMs: number,
  write: (to: string) => Promise<unknown>,
): Promise<string> => store(home, nameOf(atMs), write)

/** Replaces the previous one, which stays after a failure. */
export async function takeMigrationSnapshot(home: string, schema: number, atMs: number): Promise<string> {
  const earlier = listSnapshots(home).filter((snapshot) => snapshot.schema !== null)
  const name = `before-migration-from-${schema}-${nameOf(atMs)}`
  const path = await store(home, name, (to) => copyInBackground(home, to, new AbortController().signal))
  for (const old of earlier) if (old.path !== path) await deleteSnapshot(old)
  return path
}

const copyInBackground = (home: string, to: string, signal: AbortSignal) =>
  runInChildProcess('data/backup/snapshot-process.ts', [databasePath(home), to], signal)

async function store(home: string, name: string, write: (to: string) => Promise<unknown>): Promise<string> {
  const folder = folderOf(home)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  const partial = `${path}${partialSuffix}`
  try {
    await write(partial)
    await restrictToOwner(partial)
    await rename(partial, path)
    await syncFolder(folder)
    return path
  } finally {
    await removeUnfinishedSnapshots(home)
  }
}

export async function removeUnfinishedSnapshots(home: string): Promise<void> {
  const folder = folderOf(home)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.includes(partialSuffix)) await rm(join(folder, name), { force: true })
  }
}

export const deleteSnapshot = ({ path }: Snapshot): Promise<void> => rm(path, { force: true })
