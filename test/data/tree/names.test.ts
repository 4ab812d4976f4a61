import t from 'tap'
import { conflictOf, isIgnoredName, nameKey } from '../../../data/tree/index.ts'
import fc from '../../support/seeded-properties.ts'

t.test('names that cannot coexist on every system have the same key', async (t) => {
  t.equal(nameKey('Plan.md'), nameKey('plan.MD'), 'case')
  t.equal(nameKey('café.md'), nameKey('cafe\u0301.md'), 'NFC and NFD')
  t.equal(nameKey('CAFE\u0301'), nameKey('café'), 'both')
  t.equal(nameKey('STRASSE'), nameKey('straße'), 'full case folding')
  t.equal(nameKey('ΟΔΟΣ'), nameKey('οδος'), 'final sigma')
  t.not(nameKey('plan'), nameKey('plans'))
  t.not(nameKey('a'), nameKey('á'))
})

t.test('a key does not depend on case or normal form', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const key = nameKey(name)
      return [name.normalize('NFC'), name.normalize('NFD'), name.toUpperCase(), key].every(
        (other) => nameKey(other) === key,
      )
    }),
  )
})

const ignored = [
  '.plan.md.swp',
  '.plan.md.swo',
  '.plan.md.swx',
  'plan.md~',
  '4913',
  '.#plan.md',
  '#plan.md#',
  '~$plan.docx',
  'plan.tmp',
  'PLAN.TMP',
  'plan.md.temp',
  'plan.md.part',
  'plan.crdownload',
  '.DS_Store',
  'Thumbs.db',
  'desktop.ini',
  '.syncthing.plan.md.tmp',
  '~syncthing~plan.md.tmp',
  '.~lock.plan.odt#',
  '.goutputstream-X1Y2Z3',
  '.fuse_hidden0000',
  '.nfs000001',
  '.obsidian',
  '.git',
  '.svn',
  '.hg',
  '.stfolder',
  '.stversions',
  '.vscode',
  '.idea',
  '.trash',
  'node_modules',
  '.workroom',
  '.workroom-probe',
  '.anything',
  'plan.md___jb_tmp___',
]

t.test('temporary files of editors, systems and sync tools are ignored names', async (t) => {
  for (const name of ignored) t.ok(isIgnoredName(name), name)
})

t.test('a file that a person writes is not an ignored name', async (t) => {
  const documents = [
    'plan.md',
    '4913.md',
    '49130',
    'tmp.md',
    'tmp',
    'party.md',
    'temp',
    'a~b.md',
    '~plan.md',
    '#1 plan.md',
    'a#',
    'trash',
    'modules',
    'plan.sync-conflict-20260101-101010-ABCDEFG.md',
  ]
  for (const name of documents) t.notOk(isIgnoredName(name), name)
})

const copies: [copy: string, original: string][] = [
  ['a.sync-conflict-20260101-101010-ABCDEFG.md', 'a.md'],
  ['a.b.sync-conflict-20260101-101010-ABCDEFG.md', 'a.b.md'],
  ['LICENSE.sync-conflict-20260101-101010-ABCDEFG', 'LICENSE'],
  ['cafe\u0301.sync-conflict-20260101-101010-ABCDEFG.md', 'café.md'],
  ['a (conflicted copy 2026-01-01).md', 'a.md'],
  ['a (conflicted copy 2026-01-01 101010).md', 'a.md'],
  ["a (Ada's conflicted copy 2026-01-01).md", 'a.md'],
  ['a (Ada’s conflicted copy 2026-01-01) (1).md', 'a.md'],
  ["a (draft) (Ada's conflicted copy 2026-01-01).md", 'a (draft).md'],
  ['a (Case Conflict).md', 'a.md'],
  ['a (Case Conflict 1).md', 'a.md'],
  ['a.conflicted.md', 'a.md'],
  ['a.conflicted.2.md', 'a.md'],
  ['a.sync-conflict-20260101-101010-ABCDEFG.sync-conflict-20260102-101010-ABCDEFG.md', 'a.md'],
]

t.test('a conflict copy names its original', async (t) => {
  for (const [copy, original] of copies) t.equal(conflictOf(copy), original, copy)
})

t.test('other names are not conflict copies', async (t) => {
  const names = [
    'a.md',
    'conflicted.md',
    'sync-conflict.md',
    'a (copy).md',
    'a sync-conflict.md',
    'on conflicted copy.md',
    'a (1).md',
  ]
  for (const name of names) t.equal(conflictOf(name), null, name)
})

t.test('the longest names are checked without delay', async (t) => {
  const pieces = ['a (', ' (conflicted copy', '.conflicted.1', '.sync-conflict-20260101-101010']
  const worst = pieces.map((piece) => `${piece.repeat(255 / piece.length)}.`)
  for (const name of worst) t.equal(conflictOf(name), null)
})
