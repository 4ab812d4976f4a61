import { DiskError, type Tree } from '../../data/tree/index.ts'
import type { WriteHealth, WriteKind } from './write-health.ts'

/** Errors of the disk as a whole; others concern one path. */
const diskErrnos = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ESTALE'])
/** For the folder to which all bytes are written first. */
const stagingErrnos = new Set([...diskErrnos, 'EACCES', 'EPERM'])

export function trackTreeHealth(tree: Tree, health: WriteHealth): Tree {
  const recordFailure = (kind: WriteKind, error: unknown) => {
    const isOfDisk =
      error instanceof DiskError && (kind === 'bytes' ? stagingErrnos : diskErrnos).has(error.errno)
    if (isOfDisk) health.recordFailure(kind, error)
  }
  const track =
    <Arguments extends unknown[], Result>(kind: WriteKind, write: (...args: Arguments) => Result) =>
    (...args: Arguments): Result => {
      try {
        const result = write(...args)
        health.recordSuccess(kind)
        return result
      } catch (error) {
        recordFailure(kind, error)
        throw error
      }
    }
  const trackAsync =
    <Arguments extends unknown[], Result>(kind: WriteKind, write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      try {
        const result = await write(...args)
        health.recordSuccess(kind)
        return result
      } catch (error) {
        recordFailure(kind, error)
        throw error
      }
    }
  return {
    ...tree,
    stage: track('bytes', tree.stage),
    receive: trackAsync('bytes', tree.receive),
    place: track('files', tree.place),
    placeNew: track('files', tree.placeNew),
    move: track('files', tree.move),
    remove: track('files', tree.remove),
    removeIfUnchanged: track('files', tree.removeIfUnchanged),
    makeFolder: track('files', tree.makeFolder),
    flush: trackAsync('flush', tree.flush),
    flushContent: trackAsync('flush', tree.flushContent),
    flushName: trackAsync('flush', tree.flushName),
  }
}
