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
export async function listContents(tree: Tree, where: MountLocation): Promise<FolderContents> {
  const survey: FolderContents = { depth: 0, files: [] }
  const ahead = [{ below: '', depth: 0 }]
  let pauseAtMs = performance.now() + pauseEveryMs
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    survey.depth = Math.max(survey.depth, at.depth)
    for (const { name, stat } of tree.entries(homePathAt(where) + at.below) ?? []) {
      const below = `${at.below}/${name}`
      if (stat.kind !== 'odd' || stat.odd !== 'folder')
        survey.files.push({ path: where.path + below, bytes: stat.kind === 'file' ? stat.stamp.size : 0 })
      else if (isSafeName(name)) ahead.push({ below, depth: at.depth + 1 })
      if (performance.now() >= pauseAtMs) {
        await setImmediate()
        pauseAtMs = performance.now() + pauseEveryMs
      }
    }
  }
  return survey
}
