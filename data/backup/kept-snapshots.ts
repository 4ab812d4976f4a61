import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, rename, rm, statfs } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { databasePath } from '../home.ts'
import { programModule } from '../program.ts'
import { closeOff } from './folders.ts'

/** A copy of the database alone, as it was at one moment. */
export interface KeptSnapshot {
  /** Absolute path. */
  path: string
  /** Unix milliseconds. */
  atMs: number
}

const folderOf = (home: string) => join(home, '.workroom', 'backups')

/** `2026-11-21T19-09-39-656Z.db`: a time, in characters that every file system takes. */
const nameOf = (atMs: number) => `${new Date(atMs).toISOString().replace(/[:.]/g, '-')}.db`
const unfinished = '.partial'
const named = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.db$/

/** Those that are kept of a home, newest first. */
export function snapshotsOf(home: string): KeptSnapshot[] {
  const folder = folderOf(home)
  if (!existsSync(folder)) return []
  const kept = readdirSync(folder).flatMap((name) => {
    const atMs = Date.parse(name.replace(named, '$1:$2:$3.$4'))
    return Number.isNaN(atMs) ? [] : [{ path: join(folder, name), atMs }]
  })
  return kept.sort((a, b) => b.atMs - a.atMs)
}

/** Whether the disk has room for one more, and as much again for what else is written. */
export async function hasRoomForSnapshot(home: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(home)
  return bavail * bsize > 2 * statSync(databasePath(home)).size
}

const worker = programModule('data/backup/snapshot-process.ts')

/**
 * Takes a snapshot in a process of its own, which works on what the server leaves of the machine and can be ended at any time.
 * @returns once it is durable
 * @throws AbortError where `ending` fired; Error with what the process said where it failed
 */
export async function takeSnapshot(home: string, atMs: number, ending: AbortSignal): Promise<void> {
  const folder = folderOf(home)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, nameOf(atMs))
  const partial = `${path}${unfinished}`
  try {
    const args = [...process.execArgv, fileURLToPath(worker), databasePath(home), partial]
    await ended(
      spawn(process.execPath, args, {
        signal: ending,
        killSignal: 'SIGKILL',
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    )
    await closeOff(partial)
    await rename(partial, path)
  } finally {
    await clearUnfinishedSnapshots(home)
  }
}

/** Removes what is left of snapshots that were cut off, with their journals. */
export async function clearUnfinishedSnapshots(home: string): Promise<void> {
  const folder = folderOf(home)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    if (name.includes(unfinished)) await rm(join(folder, name), { force: true })
  }
}

export const dropSnapshot = ({ path }: KeptSnapshot): Promise<void> => rm(path, { force: true })

const niceness = 10

function ended(child: ChildProcess): Promise<void> {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  lower(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `The process ended with ${code}.`)),
    )
  })
}

/** It may have ended by now, or the system may not allow it. */
function lower({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}
