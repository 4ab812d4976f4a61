import { createHash } from 'node:crypto'
import type { FileStamp, Tree } from '../../data/tree/index.ts'
import { readUnavailableError } from '../errors/unavailable.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import type { ServedFile } from './types.ts'

/** More than the resolution of any file system's stamps. */
const racyMs = 2000

/** @param nowMs by the clock that stamps files */
export function fileForDownload(
  tree: Tree,
  path: string,
  metadata: { name: string; type: string },
  nowMs: number,
): ServedFile | null {
  const stat = tree.statAnySize(path)
  if (stat.kind !== 'file') return null
  const { stamp } = stat
  return {
    ...metadata,
    size: stamp.size,
    changedMs: stamp.mtimeMs,
    tag: tagOf(stamp),
    isTagWeak: nowMs - Math.max(stamp.mtimeMs, stamp.ctimeMs) < racyMs,
    stream: (range) => streamOf(tree, path, stamp, range),
  }
}

/** The bytes are too many to be hashed. The stamp changes with every write and replacement. */
export const tagOf = ({ dev, ino, size, mtimeMs, ctimeMs }: FileStamp): string =>
  createHash('sha256').update([dev, ino, size, mtimeMs, ctimeMs].join()).digest('hex').slice(0, 20)

function streamOf(tree: Tree, path: string, stamp: FileStamp, range?: { start: number; end: number }) {
  try {
    const stream = tree.stream(path, stamp, range)
    if (stream !== null) return stream
  } catch (error) {
    throw readUnavailableError(error)
  }
  throw new WorkspaceError('unavailable', 'The file is being changed. Try again.', {
    retryAfterMs: 1000,
  })
}
