import t from 'tap'
import { documentsTable } from '../../../data/tables/documents.ts'
import { revisionsTable } from '../../../data/tables/revisions.ts'
import { documentRecord } from '../../core/documents/document-record.ts'
import { populatedConnection } from './fresh-connection.ts'

t.test('a revision from the disk is found between two others, and nowhere else', async (t) => {
  const db = populatedConnection(t)
  db.pragma('foreign_keys = OFF')
  const record = documentRecord()
  documentsTable(db).replace(record, record)
  const revisions = revisionsTable(db)
  const add = (revision: string, via: 'api' | 'disk' = 'api', documentId = record.id) =>
    revisions.add({
      documentId,
      revision,
      atMs: 1,
      authorId: 'mem_1',
      via,
      bytes: 1,
      content: Buffer.from('x'),
      digest: '{}',
    })
  for (const [revision, via] of [
    ['one', 'api'],
    ['early', 'disk'],
    ['two', 'api'],
    ['found', 'disk'],
    ['sent', 'api'],
    ['three', 'api'],
    ['late', 'disk'],
  ] as const)
    add(revision, via)
  add('other', 'disk', 'doc_2')
  const isBetween = (revision: string, older = 'two', newer = 'three') =>
    revisions.isFromDiskBetween(record.id, revision, { older, newer })
  t.ok(isBetween('found'))
  t.ok(isBetween('early', 'one', 'three'), 'with others between')
  for (const revision of ['early', 'late', 'sent', 'other', 'none', 'two', 'three'])
    t.notOk(isBetween(revision), revision)
  t.notOk(isBetween('found', 'three', 'two'), 'in the other order')
  t.notOk(isBetween('found', 'gone'))
  t.notOk(isBetween('found', 'two', 'gone'))
  add('two')
  t.ok(isBetween('found'), 'the newest revision of the older before the newer counts')
  add('three')
  t.notOk(isBetween('found'), 'and the newest of the newer')
})
