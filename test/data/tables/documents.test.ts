import t from 'tap'
import { type DocumentRecord, documentsTable } from '../../../data/tables/documents.ts'
import { documentRecord } from '../../core/documents/document-record.ts'
import { populatedConnection } from './fresh-connection.ts'

/** A change of each column that can change. */
const changes: Partial<DocumentRecord>[] = [
  { kind: 'card', path: 'board/Backlog/1-plan.md', number: 1, status: 'active', position: 'a0' },
  { path: 'documents/other.md', pathKey: 'documents/other.md' },
  { title: 'Other' },
  { editorId: 'mem_2' },
  { publishedMs: 2000, editedMs: 3000, activityMs: 4000 },
  { scheduledMs: 5000 },
  { isPinned: true, commentCount: 2 },
  { attachments: [{ id: 'att_1', name: 'a.txt', type: 'text/plain', size: 1 }] },
  { card: { priority: 'high', labels: [], assignees: [] } },
  { revision: 'abcdef0123456789abcd', bytes: 20, envelope: '["x"]' },
  { stamp: { dev: 1, ino: 2, birthtimeMs: 3, size: 4, mtimeMs: 5, ctimeMs: 6, uid: 7, lookedMs: 8 } },
  { deletedMs: 6000, deletedBy: 'mem_1', trashPath: '.workroom/trash/plan.md' },
]

t.test('a document is replaced as a whole, whatever has changed', async (t) => {
  const db = populatedConnection(t)
  db.pragma('foreign_keys = OFF')
  const documents = documentsTable(db)
  let before = documentRecord()
  documents.replace(before, before)
  t.strictSame(documents.find('doc_1'), before, 'even if it has no row')
  for (const change of changes) {
    const after = { ...before, ...change }
    documents.replace(before, after)
    t.strictSame(documents.find('doc_1'), after, Object.keys(change).join(', '))
    before = after
  }
})

const stamp = { dev: 1, ino: 2, birthtimeMs: 3.5, size: 4, mtimeMs: 5.5, ctimeMs: 6.5, uid: 7, lookedMs: 8 }

/** A record in which every field has a value of its own. */
const card: DocumentRecord = {
  id: 'doc_2',
  projectId: 'prj_1',
  kind: 'card',
  path: 'board/02-todo/0012-A.md',
  pathKey: 'board/02-todo/0012-a.md',
  title: 'A card',
  authorId: 'mem_1',
  editorId: 'mem_1',
  createdMs: 11,
  publishedMs: 12,
  editedMs: 13,
  scheduledMs: 14,
  isPinned: true,
  commentCount: 15,
  attachments: [{ id: 'att_1', name: 'a.png', type: 'image/png', size: 16 }],
  activityMs: 17,
  number: 18,
  status: 'active',
  position: 'a0',
  card: { priority: 'high', labels: ['x'], assignees: ['mem_1'] },
  revision: '0123456789abcdef0123',
  bytes: 19,
  envelope: '[1]',
  stamp,
  deletedMs: null,
  deletedBy: null,
  trashPath: null,
}

t.test('loading all live documents gives the same records as finding them one by one', async (t) => {
  const documents = documentsTable(populatedConnection(t))
  const plain = documentRecord({ id: 'doc_1' })
  const deleted = documentRecord({ id: 'doc_3', deletedMs: 20, deletedBy: 'mem_1', trashPath: 'trash/x' })
  for (const record of [plain, card, deleted]) documents.put(record)
  const byId = (one: DocumentRecord, other: DocumentRecord) => (one.id < other.id ? -1 : 1)
  t.strictSame([...documents.eachLive()].sort(byId), [plain, card])
  t.strictSame(documents.live().sort(byId), [plain, card])
  for (const record of [plain, card, deleted]) t.strictSame(documents.find(record.id), record)
})
