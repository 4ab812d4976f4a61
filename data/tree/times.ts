import { errnoOf, skippedErrnos, toDiskError } from './disk-errors.ts'
import type { FolderChain } from './folder-chain.ts'
import { joinHome } from './paths.ts'
import { readFlags } from './read-flags.ts'
import { sameFile, sameStamp, stampOf, statOrNull } from './stamps.ts'
import type { FileStamp, FileSystem, Tree } from './types.ts'

export function timeSetter(
  fs: FileSystem,
  home: string,
  folders: FolderChain,
): Pick<Tree, 'setTime' | 'setFolderTime'> {
  function setTime(path: string, expected: FileStamp, mtimeMs: number): FileStamp | null {
    return withOpenFile(path, (file) => {
      const stats = fs.fstatSync(file)
      if (!stats.isFile() || !sameStamp(stampOf(stats), expected)) return null
      // The path is checked again: a link swapped in for a folder leads to another file.
      const current =
        folders.statusAbove(joinHome(home, path)) === 'real' && statOrNull(fs, joinHome(home, path))
      if (!current || !sameFile(current, stats)) return null
      // Passed as dates, because Node takes a negative number for the present.
      fs.futimesSync(file, stats.atime, new Date(mtimeMs))
      return stampOf(fs.fstatSync(file))
    })
  }

  function setFolderTime(path: string, mtimeMs: number): boolean {
    if (folders.find(joinHome(home, path)) === null) return false
    const isSet = withOpenFile(path, (folder) => {
      const stats = fs.fstatSync(folder)
      if (!stats.isDirectory()) return null
      fs.futimesSync(folder, stats.atime, new Date(mtimeMs))
      return true
    })
    return isSet ?? false
  }

  function withOpenFile<T>(path: string, work: (file: number) => T | null): T | null {
    try {
      const file = fs.openSync(joinHome(home, path), readFlags)
      try {
        return work(file)
      } finally {
        fs.closeSync(file)
      }
    } catch (error) {
      if (skippedErrnos.has(errnoOf(error) ?? '')) return null
      throw toDiskError(error, 'written', path)
    }
  }

  return { setTime, setFolderTime }
}
