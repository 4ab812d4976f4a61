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
const annotations = new DocumentMetadata({
  documents,
  catalogue,
  onProblem: (problem) => problems.push(problem),
})

let count = 0
/** A document of its own, which nobody has commented on. */
async function newDocument(): Promise<DocumentRecord> {
  count += 1
  const record = documentRecord({ id: `doc_${count}`, path: `posts/${count}.md`, kind: 'post' })
  await database.commit(() => documents.put(record))
  catalogue.put(record)
  return record
}

/** As much of the filing as a change takes whose bytes are in place: nothing happens on the disk. */
const changeCommitter = new ChangeCommitter(
  {
    annotations,
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

/** A change that was composed from `before`, whatever that has become. */
const changeOf = (before: DocumentRecord): Change =>
  ({ before, after: { ...before, title: 'Written', activityMs: 3000 }, content: null }) as Change
/** It comes over an interface, or was found on the disk. */
const ways = {
  write: (before: DocumentRecord) => changeCommitter.commitAndPlace(null, () => changeOf(before)),
  find: (before: DocumentRecord) => changeCommitter.commitFromDisk(() => [changeOf(before)]),
}

const comment = ({ id }: DocumentRecord) =>
  database.commit(() =>
    annotations.update(id, ({ commentCount }) => ({ commentCount: commentCount + 1, activityMs: 5000 })),
  )
const pin = ({ id }: DocumentRecord) =>
  database.commit(() => annotations.update(id, () => ({ isPinned: true })))

t.test('a comment or a pin during a write of the file is not lost, nor is the write', async (t) => {
  for (const [way, write] of Object.entries(ways)) {
    for (const deeds of [
      [comment, pin, write],
      [write, comment, pin],
      [comment, write, pin],
    ]) {
      const record = await newDocument()
      // All in one commit: the write knows nothing of the comment.
      await Promise.all(deeds.map((deed) => deed(record)))
      const expected = { title: 'Written', commentCount: 1, isPinned: true, activityMs: 5000 }
      t.match(documents.find(record.id), expected, way)
      t.match(catalogue.find(record.id), expected, way)
    }
  }
})

t.test('it is shown when its commit is durable, and not before', async (t) => {
  const record = await newDocument()
  const before = catalogue.find(record.id)!
  const commenting = comment(record)
  t.equal(catalogue.find(record.id), before)
  await commenting
  t.match(catalogue.find(record.id), { commentCount: 1, activityMs: 5000 })
  t.not(catalogue.find(record.id), before, 'a record is never changed in place')
  t.equal(before.commentCount, 0)
})

t.test('what is taken back with its commit is not shown', async (t) => {
  const record = await newDocument()
  const failing = database.commit(() => {
    annotations.update(record.id, () => ({ commentCount: 7 }))
    throw new Error('No.')
  })
  await t.rejects(failing, /No/)
  t.match(documents.find(record.id), { commentCount: 0 })
  t.match(catalogue.find(record.id), { commentCount: 0 })
})

t.test('a write that the disk refused leaves what was noted beside it', async (t) => {
  const before = await newDocument()
  const after = { ...before, title: 'Written', activityMs: 3000 }
  const writing = database.commit(() => documents.put(after))
  await Promise.all([writing, comment(before)])
  database.commitNow(() => annotations.rollBack(before, after))
  await null
  t.match(documents.find(before.id), { title: 'Plan', commentCount: 1, activityMs: 5000 })
  t.match(catalogue.find(before.id), { title: 'Plan', commentCount: 1, activityMs: 5000 })
})

t.test('a write alone decides when the last activity was', async (t) => {
  const record = await newDocument()
  await ways.write(record)
  t.match(documents.find(record.id), { activityMs: 3000 })
})

t.test('nothing is noted of what is not there', async (t) => {
  await database.commit(() => annotations.update('doc_none', () => ({ isPinned: true })))
  t.equal(documents.find('doc_none'), undefined)
  t.same(problems, [])
})
