import { dirname } from 'node:path'
import { declined, diskError, errnoOf } from './disk-errors.ts'
import type { FolderChain } from './folder-chain.ts'
import { joinHome } from './paths.ts'
import { statOrNull } from './stamps.ts'
import type { FileSystem, Tree } from './types.ts'

export function folderMover(fs: FileSystem, home: string, folders: FolderChain): Pick<Tree, 'moveFolder'> {
  function moveFolder(from: string, to: string): void {
    const source = joinHome(home, from)
    const target = joinHome(home, to)
    if (folders.find(source) === null) throw declined('ENOENT', 'moved', from)
    let made: string[] = []
    try {
      made = folders.create(dirname(to))
      if (statOrNull(fs, target)?.isDirectory() === false) throw declined('EEXIST', 'written', to)
      // The system refuses to replace a folder that is not empty.
      fs.renameSync(source, target)
    } catch (error) {
      folders.removeCreated(made)
      if (errnoOf(error) === 'ENOTEMPTY') throw declined('EEXIST', 'written', to)
      throw diskError(error, 'moved', from)
    }
  }

  return { moveFolder }
}
