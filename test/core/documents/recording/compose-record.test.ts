import t from 'tap'
import type { Project } from '../../../../core/access/project.ts'
import type { DocumentsDeps } from '../../../../core/documents/deps/deps.ts'
import { scheduledMsOf } from '../../../../core/documents/model/schedule.ts'
import { composeRecord, type RecordInput } from '../../../../core/documents/recording/compose-record.ts'
import type { ParsedContent } from '../../../../core/markdown/index.ts'
import { documentRecord } from '../document-record.ts'

/** The card numbers taken in the project. */
const taken = new Set([1, 2, 7])

/** The parts of the workspace that composing a record needs. */
const parts = {
  newId: () => 'doc_new',
  members: { find: (id: string) => ({ id, name: 'Ada' }), names: () => ({ mem_1: 'Ada' }) },
  documents: {
    hasNumber: (_project: string, number: number) => taken.has(number),
    highestNumber: () => Math.max(...taken),
    lastPosition: () => 'a5',
    positionsAround: () => ({ above: 'a5', below: null }),
  },
} as unknown as DocumentsDeps

const project = { id: 'prj_1', slug: 'general', folder: 'general' } as Project

const digestOf = (fields: Record<string, unknown> = {}, title: string | null = 'Plan'): ParsedContent => ({
  title,
  titleSource: title === null ? null : 'heading',
  frontmatter: { bodyStart: 0, own: '', statusRange: null, fields },
  mentions: [],
  blocks: '',
  blockNames: {},
  plain: null,
})

const compose = (facts: Partial<RecordInput>) =>
  composeRecord(parts, {
    before: null,
    parsedBefore: null,
    project,
    kind: 'document',
    column: null,
    path: 'documents/plan.md',
    digest: digestOf(),
    revision: 'new',
    bytes: 10,
    stamp: null,
    editorId: 'mem_1',
    atMs: 5000,
    ...facts,
  })

const card = (facts: Partial<RecordInput>) =>
  compose({ kind: 'card', column: '02-todo', path: 'board/02-todo/0003-plan.md', ...facts })

t.test('a new document has a new id, its creator as author, and the present time as its dates', async (t) => {
  t.match(compose({}), {
    id: 'doc_new',
    authorId: 'mem_1',
    editorId: 'mem_1',
    createdMs: 5000,
    publishedMs: 5000,
    editedMs: null,
    activityMs: 5000,
    pathKey: 'documents/plan.md',
    title: 'Plan',
    number: null,
  })
})

t.test('an edit keeps id, author and dates, and records who edited when', async (t) => {
  const before = documentRecord({ isPinned: true, commentCount: 3 })
  t.match(compose({ before, parsedBefore: digestOf(), editorId: 'mem_2' }), {
    id: 'doc_1',
    authorId: 'mem_1',
    editorId: 'mem_2',
    createdMs: 1000,
    publishedMs: 1000,
    editedMs: 5000,
    isPinned: true,
    commentCount: 3,
  })
})

t.test('a move without new bytes does not count as an edit', async (t) => {
  const before = documentRecord({ revision: 'same', editedMs: 2000 })
  const after = compose({ before, revision: 'same', path: 'documents/b.md', editorId: 'mem_2' })
  t.match(after, { path: 'documents/b.md', editorId: 'mem_1', editedMs: 2000, envelope: before.envelope })
})

t.test(
  'a published draft keeps its id, and its edits as a draft do not count as edits of the post',
  async (t) => {
    const before = documentRecord({
      kind: 'draft',
      path: 'drafts/ada/x.md',
      revision: 'same',
      editedMs: 2000,
    })
    const facts = { before, kind: 'post', path: 'posts/x.md', revision: 'same' } as const
    t.match(compose(facts), {
      id: 'doc_1',
      publishedMs: 5000,
      editedMs: null,
      activityMs: 5000,
      createdMs: 1000,
    })
    t.match(compose({ ...facts, publishedMs: 4000 }), { publishedMs: 4000, activityMs: 4000 })
  },
)

t.test('a file without a title takes its file name as title', async (t) => {
  t.equal(compose({ digest: digestOf({}, null), path: 'documents/deep/My notes.MD' }).title, 'My notes')
})

