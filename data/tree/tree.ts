import nodeFs from 'node:fs'
import { resolve } from 'node:path'
import type { TreeDeps } from './deps.ts'
import { createDiskError, toDiskError } from './disk-errors.ts'
import { FolderChain } from './folder-chain.ts'
import { syncFile, syncFolder } from './fsync.ts'
import { folderReader } from './listing.ts'
import { mover } from './moving.ts'
import { joinHome } from './paths.ts'
import { filePlacer } from './placing.ts'
import { isPrivatePath, restoreMode, restrictToOwner } from './privacy.ts'
import { fileReader, type ReadingDeps } from './reading.ts'
import { remover } from './removing.ts'
import { Staging, stagingFolder } from './staging.ts'
import { streamer } from './streams.ts'
import { timeSetter } from './times.ts'
import type { FileSystem, Staged, Tree } from './types.ts'

const defaultMaxBytes = 64 * 1024 * 1024

export interface TreeOptions {
  fs?: FileSystem
  maxBytes?: number
  isPrivate?: boolean
}

/** The home may be reached through links; nothing in it may. */
export function openTree(homePath: string, options: TreeOptions = {}): Tree {
  const fs = options.fs ?? nodeFs
  const home = openHome(fs, homePath)
  const { isPrivate = true } = options
  const folders = new FolderChain(fs, home, isPrivate)
  const reading: ReadingDeps = { fs, home, folders, maxBytes: options.maxBytes ?? defaultMaxBytes }
  const files = fileReader(reading)
  const staging = new Staging(fs, home, folders, files.read)
  const deps: TreeDeps = { fs, home, folders, staging }
  const placing = filePlacer(deps)
  const moving = mover(deps)
  const mustBePrivate = (path: string) => isPrivatePath(path, isPrivate)
  const restrictIfPrivate = ({ name }: Staged, path: string) => {
    if (mustBePrivate(path)) restrictToOwner(staging.absolute(name))
  }

  return {
    home,
    ...files,
    ...folderReader(reading),
    ...streamer(fs, home, folders, staging),
    ...remover(deps),
    place(staged, path, expected, options) {
      restrictIfPrivate(staged, path)
      return placing.place(staged, path, expected, options)
    },
    placeNew(staged, path) {
      restrictIfPrivate(staged, path)
      return placing.placeNew(staged, path)
    },
    move(from, to) {
      // Before the move it is still in a private folder.
      if (mustBePrivate(from) && !mustBePrivate(to)) restoreMode(joinHome(home, from))
      return moving.move(from, to)
    },
    moveFolder: moving.moveFolder,
    ...timeSetter(fs, home, folders),
    makeFolder(path) {
      try {
        folders.create(path)
      } catch (error) {
        throw toDiskError(error, 'written', path)
      }
    },
    removeEmptyFolder: (path) => folders.removeIfEmpty(joinHome(home, path)),
    stage: (bytes) => staging.stage(bytes),
    staged: () => staging.list(),
    readStaged: (name) => staging.readStaged(name),
    stagedStamp: (name) => staging.stamp(name),
    async markUnconfirmed(path) {
      try {
        staging.markUnconfirmed(path)
        await syncFolder(joinHome(home, stagingFolder), fs)
      } catch (error) {
        throw toDiskError(error, 'written', path)
      }
    },
    confirm: (path) => staging.confirm(path),
    unconfirmed: () => staging.unconfirmed(),
    restoreSetAside: () => staging.restoreAll(),
    discard: (name) => staging.discard(name),
    async flush(path) {
      await flushContent(fs, home, folders, path)
      await flushName(home, folders, path)
    },
    flushContent: (path) => flushContent(fs, home, folders, path),
    flushName: (path) => flushName(home, folders, path),
  }
}

function openHome(fs: FileSystem, path: string): string {
  try {
    fs.mkdirSync(resolve(path), { recursive: true })
    return fs.realpathSync(resolve(path))
  } catch (error) {
    throw toDiskError(error, 'read', 'The home')
  }
}

/** A missing file needs no sync; its absence does, in the folder that exists. */
async function flushContent(fs: FileSystem, home: string, folders: FolderChain, path: string): Promise<void> {
  const absolute = joinHome(home, path)
  const status = folders.statusAbove(absolute)
  if (status !== 'real' && status !== 'missing') throw createDiskError('ENOTDIR', 'made durable', path)
  try {
    if (status === 'real') await syncFile(absolute, fs)
  } catch (error) {
    throw toDiskError(error, 'made durable', path)
  }
}

async function flushName(home: string, folders: FolderChain, path: string): Promise<void> {
  try {
    await folders.syncParent(joinHome(home, path))
  } catch (error) {
    throw toDiskError(error, 'made durable', path)
  }
}
