import type { Via } from './change.ts'
import type { BlockIdCounts } from './types.ts'

export interface DocumentEvent {
  type: 'doc.write' | 'doc.delete'
  projectId: string
  documentId: string
  actorId: string
  via: Via
  /** As of then; which of it a reader sees is decided when it is read. */
  detail: {
    docType: 'note' | 'post' | 'card'
    title: string
    path: string
    previousPath?: string
    changed?: true
    /** It is new, or back from the trash. */
    created?: true
    deleted?: true
    blockIds?: BlockIdCounts
  }
}