t.test('a time of publication counts for drafts alone, and an invalid one is ignored', async (t) => {
  const scheduledFor = '2026-12-24T18:00:00Z'
  const scheduledMs = Date.UTC(2026, 11, 24, 18)
  t.equal(compose({ kind: 'draft', digest: digestOf({ scheduledFor }) }).scheduledMs, scheduledMs)
  t.equal(compose({ kind: 'document', digest: digestOf({ scheduledFor }) }).scheduledMs, null)
  t.equal(compose({ kind: 'draft', digest: digestOf({ scheduledFor: 'soon' }) }).scheduledMs, null)
  t.equal(scheduledMsOf({ scheduledFor: scheduledMs }), scheduledMs)
  t.equal(scheduledMsOf({}), null)
  t.equal(scheduledMsOf({ scheduledFor: '' }), null)
  for (const bad of ['soon', 'Thursday', -1, 1.5, true, '2026-02-30', '2026-02-03', '2026-02-03T10:00:00'])
    t.ok(Number.isNaN(scheduledMsOf({ scheduledFor: bad })), String(bad))
})

t.test('a card gets the number in its file name if it is free, else the next one', async (t) => {
  t.equal(card({}).number, 3)
  t.equal(card({ path: 'board/02-todo/0007-plan.md' }).number, 8, 'the number is taken')
  t.equal(card({ path: 'board/02-todo/plan.md' }).number, 8)
  const path = ({ number }: { number: number | null }) => `board/02-todo/${number}-plan.md`
  t.match(card({ path }), { number: 8, path: 'board/02-todo/8-plan.md' })
})

t.test('a card keeps its number for ever, even when it becomes another kind', async (t) => {
  const before = documentRecord({
    kind: 'card',
    path: 'board/02-todo/0002-plan.md',
    number: 2,
    position: 'a1',
    status: 'active',
  })
  t.equal(card({ before, path: 'board/02-todo/0099-plan.md' }).number, 2)
  t.match(compose({ before }), { kind: 'document', number: 2, status: null, position: null, card: null })
})

t.test('a card keeps its position in its column, and enters another column at the end', async (t) => {
  const before = documentRecord({
    kind: 'card',
    path: 'board/02-todo/0002-plan.md',
    number: 2,
    position: 'a1',
  })
  t.equal(card({ before }).position, 'a1')
  t.equal(card({ before, position: 'a3' }).position, 'a3')
  const entering = card({ before, column: '03-in-progress', path: 'board/03-in-progress/0002-plan.md' })
  t.ok(entering.position! > 'a5')
})

t.test('entering Done closes a card, leaving it reopens it, and otherwise the file decides', async (t) => {
  const standing = (column: string, status: string) =>
    documentRecord({ kind: 'card', path: `board/${column}/0002-plan.md`, number: 2, position: 'a1', status })
  const moved = (from: string, status: string, to: '02-todo' | '04-done', own?: string) =>
    card({
      before: standing(from, status),
      parsedBefore: digestOf(own ? { status: own } : {}),
      digest: digestOf(own ? { status: own } : {}),
      column: to,
      path: `board/${to}/0002-plan.md`,
    }).status
  t.equal(card({}).status, 'active')
  t.equal(card({ digest: digestOf({ status: 'drafted' }) }).status, 'drafted')
  t.equal(card({ column: '04-done', path: 'board/04-done/x.md' }).status, 'closed')
  t.equal(moved('02-todo', 'active', '04-done'), 'closed')
  t.equal(moved('02-todo', 'active', '04-done', 'active'), 'closed', 'the column wins over the file')
  t.equal(moved('04-done', 'closed', '02-todo'), 'active')
  t.equal(moved('04-done', 'closed', '02-todo', 'closed'), 'active')
  t.equal(moved('04-done', 'closed', '02-todo', 'drafted'), 'drafted')
  t.equal(moved('04-done', 'closed', '04-done', 'active'), 'closed', 'an unchanged field does not reopen it')
  const rewritten = card({
    before: standing('02-todo', 'active'),
    parsedBefore: digestOf({ status: 'active' }),
    digest: digestOf({ status: 'closed' }),
  })
  t.equal(rewritten.status, 'closed')
})
