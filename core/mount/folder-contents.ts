import { setImmediate } from 'node:timers/promises'
import { isSafeName, type PathStat, type Tree } from '../../data/tree/index.ts'
import { WorkspaceError } from '../errors/workspace-error.ts'
import { homePathAt, type MountLocation } from './mount-paths.ts'

export interface FolderContents {
  /** Levels of folders below it. */
  depth: number
  files: ContainedFile[]
}

export interface ContainedFile {
  path: string
  /** 0 unless it is a regular file. */
  bytes: number
}

/** Entries moved, copied or removed by one request. */
const maxEntries = 5000
const pauseEveryMs = 4

/** Includes hidden files. */
export async function listContents(tree: Tree, location: MountLocation): Promise<FolderContents> {
  const contents: FolderContents = { depth: 0, files: [] }
  await visitEntries(tree, location, ({ path, name, stat, depth }) => {
    if (!isFolder(stat))
      contents.files.push({
        path: location.path + path,
        bytes: stat.kind === 'file' ? stat.stamp.size : 0,
      })
    else if (isSafeName(name)) contents.depth = Math.max(contents.depth, depth)
  })
  return contents
}

/** @throws WorkspaceError `forbidden` if too large, `conflict` for entries not shown, such as links */
export async function requireWholeFolder(tree: Tree, location: MountLocation): Promise<void> {
  let count = 0
  await visitEntries(tree, location, ({ name, stat }) => {
    const isVisible =
      stat.kind === 'file' || isFolder(stat) || (stat.kind === 'skipped' && stat.reason === 'too_large')
    if (!isVisible || !isSafeName(name)) throw hiddenEntryError(location, name)
    if (++count > maxEntries) throw tooManyEntriesError(location)
  })
}

interface Entry {
  /** Below the visited folder, with a slash before it. */
  path: string
  name: string
  stat: PathStat
  /** 1 for what is directly in the folder. */
  depth: number
}

async function visitEntries(
  tree: Tree,
  location: MountLocation,
  visit: (entry: Entry) => void,
): Promise<void> {
  const root = homePathAt(location)
  const pending = [{ path: '', depth: 0 }]
  let pauseAtMs = performance.now() + pauseEveryMs
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const { name, stat } of tree.entries(root + folder.path) ?? []) {
      const entry = { path: `${folder.path}/${name}`, name, stat, depth: folder.depth + 1 }
      visit(entry)
      if (isFolder(stat) && isSafeName(name)) pending.push(entry)
      if (performance.now() >= pauseAtMs) {
        await setImmediate()
        pauseAtMs = performance.now() + pauseEveryMs
      }
    }
  }
}

const isFolder = (stat: PathStat): boolean => stat.kind === 'skipped' && stat.reason === 'folder'

const hiddenEntryError = ({ path }: MountLocation, name: string) =>
  new WorkspaceError(
    'conflict',
    `The folder ${path} holds ${JSON.stringify(name)}, which is not visible here and would not be moved. Move the folder on the disk.`,
  )

const tooManyEntriesError = ({ path }: MountLocation) =>
  new WorkspaceError(
    'forbidden',
    `The folder ${path} holds more than ${maxEntries} files. Do this folder by folder, or on the disk.`,
  )
