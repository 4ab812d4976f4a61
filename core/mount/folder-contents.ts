import { setImmediate } from 'node:timers/promises'
import { isSafeName, type Tree } from '../../data/tree/index.ts'
import { homePathAt, type MountLocation } from './mount-paths.ts'

const pauseEveryMs = 4

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

/** Includes hidden files. */
export async function listContents(tree: Tree, location: MountLocation): Promise<FolderContents> {
  const contents: FolderContents = { depth: 0, files: [] }
  const pending = [{ path: '', depth: 0 }]
  let pauseAtMs = performance.now() + pauseEveryMs
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    contents.depth = Math.max(contents.depth, folder.depth)
    for (const { name, stat } of tree.entries(homePathAt(location) + folder.path) ?? []) {
      const relativePath = `${folder.path}/${name}`
      if (stat.kind !== 'skipped' || stat.reason !== 'folder')
        contents.files.push({
          path: location.path + relativePath,
          bytes: stat.kind === 'file' ? stat.stamp.size : 0,
        })
      else if (isSafeName(name)) pending.push({ path: relativePath, depth: folder.depth + 1 })
      if (performance.now() >= pauseAtMs) {
        await setImmediate()
        pauseAtMs = performance.now() + pauseEveryMs
      }
    }
  }
  return contents
}
