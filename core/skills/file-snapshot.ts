import { setImmediate } from 'node:timers/promises'
import { type FileStamp, scanFolders, type Tree } from '../../data/tree/index.ts'
import { isRacy } from '../documents/model/racy-stamp.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { revisionOf } from '../revisions/revision.ts'
import { maxDepth } from './skill-files.ts'

interface SnapshotFile {
  size: number
  mtimeMs: number
  ctimeMs: number
  ino: number
  lookedMs: number
  revision: string | null
}

export type FileSnapshot = Record<string, SnapshotFile>

/** Larger files are compared by size alone: they were not published, and are kept when replaced. */
const maxBytesRead = 2 * 1024 * 1024

const maxFilesSeen = 1000

const pauseEveryMs = 4

/** Skips links, other entries and ignored names. @throws WorkspaceError `unavailable` */
async function stampsBelow(tree: Tree, root: string): Promise<Map<string, FileStamp>> {
  const stamps = new Map<string, FileStamp>()
  const unreadable: string[] = []
  const stat = tree.stat(root)
  if (stat.kind !== 'skipped' || (stat.reason !== 'folder' && stat.reason !== 'unreadable')) return stamps
  await scanFolders(
    tree,
    [root],
    (folder, entries) => {
      const within = folder.slice(root.length + 1)
      if (within.split('/').length >= maxDepth) return
      for (const { name, stat } of entries) {
        if (stamps.size === maxFilesSeen) return
        if (stat.kind === 'file') stamps.set(within === '' ? name : `${within}/${name}`, stat.stamp)
      }
    },
    { onUnreadable: (folder) => unreadable.push(folder) },
  )
  if (unreadable.length === 0) return stamps
  throw new WorkspaceError(
    'unavailable',
    `The folder ${unreadable[0]} cannot be read. Check its permissions.`,
  )
}

function isUnchanged(stamps: ReadonlyMap<string, FileStamp>, seen: FileSnapshot): boolean {
  if (stamps.size !== Object.keys(seen).length) return false
  return [...stamps].every(([path, stamp]) => isSame(stamp, fileAt(seen, path)))
}

/** Unchanged files are not read again. `nowMs` is by the clock that stamps files. */
export async function takeSnapshot(
  tree: Tree,
  root: string,
  seen: FileSnapshot,
  nowMs: number,
): Promise<FileSnapshot> {
  const stamps = await stampsBelow(tree, root)
  if (isUnchanged(stamps, seen)) return seen
  const files: [string, SnapshotFile][] = []
  let pauseAtMs = performance.now() + pauseEveryMs
  for (const [path, stamp] of stamps) {
    files.push([
      path,
      snapshotFile(tree, `${root}/${path}`, stamp, { before: fileAt(seen, path), lookedMs: nowMs }),
    ])
    if (performance.now() < pauseAtMs) continue
    await setImmediate()
    pauseAtMs = performance.now() + pauseEveryMs
  }
  return Object.fromEntries(files)
}

function snapshotFile(
  tree: Tree,
  path: string,
  stamp: FileStamp,
  { before, lookedMs }: { before: SnapshotFile | undefined; lookedMs: number },
): SnapshotFile {
  if (before && isSame(stamp, before)) return before
  const content = stamp.size <= maxBytesRead ? tree.read(path) : null
  const { size, mtimeMs, ctimeMs, ino } = content?.stamp ?? stamp
  return { size, mtimeMs, ctimeMs, ino, lookedMs, revision: content && revisionOf(content.bytes) }
}

export function haveSameBytes(a: FileSnapshot, b: FileSnapshot): boolean {
  const paths = Object.keys(a)
  return (
    paths.length === Object.keys(b).length &&
    paths.every((path) => {
      const [one, other] = [a[path]!, fileAt(b, path)]
      return one.size === other?.size && one.revision === other.revision
    })
  )
}

/** A file that may have been written while it was checked counts as changed. */
const isSame = (stamp: FileStamp, seen: SnapshotFile | undefined): boolean =>
  seen !== undefined &&
  !isRacy(seen) &&
  stamp.size === seen.size &&
  stamp.mtimeMs === seen.mtimeMs &&
  stamp.ctimeMs === seen.ctimeMs &&
  stamp.ino === seen.ino

/** A path such as `constructor` must not be inherited. */
const fileAt = (seen: FileSnapshot, path: string): SnapshotFile | undefined =>
  Object.hasOwn(seen, path) ? seen[path] : undefined
