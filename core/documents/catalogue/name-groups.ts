import type { DocumentRecord } from '../../../data/tables/documents.ts'
import type { DocumentKind } from '../model/types.ts'

/** Names are looked up among the documents of one kind in a project, those of drafts among their author's. */
export type NameGroup = string

export const groupOf = (record: DocumentRecord): NameGroup =>
  nameGroup(record.projectId, record.kind, record.kind === 'draft' ? record.authorId : '')

export const nameGroup = (projectId: string, kind: DocumentKind, authorId: string): NameGroup =>
  `${projectId} ${kind} ${authorId}`
