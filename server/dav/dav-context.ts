import type { Mount } from '../../core/mount/mount.ts'
import type { UploadOptions } from '../middleware/upload.ts'
import type { DavLocks } from './locks.ts'

/** What every method of the mount works with. */
export interface DavContext {
  mount: Mount
  locks: DavLocks
  /** The base address that people use, without a slash at its end. */
  publicUrl: string
  allowLongBody: UploadOptions['allowLongBody']
}
