import type { FolderChain } from './folder-chain.ts'
import type { Staging } from './staging.ts'
import type { FileSystem } from './types.ts'

/** With what files are placed, moved and removed. */
export interface TreeDeps {
  fs: FileSystem
  home: string
  folders: FolderChain
  staging: Staging
}
