import { setImmediate } from 'node:timers/promises'
import {
  type FileStamp,
  type FolderEntry,
  isIgnoredName,
  isSafeName,
  nameKey,
  type Tree,
} from '../../data/tree/index.ts'
import { maxPathDepth } from './file-names.ts'

export interface FoundFile {
  path: string
  stamp: FileStamp
}

const maxFiles = 5000
const maxEntries = 20_000
const pauseEveryMs = 4

/** Skips temporary files, links and other entries. `isCut` if there are more. */
export async function walkFiles(tree: Tree, root: string): Promise<{ files: FoundFile[]; isCut: boolean }> {
  const files: FoundFile[] = []
  const pending = ['']
  let entryCount = 0
  let pauseAtMs = performance.now() + pauseEveryMs
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const subfolders: string[] = []
    for (const entry of tree.entries(root + folder) ?? []) {
      if (files.length === maxFiles || ++entryCount > maxEntries)
        return { files: sortByPath(files), isCut: true }
      const path = `${folder}/${entry.name}`
      const stamp = isIgnoredName(entry.name) ? null : stampOf(tree, root + path, entry)
      if (stamp) files.push({ path: path.slice(1), stamp })
      else if (isFolder(entry) && path.split('/').length <= maxPathDepth) subfolders.push(path)
      if (performance.now() >= pauseAtMs) {
        await setImmediate()
        pauseAtMs = performance.now() + pauseEveryMs
      }
    }
    pending.push(...subfolders.reverse())
  }
  return { files: sortByPath(files), isCut: false }
}

export function findFile(tree: Tree, root: string, name: string): FoundFile | null {
  const names = name.split('/')
  if (names.some((part) => part === '' || !isSafeName(part) || isIgnoredName(part))) return null
  const stat = tree.statAnySize(`${root}/${name}`)
  if (stat.kind === 'file') return { path: name, stamp: stat.stamp }
  let path = ''
  let stamp: FileStamp | null = null
  for (const part of names) {
    const entry: FolderEntry | null = stamp ? null : similarEntry(tree, root + path, part)
    if (!entry) return null
    path += `/${entry.name}`
    stamp = entry.stat.kind === 'file' ? entry.stat.stamp : null
  }
  return stamp && { path: path.slice(1), stamp }
}

/** Returns a folder as spelled on the disk; null if a file has one of the names. */
export function similarFolder(tree: Tree, root: string, names: string[]): string | null {
  let folder = root
  for (const name of names) {
    const entry = similarEntry(tree, folder, name)
    if (entry && !isFolder(entry)) return null
    folder += `/${entry?.name ?? name}`
  }
  return folder
}

export function findFolder(tree: Tree, root: string, name: string): string | null {
  const names = name.split('/')
  if (names.some((part) => part === '' || !isSafeName(part) || isIgnoredName(part))) return null
  const folder = similarFolder(tree, root, names)
  if (folder === null) return null
  const stat = tree.stat(folder)
  return stat.kind === 'skipped' && stat.reason === 'folder' ? folder.slice(root.length + 1) : null
}

function similarEntry(tree: Tree, folder: string, name: string): FolderEntry | null {
  const key = nameKey(name)
  const similar = (tree.names(folder) ?? []).filter((other) => nameKey(other) === key && isSafeName(other))
  const found = similar.includes(name) ? name : similar[0]
  if (found === undefined) return null
  const stat = tree.statAnySize(`${folder}/${found}`)
  return stat.kind === 'missing' ? null : { name: found, stat }
}

const isFolder = ({ name, stat }: FolderEntry): boolean =>
  stat.kind === 'skipped' && stat.reason === 'folder' && !isIgnoredName(name)

/** A folder entry has no stamp if its file is too large for memory. */
function stampOf(tree: Tree, path: string, { stat }: FolderEntry): FileStamp | null {
  const fileStat = stat.kind === 'skipped' && stat.reason === 'too_large' ? tree.statAnySize(path) : stat
  return fileStat.kind === 'file' ? fileStat.stamp : null
}

const sortByPath = (files: FoundFile[]): FoundFile[] =>
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
