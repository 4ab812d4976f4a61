import type { MountLocksTable } from '../../data/tables/mount-locks.ts'
import type { ScratchFilesTable } from '../../data/tables/scratch-files.ts'
import type { SharedDeps } from '../documents/deps/deps.ts'

export interface MountDeps extends SharedDeps {
  mountLocks: MountLocksTable
  scratchFiles: ScratchFilesTable
}
