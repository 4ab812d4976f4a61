import type { MountLocksTable } from '../../data/tables/mount-locks.ts'
import type { ScratchFilesTable } from '../../data/tables/scratch-files.ts'
import type { SharedParts } from '../documents/parts/parts.ts'

/** What the mount is built from. */
export interface MountParts extends SharedParts {
  mountLocks: MountLocksTable
  scratchFiles: ScratchFilesTable
}
