import { isUtf8 } from 'node:buffer'
import { sep } from 'node:path'
import { errnoOf } from './disk-errors.ts'
import { isSafeName, joinHome } from './paths.ts'
import type { ReadingDeps } from './reading.ts'
import { statPath } from './stamps.ts'
import type { FileSystem, FolderEntry, Tree } from './types.ts'

export const folderReader = (
  tree: ReadingDeps,
): Pick<Tree, 'names' | 'list' | 'entries' | 'folderStamp'> => ({
  names: (path) => names(tree, path),
  list: (path) => list(tree, path),
  entries: (path) => entries(tree, path),
  folderStamp: (path) => folderStamp(tree, path),
})

function names({ fs, home, folders }: ReadingDeps, path: string): string[] | null {
  const absolute = joinHome(home, path)
  if (!folders.find(absolute)) return null
  try {
    return fs.readdirSync(absolute).sort()
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}

function list(tree: ReadingDeps, path: string): FolderEntry[] | null {
  const found = entries(tree, path)
  return found === null ? null : [...found]
}

function entries(tree: ReadingDeps, path: string): Iterable<FolderEntry> | null {
  const absolute = joinHome(tree.home, path)
  const found = names(tree, path)
  if (found === null) return null
  try {
    // Node decodes what is not UTF-8 as U+FFFD, which a name may also contain.
    const illegible = found.some((name) => name.includes('\uFFFD'))
      ? namesNotUtf8(tree.fs, absolute)
      : new Set<string>()
    return statEach(tree, absolute, found, illegible)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}

function* statEach(
  { fs, maxBytes }: ReadingDeps,
  folder: string,
  names: string[],
  illegible: Set<string>,
): Generator<FolderEntry> {
  for (const name of names) {
    if (illegible.has(name) || !isSafeName(name)) {
      yield { name, stat: { kind: 'skipped', reason: 'unreadable' } }
      continue
    }
    const stat = statPath(fs, folder + sep + name, maxBytes)
    if (stat.kind !== 'missing') yield { name, stat }
  }
}

function namesNotUtf8(fs: FileSystem, folder: string): Set<string> {
  const names = fs.readdirSync(folder, 'buffer')
  return new Set(names.filter((name) => !isUtf8(name)).map((name) => name.toString()))
}

function folderStamp({ home, folders }: ReadingDeps, path: string) {
  const stats = folders.find(joinHome(home, path))
  return stats && { ino: stats.ino, mtimeMs: stats.mtimeMs, ctimeMs: stats.ctimeMs }
}
