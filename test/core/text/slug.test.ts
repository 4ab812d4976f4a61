import t from 'tap'
import { slugOf } from '../../../core/text/slug.ts'
import fc from '../../support/seeded-properties.ts'

t.test(
  'a slug is the name in lower case with hyphens, without accents, in letters of every script',
  async (t) => {
    const slugs: Record<string, string> = {
      'Release Notes': 'release-notes',
      '  What now?!  ': 'what-now',
      'Café crème': 'cafe-creme',
      'ﬁne Ⅳ ½': 'fine-iv-1-2',
      'Über—uns': 'uber-uns',
      'Привет, мир': 'привет-мир',
      '日本語 の 名前': '日本語-の-名前',
      한국어: '한국어',
      İstanbul: 'istanbul',
      'v2.0_final': 'v2-0-final',
      'a🙂b': 'a-b',
      '🙂🙂': '',
      '…': '',
      '': '',
    }
    for (const [name, slug] of Object.entries(slugs)) t.equal(slugOf(name), slug, name)
  },
)

t.test('a slug has at most 80 characters and never ends in a hyphen', async (t) => {
  t.equal(slugOf('a'.repeat(200)), 'a'.repeat(80))
  t.equal(slugOf(`${'a'.repeat(79)} b`), 'a'.repeat(79))
  t.equal([...slugOf('𝕏𐐷'.repeat(80))].length, 80, 'it counts code points, not UTF-16 units')
})

t.test('any slug needs no escaping in an address, and is its own slug', async (t) => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 120 }), (name) => {
    const slug = slugOf(name)
    const isPlain = /^(?:[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*)?$/u.test(slug)
    return isPlain && slug === slug.normalize('NFC') && slugOf(slug) === slug
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 3000, seed: 2 }))
})

t.test('both Unicode normal forms of a name have the same slug', async (t) => {
  const property = fc.property(
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    (name) => slugOf(name.normalize('NFD')) === slugOf(name.normalize('NFC')),
  )
  t.doesNotThrow(() => fc.assert(property, { numRuns: 1000, seed: 2 }))
})
