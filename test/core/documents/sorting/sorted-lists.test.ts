import assert from 'node:assert/strict'
import t from 'tap'
import type { Project } from '../../../../core/access/project.ts'
import { Catalogue } from '../../../../core/documents/catalogue/catalogue.ts'
import { postsOf } from '../../../../core/documents/sorting/post-list.ts'
import { SortedLists } from '../../../../core/documents/sorting/sorted-lists.ts'
import fc, { runParameters } from '../../../support/seeded-properties.ts'
import { documentRecord } from '../document-record.ts'

const project = { id: 'prj_1' } as Project

const listsOf = (catalogue: Catalogue) =>
  new SortedLists({ catalogue, members: { version: 0 } as never }, () => 0)

const idsIn = async (lists: SortedLists) =>
  (await lists.inOrder(project, postsOf(project))).map(({ id }) => id)

/** A change of one of eight documents, or a reading of the list. */
const step = fc.oneof(
  fc.record({
    kind: fc.constantFrom('post', 'post', 'draft'),
    projectId: fc.constantFrom('prj_1', 'prj_1', 'prj_2'),
    id: fc.nat(7),
    activityMs: fc.nat(5),
  }),
  fc.record({ kind: fc.constant('removed'), id: fc.nat(7) }),
  fc.constant({ kind: 'listed' }),
)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function change(catalogue: Catalogue, one: Step): void {
  if (!('id' in one)) return
  const id = `doc_${one.id}`
  if (one.kind === 'removed') catalogue.remove(id)
  else if ('activityMs' in one) {
    const { projectId, activityMs } = one
    const kind = one.kind as 'post' | 'draft'
    catalogue.put(documentRecord({ id, projectId, kind, path: `${kind}s/${id}.md`, activityMs }))
  }
}

t.test('a list that follows changes equals one sorted afresh', async (t) => {
  const holds = async (steps: Step[]) => {
    const catalogue = new Catalogue()
    const lists = listsOf(catalogue)
    for (const one of steps) {
      change(catalogue, one)
      if (one.kind === 'listed') assert.deepEqual(await idsIn(lists), await idsIn(listsOf(catalogue)))
    }
    assert.deepEqual(await idsIn(lists), await idsIn(listsOf(catalogue)))
  }
  await t.resolves(
    fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), holds), runParameters(300, 41)),
  )
})

t.test('a change made while a list is being sorted is in it, once', async (t) => {
  const catalogue = new Catalogue()
  const put = (number: number, activityMs: number) => {
    const id = `doc_${number}`
    catalogue.put(documentRecord({ id, kind: 'post', path: `posts/${id}.md`, activityMs }))
  }
  for (let number = 0; number < 3000; number++) put(number, number)
  const lists = listsOf(catalogue)
  const sorting = lists.inOrder(project, postsOf(project))
  for (let number = 0; number < 100; number++) put(number, 5000 + number)
  put(1, 9000)
  catalogue.remove('doc_2')
  await sorting
  t.strictSame(await idsIn(lists), await idsIn(listsOf(catalogue)))
})

t.test('a list that missed too many changes is sorted afresh', async (t) => {
  const catalogue = new Catalogue()
  const lists = listsOf(catalogue)
  await idsIn(lists)
  for (let number = 0; number < 1000; number++) {
    const id = `doc_${number}`
    catalogue.put(documentRecord({ id, kind: 'post', path: `posts/${id}.md`, activityMs: number % 7 }))
  }
  t.equal((await idsIn(lists)).length, 1000)
  t.strictSame(await idsIn(lists), await idsIn(listsOf(catalogue)))
})

t.test(
  'the rows of a list that is too long to hold are made when they are read, anew each time',
  async (t) => {
    const catalogue = new Catalogue()
    const put = (number: number) => {
      const id = `doc_${number}`
      catalogue.put(documentRecord({ id, kind: 'post', path: `posts/${id}.md`, activityMs: number }))
    }
    for (let number = 0; number < 3; number++) put(number)
    const lists = new SortedLists({ catalogue, members: { version: 0 } as never }, () => 0, 3)
    const made: string[] = []
    const list = {
      ...postsOf(project),
      row: ({ id }: { id: string }) => {
        made.push(id)
        return { id }
      },
    }
    const rows = await lists.rows(project, list, new Set(['doc_1']))
    t.strictSame([rows.length, made], [2, []])
    const [first] = rows
    t.strictSame([first, made], [{ id: 'doc_2' }, ['doc_2']])
    put(3)
    const later = await lists.rows(project, list, new Set())
    t.strictSame(
      [...rows],
      [{ id: 'doc_2' }, { id: 'doc_0' }],
      'a list stays as it was when it was requested',
    )
    t.strictSame(
      [...later].map(({ id }) => id),
      ['doc_3', 'doc_2', 'doc_1', 'doc_0'],
    )
    catalogue.remove('doc_3')
    catalogue.remove('doc_2')
    made.length = 0
    const held = await lists.rows(project, list, new Set())
    t.strictSame(
      [held, made],
      [
        [{ id: 'doc_1' }, { id: 'doc_0' }],
        ['doc_1', 'doc_0'],
      ],
      'a short list is held',
    )
  },
)
