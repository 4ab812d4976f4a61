import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { WriteHealth, WriteKind } from './write-health.ts'

/** Errors of the disk as a whole; others concern one path. */
const placingCalls = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE'])
/** For the folder to which all bytes are written first. */
const stagingCalls = new Set([...placingCalls, 'EACCES', 'EPERM'])

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
    flushContent: watchedLater('flush', tree.flushContent),
    flushName: watchedLater('flush', tree.flushName),
  }
}
