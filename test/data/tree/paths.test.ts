import { join, resolve, sep } from 'node:path'
import t from 'tap'
import { illegalNameReason, joinHome, UnsafePathError } from '../../../data/tree/index.ts'
import fc from '../../support/seeded-properties.ts'

const home = resolve('/srv/workroom')

t.test('a path is joined to the home', async (t) => {
  t.equal(joinHome(home, 'projects'), join(home, 'projects'))
  t.equal(
    joinHome(home, 'projects/general/documents/plan.md'),
    join(home, 'projects/general/documents/plan.md'),
  )
  t.equal(joinHome(home, 'projects/.x.tmp'), join(home, 'projects/.x.tmp'), 'hidden names are allowed')
  t.equal(joinHome(home, 'a/Überblick 🎉.md'), join(home, 'a/Überblick 🎉.md'))
  t.equal(joinHome(resolve('/'), 'etc'), resolve('/etc'), 'the root of the file system as home')
})

const hostile: [string, string][] = [
  ['..', 'parent'],
  ['../x', 'parent first'],
  ['a/../../x', 'parent within'],
  ['a/..', 'parent last'],
  ['.', 'dot'],
  ['a/./b', 'dot within'],
  ['.. /x', 'parent with a space, which Windows drops'],
  ['a/...', 'three dots'],
  ['', 'nothing'],
  ['a//b', 'an empty name'],
  ['a/', 'a slash at the end'],
  ['/etc/passwd', 'an absolute path'],
  ['\\\\host\\share', 'a share'],
  ['a\\..\\..\\x', 'backslashes'],
  ['C:/x', 'a drive'],
  ['C:x', 'a drive and no slash'],
  ['a:b', 'a stream of a file'],
  ['a\0b', 'NUL'],
  ['a\nb', 'a line break'],
  ['a\x7f', 'delete'],
  ['a\ud800', 'a lone surrogate'],
]

t.test('a path that could leave the home is refused', async (t) => {
  for (const [path, what] of hostile) t.throws(() => joinHome(home, path), UnsafePathError, what)
})

t.test('any accepted path stays below the home, name for name', async () => {
  const pieces = fc.constantFrom(
    '..',
    '.',
    '/',
    '\\',
    ':',
    ' ',
    '\0',
    'a',
    'C',
    '~',
    '%2e',
    '/../',
    '\u2025',
    '\ud83d',
    'é',
  )
  const paths = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((some) => some.join('')),
  )
  fc.assert(
    fc.property(paths, (path) => {
      let joined: string
      try {
        joined = joinHome(home, path)
      } catch (error) {
        return error instanceof UnsafePathError
      }
      return (
        joined.startsWith(home + sep) &&
        resolve(joined) === joined &&
        joined === [home, ...path.split('/')].join(sep)
      )
    }),
    { numRuns: 2000 },
  )
})

t.test('a name is legal if it can be created on every system', async (t) => {
  for (const name of [
    'plan.md',
    'Überblick.md',
    'a b.md',
    '🎉.md',
    'console.md',
    'com.md',
    'com10.md',
    'x.con',
    'a'.repeat(255),
  ]) {
    t.equal(illegalNameReason(name), null, name)
  }
})

const illegal: Record<string, string[]> = {
  'is empty': [''],
  'begins with a dot': ['.', '..', '.git', '.plan.md'],
  'is not valid Unicode': ['a\ud800.md', '\udc00'],
  'has a control character': ['a\nb', 'a\0b', '\x7f'],
  'has the character :': ['a:b'],
  'has the character ?': ['why?.md'],
  'has the character /': ['a/b'],
  'has the character \\': ['a\\b'],
  'ends in a dot': ['plan.'],
  'ends in a space': ['plan '],
  'is the name of a device on Windows': [
    'CON',
    'con.md',
    'PRN.txt',
    'aux',
    'Nul.tar.gz',
    'COM1.md',
    'lpt9',
    'com¹',
    'con .md',
    'CONIN$',
  ],
  'is longer than 255 bytes': ['a'.repeat(256), 'é'.repeat(128)],
}

t.test('a name that some system does not allow is refused with the reason', async (t) => {
  for (const [reason, names] of Object.entries(illegal)) {
    for (const name of names) t.equal(illegalNameReason(name), reason, JSON.stringify(name.slice(0, 20)))
  }
  for (const character of '<>:"/\\|?*')
    t.equal(illegalNameReason(`a${character}b`), `has the character ${character}`)
})

t.test('a legal name can be joined to the home', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      (name) => illegalNameReason(name) !== null || joinHome(home, name) !== '',
    ),
  )
})
