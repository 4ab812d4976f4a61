import type { DocumentRecord } from '../../data/tables/documents.ts'
import type { Project } from '../projects/types.ts'
import type { Parts } from './parts.ts'
import { filenameOf, pagePath, treePath } from './places.ts'
import type { BlockIdCounts, WriteResult } from './types.ts'

/** Of a change that wrote no new text. */
export const noBlockIds: BlockIdCounts = { rebound: 0, orphaned: 0, total: 0 }

/** What a write answers (`interface.md`, Write rule 1). */
export const resultOf = (
  { pageUrl }: Parts,
  project: Project,
  record: DocumentRecord,
  outcome: { created: boolean; changed: boolean; blockIds: BlockIdCounts },
): WriteResult => ({
  filename: filenameOf(record),
  path: treePath(project, record),
  id: record.id,
  url: pageUrl(pagePath(project, record)),
  ...outcome,
  revision: record.revision,
})
