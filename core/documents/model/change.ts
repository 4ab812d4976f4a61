import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Analysis } from '../../markdown/index.ts'
import type { BlockIdCounts } from './types.ts'

/** How a change came: over HTTP, by an editor on the disk, at a scheduled time. */
export type Via = 'api' | 'disk' | 'schedule'

/** Who made a change, and how. */
export interface Actor {
  actorId: string
  via: Via
}

/** One change to one document, whoever made it. */
export interface Change extends Actor {
  /** The document as it stood; null: it is new. */
  before: DocumentRecord | null
  /** The document as it will stand; `deletedMs` is set when it goes. */
  after: DocumentRecord
  /** The new bytes; null when the file only moves, comes back or goes. */
  content: Omit<Analysis, 'kind' | 'blockIds'> | null
  blockIds: BlockIdCounts
  atMs: number
}

/** When a change is made, and by whom. */
export type ChangeOrigin = Actor & Pick<Change, 'atMs'>

/** Of a change that wrote no new text. */
export const zeroBlockIds: BlockIdCounts = { rebound: 0, orphaned: 0, total: 0 }

/** A change that leaves the bytes of a document as they are. */
export const changeWithoutMove = (
  occasion: ChangeOrigin,
  before: DocumentRecord,
  after: DocumentRecord,
): Change => ({
  ...occasion,
  before,
  after,
  content: null,
  blockIds: zeroBlockIds,
})

/** The deletion of a document. @param trashPath where its file is kept, within the home; null: nowhere */
export const deletionChange = (
  occasion: ChangeOrigin,
  before: DocumentRecord,
  trashPath: string | null,
): Change =>
  changeWithoutMove(occasion, before, {
    ...before,
    deletedMs: occasion.atMs,
    deletedBy: occasion.actorId,
    trashPath,
    stamp: null,
  })
