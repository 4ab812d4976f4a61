import type { Mount } from '../../core/mount/mount.ts'
import type { UploadOptions } from '../middleware/upload.ts'
import type { Locks } from './locks.ts'

/** What every method of the mount works with. */
export interface Mounting {
  mount: Mount
  locks: Locks
  /** The base address that people use, without a slash at its end. */
  publicUrl: string
  allowLongBody: UploadOptions['allowLongBody']
}
