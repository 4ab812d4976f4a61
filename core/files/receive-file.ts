import { posix } from 'node:path'
import { DiskError, nameKey, type Staged, type Tree } from '../../data/tree/index.ts'
import { writeUnavailableError } from '../errors/unavailable.ts'
import { numberedName } from './file-names.ts'

/**
 * Receives bytes to `.workroom/tmp`, durably, and does with them what is asked; whatever fails, nothing of them stays there.
 * @throws WorkspaceError `unavailable` where the disk or the database fails; what `bytes` and `keep` throw
 */
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

/** How many names are above the folders of a project: `projects` and its own. */
const namesAbove = 2

const depthOf = (path: string): number => path.split('/').length - namesAbove

/**
 * Puts received bytes into a folder of a project under a name that nobody has there, also not in another case or normal
 * form, and makes that durable.
 * @param folder within the home, made where it is missing
 * @param options `kept`: names that are somebody's, whether a file is there or not; `isUnconfirmed`: it is
 *   nobody's until the caller confirms it (`Tree.announce`)
 * @returns the name
 * @throws DiskError with nothing left behind
 */
export async function placeUnderAvailableName(
  tree: Tree,
  staged: Staged,
  folder: string,
  { wanted, kept = [], isUnconfirmed = false }: { wanted: string; kept?: string[]; isUnconfirmed?: boolean },
): Promise<string> {
  const taken = new Set([...(tree.names(folder) ?? []), ...kept].map(nameKey))
  for (let n = 1; ; n++) {
    const name = numberedName(wanted, n)
    const path = `${folder}/${name}`
    if (taken.has(nameKey(name)) || !(await placeAt(tree, staged, path, isUnconfirmed))) continue
    try {
      await tree.flush(path)
    } catch (error) {
      await removeAfterFailure(tree, path)
      throw error
    }
    return name
  }
}

/** @returns false where something is there */
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

/**
 * Removes a file of a project, durably, and the folders that are empty then, down to `files` or `attachments`.
 * @throws DiskError
 */
export async function removeFile(tree: Tree, path: string): Promise<void> {
  tree.remove(path)
  removeEmptyParents(tree, path)
  await tree.flush(path)
  tree.confirm(path)
}

/** The same where something else has failed already, and is what is told. */
export async function removeAfterFailure(tree: Tree, path: string): Promise<void> {
  await removeFile(tree, path).catch((error) => {
    if (!(error instanceof DiskError)) throw error
  })
}

/** Removes the folders that are empty without a file, down to `files` or `attachments`. */
export function removeEmptyParents(tree: Tree, path: string): void {
  for (let folder = posix.dirname(path); depthOf(folder) > 1; folder = posix.dirname(folder)) {
    tree.removeEmptyFolder(folder)
  }
}
