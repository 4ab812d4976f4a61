import t from 'tap'
import { Catalogue } from '../../../core/documents/catalogue/catalogue.ts'
import type { DocumentRecord } from '../../../data/tables/documents.ts'
import { documentRecord } from './document-record.ts'

function catalogueOf(...records: Partial<DocumentRecord>[]): Catalogue {
  const catalogue = new Catalogue()
  for (const record of records) catalogue.put(documentRecord(record))
  return catalogue
}

const stamp = { dev: 1, ino: 2, birthtimeMs: 3, size: 4, mtimeMs: 5, ctimeMs: 6, uid: 7, lookedMs: 8 }

t.test(
  'a document’s file name finds it, with or without extension, in any case and Unicode normal form',
  async (t) => {
    const catalogue = catalogueOf({ id: 'doc_a', path: 'documents/guides/Über uns.md', title: 'Anything' })
    const named = (name: string) => catalogue.resolve('prj_1', 'document', name)?.id
    t.equal(named('guides/Über uns.md'), 'doc_a')
    t.equal(named('guides/Über uns'), 'doc_a')
    t.equal(named('GUIDES/ÜBER UNS.MD'), 'doc_a')
    t.equal(named('guides/Über uns.md'.normalize('NFD')), 'doc_a')
    t.equal(named('Über uns.md'), undefined, 'the folder is part of the name')
    t.equal(catalogue.resolve('prj_2', 'document', 'guides/Über uns.md'), null)
  },
)

t.test('of two names that differ only in case, the exact one wins', async (t) => {
  const catalogue = catalogueOf(
    { id: 'doc_a', path: 'documents/Plan.md', title: 'One' },
    { id: 'doc_b', path: 'documents/plan.md', title: 'Two' },
  )
  t.equal(catalogue.resolve('prj_1', 'document', 'Plan.md')?.id, 'doc_a')
  t.equal(catalogue.resolve('prj_1', 'document', 'plan.md')?.id, 'doc_b')
  t.equal(catalogue.atSimilarPath('prj_1', 'documents/PLAN.md').length, 2)
})

t.test('a file name wins over the slug of a title, and of equal slugs the newest wins', async (t) => {
  const catalogue = catalogueOf(
    { id: 'doc_a', kind: 'post', path: 'posts/2026-01-01-news.md', title: 'Old news', publishedMs: 1 },
    { id: 'doc_b', kind: 'post', path: 'posts/2026-01-02-news.md', title: 'News', publishedMs: 2 },
    { id: 'doc_c', kind: 'post', path: 'posts/2026-01-03-news-2.md', title: 'News!', publishedMs: 3 },
  )
  const named = (name: string) => catalogue.resolve('prj_1', 'post', name)?.id
  t.equal(named('2026-01-01-news.md'), 'doc_a')
  t.equal(named('news'), 'doc_c')
  t.equal(named('news.md'), 'doc_c')
  t.equal(named('2030-12-31-news.md'), 'doc_c', 'the date may be left out')
  t.equal(named('old-news'), 'doc_a')
  catalogue.remove('doc_c')
  t.equal(named('news'), 'doc_b')
})

t.test('an id comes last, and finds only its own kind and the author’s own drafts', async (t) => {
  const catalogue = catalogueOf({
    id: 'doc_a',
    kind: 'draft',
    path: 'drafts/ada/2026-01-01-x.md',
    authorId: 'mem_1',
  })
  const named = (kind: 'draft' | 'post', authorId?: string) =>
    catalogue.resolve('prj_1', kind, 'DOC_A.md', authorId ? { authorId } : {})?.id
  t.equal(named('draft', 'mem_1'), 'doc_a')
  t.equal(named('draft', 'mem_2'), undefined)
  t.equal(named('post'), undefined)
})

t.test(
  'a card is found by its number, whatever follows it, and by its file name in its own column',
  async (t) => {
    const card = { kind: 'card', title: 'Fix login', number: 7 } as const
    const catalogue = catalogueOf({ ...card, id: 'doc_a', path: 'board/02-todo/0007-fix-login.md' })
    const named = (name: string, column?: string) =>
      catalogue.resolve('prj_1', 'card', name, column ? { column } : {})?.id
    for (const name of ['7', '0007', '0007-fix-login.md', '0007-another-title', 'fix-login']) {
      t.equal(named(name, '02-todo'), 'doc_a', name)
    }
    t.equal(named('8'), undefined)
    t.equal(catalogue.cardWithNumber('prj_1', 7)?.id, 'doc_a')
    t.equal(catalogue.cardWithNumber('prj_2', 7), null)
  },
)

t.test('replacing a record removes the former one from every index', async (t) => {
  const before = { id: 'doc_a', path: 'documents/old.md', title: 'Old', revision: 'a', stamp }
  const catalogue = catalogueOf(before)
  const after = {
    id: 'doc_a',
    path: 'documents/new.md',
    title: 'New',
    revision: 'b',
    stamp: { ...stamp, ino: 9 },
  }
  catalogue.put(documentRecord(after))
  t.equal(catalogue.at('prj_1', 'documents/old.md'), null)
  t.equal(catalogue.at('prj_1', 'documents/new.md')?.id, 'doc_a')
  t.equal(catalogue.resolve('prj_1', 'document', 'old'), null)
  t.same(catalogue.withFile(stamp), [])
  t.equal(catalogue.withFile({ ...stamp, ino: 9 }).length, 1)
  t.same(catalogue.withRevision('a'), [])
  t.equal(catalogue.countInProject('prj_1'), 1)
  catalogue.remove('doc_a')
  t.equal(catalogue.find('doc_a'), null)
  t.same(catalogue.inProject('prj_1'), [])
})

