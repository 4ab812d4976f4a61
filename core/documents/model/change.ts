import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { Analysis } from '../../markdown/index.ts'
import type { BlockIdCounts } from './types.ts'

export type Via = 'api' | 'disk' | 'schedule'

export interface Actor {
  actorId: string
  via: Via
}

export interface Change extends Actor {
  before: DocumentRecord | null
  after: DocumentRecord
  /** null if the file only moves, returns or is deleted. */
  content: Omit<Analysis, 'kind' | 'blockIds'> | null
  blockIds: BlockIdCounts
  atMs: number
  /** The `pathKey` of the path that a new document was written to. */
  requestedKey?: string
}

export type ChangeOrigin = Actor & Pick<Change, 'atMs'>

export const zeroBlockIds: BlockIdCounts = { rebound: 0, orphaned: 0, total: 0 }

export const changeWithoutMove = (
  origin: ChangeOrigin,
  before: DocumentRecord,
  after: DocumentRecord,
): Change => ({
  ...origin,
  before,
  after,
  content: null,
  blockIds: zeroBlockIds,
})

/** @param trashPath path in the home; null if the file is not kept */
export const deletionChange = (
  origin: ChangeOrigin,
  before: DocumentRecord,
  trashPath: string | null,
): Change =>
  changeWithoutMove(origin, before, {
    ...before,
    deletedMs: origin.atMs,
    deletedBy: origin.actorId,
    trashPath,
    stamp: null,
  })
