import t from 'tap'
import {
  availablePath,
  canContainDocuments,
  columnOf,
  filenameFor,
  filenameOf,
  filePathOf,
  pagePath,
  parseDocumentPath,
  treePath,
} from '../../../../core/documents/model/document-paths.ts'
import { illegalNameReason } from '../../../../data/tree/index.ts'
import fc from '../../../support/seeded-properties.ts'
import { documentRecord } from '../document-record.ts'

t.test('a file’s path says which kind of document it is', async (t) => {
  t.same(parseDocumentPath('README.md'), { kind: 'home', filename: 'README.md' })
  t.same(parseDocumentPath('posts/2026-06-18-news.md'), { kind: 'post', filename: '2026-06-18-news.md' })
  t.same(parseDocumentPath('drafts/ada/next.md'), { kind: 'draft', authorFolder: 'ada', filename: 'next.md' })
  t.same(parseDocumentPath('documents/plan.md'), { kind: 'document', filename: 'plan.md' })
  t.same(parseDocumentPath('documents/guides/deep/setup.MD'), {
    kind: 'document',
    filename: 'guides/deep/setup.MD',
  })
  t.same(parseDocumentPath('board/02-todo/0001-fix.md'), {
    kind: 'card',
    column: '02-todo',
    filename: '0001-fix.md',
  })
})

t.test('a file at any other path is not a document', async (t) => {
  const others = [
    'plan.md',
    'posts/deep/x.md',
    'drafts/x.md',
    'drafts/ada/deep/x.md',
    'documents/picture.png',
    'board/x.md',
    'board/todo/x.md',
    'board/05-later/x.md',
    'board/02-todo/deep/x.md',
    'files/x.md',
    'attachments/doc_1/x.md',
    'skills/x/SKILL.md',
  ]
  for (const path of others) t.equal(parseDocumentPath(path), null, path)
})

t.test('only folders that can hold documents are scanned', async (t) => {
  for (const path of [
    'documents',
    'documents/a/b/c',
    'posts',
    'drafts',
    'drafts/ada',
    'board',
    'board/02-todo',
  ])
    t.ok(canContainDocuments(path), path)
  for (const path of ['posts/a', 'drafts/ada/a', 'board/02-todo/a', 'files', 'attachments/x', 'skills'])
    t.notOk(canContainDocuments(path), path)
})

t.test(
  'a file name is the title in kebab case, with the date of a post or the number of a card',
  async (t) => {
    const facts = { id: 'doc_1', title: 'Release Notes!', day: '2026-06-18', number: 7 }
    t.equal(filenameFor('document', facts), 'release-notes.md')
    t.equal(filenameFor('post', facts), '2026-06-18-release-notes.md')
    t.equal(filenameFor('draft', facts), '2026-06-18-release-notes.md')
    t.equal(filenameFor('card', facts), '0007-release-notes.md')
    t.equal(filenameFor('card', { ...facts, number: 12345 }), '12345-release-notes.md')
    t.equal(filenameFor('document', { ...facts, title: '🙂' }), 'doc_1.md', 'the id where nothing is left')
    t.equal(filenameFor('document', { ...facts, title: 'CON' }), 'con-document.md', 'no device in Windows')
  },
)

t.test('any title gives a file name that is legal on every system, with room for a suffix', async (t) => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (title) =>
    (['document', 'post', 'card'] as const).every((kind) => {
      const name = filenameFor(kind, { id: 'doc_1', title, day: '2026-06-18', number: 1 })
      return illegalNameReason(name) === null && Buffer.byteLength(name) <= 240
    }),
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000, seed: 2 }))
})

t.test('a taken file name gets -2, -3 and so on', async (t) => {
  const taken = new Set(['documents/plan.md', 'documents/plan-2.md'])
  t.equal(
    availablePath('documents/plan.md', (path) => taken.has(path)),
    'documents/plan-3.md',
  )
  t.equal(
    availablePath('documents/other.md', (path) => taken.has(path)),
    'documents/other.md',
  )
})

t.test('a free name among thousands of equal ones is found with few checks', async (t) => {
  for (const count of [31, 32, 33, 34, 1000, 4096, 9999]) {
    const taken = new Set(['documents/plan.md'])
    for (let n = 2; n <= count; n++) taken.add(`documents/plan-${n}.md`)
    let looks = 0
    const free = availablePath('documents/plan.md', (path) => {
      looks += 1
      return taken.has(path)
    })
    t.equal(free, `documents/plan-${count + 1}.md`)
    t.ok(looks < 60, `${looks} checks among ${count}`)
  }
})

t.test('a document’s address is under its kind’s folder, with each name encoded', async (t) => {
  const project = { slug: 'größe' }
  const base = '/v1/fs/projects/gr%C3%B6%C3%9Fe'
  const shown = (kind: 'home' | 'post' | 'draft' | 'document' | 'card', path: string) => {
    const record = documentRecord({ kind, path, number: 7 })
    return [treePath(project, record), pagePath(project, record)]
  }
  t.same(shown('home', 'README.md'), [`${base}/README.md`, '/projects/gr%C3%B6%C3%9Fe'])
  t.same(shown('document', 'documents/a b/c#.md'), [
    `${base}/library/documents/a%20b/c%23.md`,
    '/projects/gr%C3%B6%C3%9Fe/docs/a%20b/c%23',
  ])
  t.same(shown('post', 'posts/x.md'), [`${base}/posts/x.md`, '/projects/gr%C3%B6%C3%9Fe/posts/x'])
  t.same(shown('draft', 'drafts/ada/x.md'), [`${base}/drafts/x.md`, '/projects/gr%C3%B6%C3%9Fe/drafts/x'])
  t.same(shown('card', 'board/02-todo/0007-x.md'), [
    `${base}/board/02-todo/0007-x.md`,
    '/projects/gr%C3%B6%C3%9Fe/board/7',
  ])
})

t.test('a document’s file is at its path, in the trash, or deleted for good', async (t) => {
  const project = { folder: 'general' }
  const record = documentRecord({ path: 'documents/plan.md' })
  t.equal(filePathOf(project, record), 'projects/general/documents/plan.md')
  t.equal(
    filePathOf(project, { ...record, deletedMs: 1, trashPath: 'trash/general/x.md' }),
    'trash/general/x.md',
  )
  t.equal(filePathOf(project, { ...record, deletedMs: 1 }), null)
})

t.test('the path gives the name within the kind’s folder, and a card’s column', async (t) => {
  t.equal(filenameOf({ path: 'documents/guides/setup.md' }), 'guides/setup.md')
  t.equal(filenameOf({ path: 'somewhere/else.md' }), 'else.md')
  t.equal(columnOf({ path: 'board/04-done/x.md' }), '04-done')
  t.equal(columnOf({ path: 'documents/x.md' }), undefined)
})
