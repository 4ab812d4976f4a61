import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { nameKey } from '../../../data/tree/index.ts'

/** A document of the project `prj_1` by `mem_1`; a test sets the fields that matter to it. */
export function documentRecord(set: Partial<DocumentRecord> = {}): DocumentRecord {
  const path = set.path ?? 'documents/plan.md'
  return {
    id: 'doc_1',
    projectId: 'prj_1',
    kind: 'document',
    path,
    pathKey: nameKey(path),
    title: 'Plan',
    authorId: 'mem_1',
    editorId: 'mem_1',
    createdMs: 1000,
    publishedMs: 1000,
    editedMs: null,
    scheduledMs: null,
    isPinned: false,
    commentCount: 0,
    attachments: [],
    activityMs: 1000,
    number: null,
    status: null,
    position: null,
    card: null,
    revision: '0123456789abcdef0123',
    bytes: 10,
    envelope: '[]',
    stamp: null,
    deletedMs: null,
    deletedBy: null,
    trashPath: null,
    ...set,
  }
}
