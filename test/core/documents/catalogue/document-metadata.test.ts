import t from 'tap'
import { Catalogue } from '../../../../core/documents/catalogue/catalogue.ts'
import { DocumentMetadata } from '../../../../core/documents/catalogue/document-metadata.ts'
import type { DocumentsDeps } from '../../../../core/documents/deps/deps.ts'
import type { Change } from '../../../../core/documents/model/change.ts'
import { ChangeCommitter } from '../../../../core/documents/recording/change-committer.ts'
import type { ChangeRecorder } from '../../../../core/documents/recording/change-recorder.ts'
import type { Journal } from '../../../../core/documents/storage/journal.ts'
import { openDatabase } from '../../../../data/open-database.ts'
import { type DocumentRecord, documentsTable } from '../../../../data/tables/documents.ts'
import { membersTable } from '../../../../data/tables/members.ts'
import { projectsTable } from '../../../../data/tables/projects.ts'
import { memberRow, projectRow } from '../../../data/tables/fresh-connection.ts'
import { documentRecord } from '../document-record.ts'

const database = openDatabase(`${t.testdir()}/workroom.db`)
t.teardown(() => database.close())
membersTable(database.connection).insert(memberRow('mem_1'))
projectsTable(database.connection).insert(projectRow('prj_1'))
const documents = documentsTable(database.connection)
const catalogue = new Catalogue()
const problems: string[] = []
const metadata = new DocumentMetadata({
  documents,
  catalogue,
  onProblem: (problem) => problems.push(problem),
})

let count = 0
/** A new document without comments. */
async function newDocument(): Promise<DocumentRecord> {
  count += 1
  const record = documentRecord({ id: `doc_${count}`, path: `posts/${count}.md`, kind: 'post' })
  await database.commit(() => documents.put(record))
  catalogue.put(record)
  return record
}

/** A committer without a disk: a change's bytes count as placed. */
const changeCommitter = new ChangeCommitter(
  {
    metadata,
    catalogue,
    database,
    diskNow: () => 0,
    documents,
    events: { hide: () => {}, show: () => {} },
    projects: { find: () => ({ folder: 'general' }) },
  } as unknown as DocumentsDeps,
  {
    record: ({ after }: Change) => {
      documents.put(after)
      return { tick: 1 }
    },
  } as unknown as ChangeRecorder,
  { append: () => ({ id: 1 }), begin: () => {}, markPlaced: () => {} } as unknown as Journal,
)

/** A change composed from `before`, even if the document has changed since. */
const changeOf = (before: DocumentRecord): Change =>
  ({ before, after: { ...before, title: 'Written', activityMs: 3000 }, content: null }) as Change
/** The two ways in which a change is committed. */
const ways = {
  write: (before: DocumentRecord) => changeCommitter.commitAndPlace(null, () => changeOf(before)),
  find: (before: DocumentRecord) => changeCommitter.commitFromDisk(() => [changeOf(before)]),
}

const comment = ({ id }: DocumentRecord) =>
  database.commit(() =>
    metadata.update(id, ({ commentCount }) => ({ commentCount: commentCount + 1, activityMs: 5000 })),
  )
const pin = ({ id }: DocumentRecord) => database.commit(() => metadata.update(id, () => ({ isPinned: true })))

t.test('a comment, a pin and a write of the file at the same time all count', async (t) => {
  for (const [way, write] of Object.entries(ways)) {
    for (const deeds of [
      [comment, pin, write],
      [write, comment, pin],
      [comment, write, pin],
    ]) {
      const record = await newDocument()
      // All are in one group commit, so the write was composed without the comment.
      await Promise.all(deeds.map((deed) => deed(record)))
      const expected = { title: 'Written', commentCount: 1, isPinned: true, activityMs: 5000 }
      t.match(documents.find(record.id), expected, way)
      t.match(catalogue.find(record.id), expected, way)
    }
  }
})

t.test('document metadata is visible only once its commit is durable', async (t) => {
  const record = await newDocument()
  const before = catalogue.find(record.id)!
  const commenting = comment(record)
  t.equal(catalogue.find(record.id), before)
  await commenting
  t.match(catalogue.find(record.id), { commentCount: 1, activityMs: 5000 })
  t.not(catalogue.find(record.id), before, 'a record is never changed in place')
  t.equal(before.commentCount, 0)
})

t.test('metadata of a commit that fails is never visible', async (t) => {
  const record = await newDocument()
  const failing = database.commit(() => {
    metadata.update(record.id, () => ({ commentCount: 7 }))
    throw new Error('No.')
  })
  await t.rejects(failing, /No/)
  t.match(documents.find(record.id), { commentCount: 0 })
  t.match(catalogue.find(record.id), { commentCount: 0 })
})

t.test('rolling back a write that the disk refused keeps a comment made meanwhile', async (t) => {
  const before = await newDocument()
  const after = { ...before, title: 'Written', activityMs: 3000 }
  const writing = database.commit(() => documents.put(after))
  await Promise.all([writing, comment(before)])
  database.commitNow(() => metadata.rollBack(before, after))
  await null
  t.match(documents.find(before.id), { title: 'Plan', commentCount: 1, activityMs: 5000 })
  t.match(catalogue.find(before.id), { title: 'Plan', commentCount: 1, activityMs: 5000 })
})

t.test('without a comment, the write sets the time of the last activity', async (t) => {
  const record = await newDocument()
  await ways.write(record)
  t.match(documents.find(record.id), { activityMs: 3000 })
})

t.test('metadata of an unknown document is ignored', async (t) => {
  await database.commit(() => metadata.update('doc_none', () => ({ isPinned: true })))
  t.equal(documents.find('doc_none'), undefined)
  t.same(problems, [])
})
