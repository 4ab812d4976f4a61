import { type Via, zeroBlockIds } from './change.ts'
import type { BlockIdCounts } from './types.ts'

export interface DocumentEvent {
  type: 'doc.write' | 'doc.delete'
  projectId: string
  documentId: string
  actorId: string
  via: Via
  /** As of the event. Which parts a reader may see is decided when it is read. */
  detail: {
    docType: 'note' | 'post' | 'card'
    title: string
    path: string
    previousPath?: string
    changed?: true
    /** The document is new or was restored. */
    created?: true
    deleted?: true
    blockIds?: BlockIdCounts
  }
}

type Detail = DocumentEvent['detail']

/** Omits the usual values, to keep the event's row small. */
export function storedDetail({ docType, changed, blockIds, ...rest }: Detail): string {
  const isUsual = changed && blockIds && Object.values(blockIds).every((count) => count === 0)
  return JSON.stringify({
    ...(docType !== 'note' && { docType }),
    ...rest,
    ...(!isUsual && { changed, blockIds }),
  })
}

export function parseDetail(stored: string): Detail {
  const detail: Partial<Detail> & Pick<Detail, 'title' | 'path'> = JSON.parse(stored)
  const isUsual = !detail.deleted && !detail.changed
  return {
    docType: 'note',
    ...detail,
    ...(isUsual && { changed: true as const, blockIds: zeroBlockIds }),
  }
}
