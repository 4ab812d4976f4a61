import type { FolderChain } from './folder-chain.ts'
import type { Staging } from './staging.ts'
import type { FileSystem } from './types.ts'

export interface TreeDeps {
  fs: FileSystem
  home: string
  folders: FolderChain
  staging: Staging
}
