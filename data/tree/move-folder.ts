import { dirname } from 'node:path'
import { createDiskError, errnoOf, toDiskError } from './disk-errors.ts'
import type { FolderChain } from './folder-chain.ts'
import { joinHome } from './paths.ts'
import { statOrNull } from './stamps.ts'
import type { FileSystem, Tree } from './types.ts'

export function folderMover(fs: FileSystem, home: string, folders: FolderChain): Pick<Tree, 'moveFolder'> {
  function moveFolder(from: string, to: string): void {
    const source = joinHome(home, from)
    const target = joinHome(home, to)
    if (folders.find(source) === null) throw createDiskError('ENOENT', 'moved', from)
    let created: string[] = []
    try {
      created = folders.create(dirname(to))
      if (statOrNull(fs, target)?.isDirectory() === false) throw createDiskError('EEXIST', 'written', to)
      // The system refuses to replace a folder that is not empty.
      fs.renameSync(source, target)
    } catch (error) {
      folders.removeCreated(created)
      if (errnoOf(error) === 'ENOTEMPTY') throw createDiskError('EEXIST', 'written', to)
      throw toDiskError(error, 'moved', from)
    }
  }

  return { moveFolder }
}