t.test(
  'two documents that swap their paths are found at the new ones, in whatever order they are put',
  async (t) => {
    const catalogue = catalogueOf(
      { id: 'doc_a', path: 'documents/a.md' },
      { id: 'doc_b', path: 'documents/b.md' },
    )
    catalogue.put(documentRecord({ id: 'doc_a', path: 'documents/b.md' }))
    catalogue.put(documentRecord({ id: 'doc_b', path: 'documents/a.md' }))
    t.equal(catalogue.at('prj_1', 'documents/a.md')?.id, 'doc_b')
    t.equal(catalogue.at('prj_1', 'documents/b.md')?.id, 'doc_a')
  },
)

t.test('a file without a birth time matches no document, because inodes are reused', async (t) => {
  const timeless = { ...stamp, birthtimeMs: 0 }
  const catalogue = catalogueOf({ stamp: timeless })
  t.same(catalogue.withFile(timeless), [])
})

t.test('documents are counted by kind, and drafts by author', async (t) => {
  const catalogue = catalogueOf(
    { id: 'doc_a', kind: 'post', path: 'posts/a.md' },
    { id: 'doc_b', kind: 'draft', path: 'drafts/ada/b.md', authorId: 'mem_1' },
    { id: 'doc_c', kind: 'draft', path: 'drafts/grace/c.md', authorId: 'mem_2' },
  )
  t.equal(catalogue.countOfKind('prj_1', 'post'), 1)
  t.same(
    catalogue.ofKind('prj_1', 'draft', 'mem_2').map(({ id }) => id),
    ['doc_c'],
  )
})

t.test('relocating the documents of a moved folder equals putting them at their new paths', async (t) => {
  const before = [
    { id: 'doc_a', path: 'documents/old/deep/a.md', title: 'A', stamp },
    { id: 'doc_b', path: 'documents/old/b.md', title: 'B' },
    { id: 'doc_c', path: 'documents/c.md', title: 'C' },
  ]
  const moved = before.slice(0, 2).map(({ path, ...record }) => {
    const to = path.replace('/old/', '/New/')
    return documentRecord({ ...record, path: to, pathKey: to.toLowerCase() })
  })
  const catalogues = [catalogueOf(...before), catalogueOf(...before)] as const
  for (const record of moved) {
    catalogues[0].relocate(record)
    catalogues[1].put(record)
  }
  // Compares the whole catalogue, so that an index added later is covered.
  t.strictSame(catalogues[0], catalogues[1])
  t.equal(catalogues[0].at('prj_1', 'documents/New/deep/a.md')?.id, 'doc_a')
})

t.test('a catalogue loaded at once answers as one filled record by record', async (t) => {
  const records = () => [
    documentRecord({ id: 'doc_a', path: 'documents/Plan.md', title: 'One', stamp }),
    documentRecord({ id: 'doc_b', path: 'documents/plan.md', title: 'Two' }),
    documentRecord({ id: 'doc_c', kind: 'card', path: 'board/01-triage/0007-a.md', number: 7 }),
    documentRecord({ id: 'doc_d', kind: 'draft', path: 'drafts/ada/x.md', authorId: 'mem_2' }),
  ]
  const [filled, grown] = [new Catalogue(), catalogueOf(...records())]
  filled.load(records())
  const answers = (catalogue: Catalogue) => [
    records().map(({ id }) => catalogue.find(id)),
    catalogue.at('prj_1', 'documents/plan.md'),
    catalogue.atSimilarPath('prj_1', 'documents/PLAN.md'),
    catalogue.inProject('prj_1'),
    catalogue.resolve('prj_1', 'document', 'Plan')?.id,
    catalogue.resolve('prj_1', 'document', 'two')?.id,
    catalogue.resolve('prj_1', 'card', '7')?.id,
    catalogue.resolve('prj_1', 'draft', 'x', { authorId: 'mem_2' })?.id,
    catalogue.withFile(stamp),
    catalogue.withRevision(records()[0]!.revision),
    catalogue.folders.hasDocuments('prj_1', 'board'),
  ]
  t.strictSame(answers(filled), answers(grown))

  const [changing, changed] = [new Catalogue(), catalogueOf(...records())]
  changing.load(records())
  for (const catalogue of [changing, changed]) {
    const [first, second, , draft] = records()
    catalogue.put({ ...first!, title: 'Other', revision: 'ffffffffffffffffffff', stamp: null })
    catalogue.relocate({ ...second!, path: 'documents/b/plan.md', pathKey: 'documents/b/plan.md' })
    catalogue.remove(draft!.id)
  }
  await changing.finishLoading()
  t.strictSame(answers(changing), answers(changed))
  t.equal(changing.withTitle('prj_1', 'document', 'One'), null)
  t.equal(changing.withTitle('prj_1', 'document', 'Two')?.path, 'documents/b/plan.md')

  for (const catalogue of [filled, grown]) for (const { id } of records()) catalogue.remove(id)
  t.strictSame(answers(filled), answers(grown))
  t.notOk(filled.folders.hasDocuments('prj_1', 'board'))
})
