import { posix } from 'node:path'
import { nameKey, type Staged, stagingFolder, type Tree } from '../../data/tree/index.ts'
import { unavailable } from '../unavailable.ts'
import { numberedName } from './names.ts'

/**
 * Receives bytes to `.workroom/tmp`, durably, and does with them what is asked; whatever fails, nothing of them stays there.
 * @throws WorkspaceError `unavailable` where the disk or the database fails; what `bytes` and `keep` throw
 */
export async function receiving<T>(
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
    throw unavailable(error)
  }
}

/** How many names are above the folders of a project: `projects` and its own. */
const namesAbove = 2

const depthOf = (path: string): number => path.split('/').length - namesAbove

/**
 * Puts received bytes into a folder of a project under a name that nobody has there, also not in another case or normal
 * form, and makes that durable.
 * @param folder within the home, made where it is missing
 * @param options `kept`: names that are somebody's, whether a file is there or not; `isUnconfirmed`: as for `Tree.placeNew`
 * @returns the name
 * @throws DiskError with nothing left behind
 */
export async function putBeside(
  tree: Tree,
  staged: Staged,
  folder: string,
  { wanted, kept = [], isUnconfirmed }: { wanted: string; kept?: string[]; isUnconfirmed?: boolean },
): Promise<string> {
  const taken = new Set([...(tree.names(folder) ?? []), ...kept].map(nameKey))
  for (let n = 1; ; n++) {
    const name = numberedName(wanted, n)
    const path = `${folder}/${name}`
    if (taken.has(nameKey(name)) || tree.placeNew(staged, path, isUnconfirmed) === null) continue
    try {
      // What says that it is nobody's yet is to be as durable as the file.
      if (isUnconfirmed) await tree.flush(stagingFolder)
      await tree.flush(path)
    } catch (error) {
      removeFrom(tree, path)
      throw error
    }
    return name
  }
}

/** Removes a file of a project, and the folders that are empty then, down to `files` or `attachments`. @throws DiskError */
export function removeFrom(tree: Tree, path: string): void {
  tree.remove(path)
  tree.confirm(path)
  removeEmptyAbove(tree, path)
}

/** Removes the folders that are empty without a file, down to `files` or `attachments`. */
export function removeEmptyAbove(tree: Tree, path: string): void {
  for (let folder = posix.dirname(path); depthOf(folder) > 1; folder = posix.dirname(folder)) {
    tree.removeEmptyFolder(folder)
  }
}
