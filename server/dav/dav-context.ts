import type { Mount } from '../../core/mount/mount.ts'
import type { UploadOptions } from '../middleware/upload.ts'
import type { KeptResponses } from './kept-responses.ts'
import type { DavLocks } from './locks.ts'

export interface DavContext {
  mount: Mount
  locks: DavLocks
  keptResponses: KeptResponses
  publicUrl: string
  allowLongBody: UploadOptions['allowLongBody']
}
