import t from 'tap'
import { NameQuery } from '../../../core/search/name-query.ts'
import { isSimilar } from '../../../core/search/small-mistakes.ts'

t.test('one typing mistake is allowed in a word of four letters, and two in one of eight', async (t) => {
  for (const [typed, word] of [
    ['boad', 'board'],
    ['baord', 'board'],
    ['boarrd', 'board'],
    ['bpard', 'board'],
    ['onbarding', 'onboarding'],
    ['onbordign', 'onboarding'],
    ['onbar', 'onboarding'],
    ['tides', 'bides'],
  ] as const)
    t.ok(isSimilar(typed, word), `${typed}: ${word}`)
  for (const [typed, word] of [
    ['bad', 'bed'],
    ['brd', 'board'],
    ['borad2', 'board'],
    ['abcd', 'abef'],
    ['onboarding', 'on'],
    ['x'.repeat(33), 'x'.repeat(33)],
  ] as const)
    t.notOk(isSimilar(typed, word), `${typed}: ${word}`)
})

t.test('names with the exact words rank before names with similar words', async (t) => {
  const ranks = (query: string, ...titles: string[]) =>
    titles.map((title) => new NameQuery(query).rank({ title }))
  t.strictSame(ranks('tide', 'Tides', 'High tide', 'Tiled', 'Ships'), [0, 1, 2, null])
  t.strictSame(ranks('hihg tide', 'High tide', 'Low tide'), [2, null])
  t.strictSame(ranks('100_', '100% done'), [null], 'only letters can be mistaken')
})
