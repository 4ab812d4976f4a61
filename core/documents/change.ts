import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Analysis } from '../markdown/index.ts'
import type { BlockIdCounts } from './types.ts'

/** How a change came: over HTTP, by an editor on the disk, at a scheduled time. */
export type Via = 'api' | 'disk' | 'schedule'

/** One change to one document, whoever made it. */
export interface Change {
  /** The document as it stood; null: it is new. */
  before: DocumentRecord | null
  /** The document as it will stand; `deletedMs` is set when it goes. */
  after: DocumentRecord
  /** The new bytes; null when the file only moves, comes back or goes. */
  content: Omit<Analysis, 'kind' | 'blockIds'> | null
  blockIds: BlockIdCounts
  actorId: string
  via: Via
  atMs: number
}
