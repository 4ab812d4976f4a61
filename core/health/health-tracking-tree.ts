import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { WriteHealth, WriteKind } from './write-health.ts'

/** What the disk says where nobody else can write either. Other refusals are of one path: it is gone, taken, or too long. */
const placingCalls = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE'])
/** The same for the one folder in which all bytes are written first. */
const stagingCalls = new Set([...placingCalls, 'EACCES', 'EPERM'])

/** A tree whose writes are watched: each that fails, or succeeds, is told. */
export function trackTreeHealth(tree: Tree, health: WriteHealth): Tree {
  const note = (kind: WriteKind, error: unknown) => {
    const isOfDisk =
      error instanceof DiskError && (kind === 'bytes' ? stagingCalls : placingCalls).has(error.errno)
    if (isOfDisk) health.failed(kind, error)
  }
  const watched =
    <Arguments extends unknown[], Result>(kind: WriteKind, write: (...args: Arguments) => Result) =>
    (...args: Arguments): Result => {
      try {
        const result = write(...args)
        health.succeeded(kind)
        return result
      } catch (error) {
        note(kind, error)
        throw error
      }
    }
  const watchedLater =
    <Arguments extends unknown[], Result>(kind: WriteKind, write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        const result = await write(...args)
        health.succeeded(kind)
        return result
      } catch (error) {
        note(kind, error)
        throw error
      }
    }
  return {
    ...tree,
    stage: watched('bytes', tree.stage),
    receive: watchedLater('bytes', tree.receive),
    place: watched('files', tree.place),
    placeNew: watched('files', tree.placeNew),
    move: watched('files', tree.move),
    remove: watched('files', tree.remove),
    removeSeen: watched('files', tree.removeSeen),
    makeFolder: watched('files', tree.makeFolder),
    flush: watchedLater('flush', tree.flush),
  }
}
