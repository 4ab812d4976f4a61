import type { Via } from './change.ts'
import type { BlockIdCounts } from './types.ts'

/** What a document's event says of the moment at which it happened. */
export interface DocumentEvent {
  type: 'doc.write' | 'doc.delete'
  projectId: string
  documentId: string
  /** Who wrote or deleted it. */
  actorId: string
  via: Via
  /** As it stood then; what of it a reader may see is decided when it is read. */
  detail: {
    docType: 'note' | 'post' | 'card'
    title: string
    /** `/v1/fs/…` */
    path: string
    previousPath?: string
    changed?: true
    deleted?: true
    blockIds?: BlockIdCounts
  }
}
