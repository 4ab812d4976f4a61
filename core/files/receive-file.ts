import { posix } from 'node:path'
import { DiskError, nameKey, type Staged, type Tree } from '../../data/tree/index.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import { numberedName } from './file-names.ts'

/** Stages bytes durably and passes them to `keep`. Nothing remains after a failure. */
export async function withReceivedFile<T>(
  tree: Tree,
  bytes: AsyncIterable<Uint8Array>,
  keep: (staged: Staged) => Promise<T>,
): Promise<T> {
  let staged: Staged | null = null
  try {
    staged = await tree.receive(bytes)
    return await keep(staged)
  } catch (error) {
    if (staged) tree.discard(staged.name)
    throw writeUnavailableError(error)
  }
}

const rootDepth = 2

const depthOf = (path: string): number => path.split('/').length - rootDepth

/**
 * Places bytes durably under the first available name, ignoring case and normal form. Names in `reservedNames`
 * are taken even without a file. With `isUnconfirmed`, the caller must call `Tree.confirm`.
 * @throws DiskError; nothing remains
 */
export async function placeUnderAvailableName(
  tree: Tree,
  staged: Staged,
  folder: string,
  {
    preferredName,
    reservedNames = [],
    isUnconfirmed = false,
  }: { preferredName: string; reservedNames?: string[]; isUnconfirmed?: boolean },
): Promise<string> {
  const takenNames = new Set([...(tree.names(folder) ?? []), ...reservedNames].map(nameKey))
  for (let n = 1; ; n++) {
    const name = numberedName(preferredName, n)
    const path = `${folder}/${name}`
    if (takenNames.has(nameKey(name)) || !(await placeAt(tree, staged, path, isUnconfirmed))) continue
    try {
      await tree.flush(path)
    } catch (error) {
      await removeAfterFailure(tree, path)
      throw error
    }
    return name
  }
}

async function placeAt(tree: Tree, staged: Staged, path: string, isUnconfirmed: boolean): Promise<boolean> {
  if (!isUnconfirmed) return tree.placeNew(staged, path) !== null
  await tree.markUnconfirmed(path)
  let isPlaced = false
  try {
    isPlaced = tree.placeNew(staged, path) !== null
  } finally {
    if (!isPlaced) tree.confirm(path)
  }
  return isPlaced
}

/** Removes a file durably, and folders that become empty, down to `files` or `attachments`. */
export async function removeFile(tree: Tree, path: string): Promise<void> {
  tree.remove(path)
  removeEmptyParents(tree, path)
  await tree.flush(path)
  tree.confirm(path)
}

export async function removeAfterFailure(tree: Tree, path: string): Promise<void> {
  await removeFile(tree, path).catch((error) => {
    if (!(error instanceof DiskError)) throw error
  })
}

export function removeEmptyParents(tree: Tree, path: string): void {
  for (let folder = posix.dirname(path); depthOf(folder) > 1; folder = posix.dirname(folder)) {
    tree.removeEmptyFolder(folder)
  }
}
