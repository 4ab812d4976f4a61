import type { Mount } from '../../core/mount/mount.ts'
import type { UploadOptions } from '../middleware/upload.ts'
import type { DavLocks } from './locks.ts'
import type { ResponseCache } from './response-cache.ts'

export interface DavContext {
  mount: Mount
  locks: DavLocks
  responseCache: ResponseCache
  publicUrl: string
  allowLongBody: UploadOptions['allowLongBody']
}
