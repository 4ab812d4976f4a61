import nodeFs, { constants } from 'node:fs'
import { errnoOf } from './disk-errors.ts'
import { readFlags } from './read-flags.ts'
import type { FileSystem } from './types.ts'

/** Does not wait for the other end of a FIFO. */
const folderFlags = constants.O_RDONLY | constants.O_NONBLOCK

/** Syncs a file, if it still exists. @throws the system's error */
export const syncFile = (absolute: string, fs: FileSystem = nodeFs): Promise<void> =>
  sync(fs, absolute, readFlags, ['ENOENT'])

/** Syncs the names in a folder. Windows opens no folder, and keeps names without it. */
export const syncFolder = (absolute: string, fs: FileSystem = nodeFs): Promise<void> =>
  sync(fs, absolute, folderFlags, ['EISDIR', 'EPERM'])

async function sync(fs: FileSystem, absolute: string, flags: number, ignoredErrnos: string[]): Promise<void> {
  let file: number
  try {
    file = fs.openSync(absolute, flags)
  } catch (error) {
    if (ignoredErrnos.includes(errnoOf(error) ?? '')) return
    throw error
  }
  try {
    await new Promise<void>((resolve, reject) =>
      fs.fsync(file, (error) => (error ? reject(error) : resolve())),
    )
  } finally {
    fs.closeSync(file)
  }
}
