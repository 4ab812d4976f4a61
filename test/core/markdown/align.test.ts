import assert from 'node:assert/strict'
import t from 'tap'
import { align } from '../../../core/markdown/align.ts'
import fc from '../../support/seeded-properties.ts'

/** A block for each letter: of type `p` for `a` to `m`, and `h` for the others. */
const blocks = (ids: string) => [...ids].map((id) => ({ id, type: id <= 'm' ? 'p' : 'h' }))
const counts = (before: string, after: string) => align(blocks(before), blocks(after))

t.test('equal blocks stay, changed ones of a type are paired in order, the rest are orphans', async (t) => {
  t.same(counts('abc', 'abc'), { rebound: 0, orphaned: 0, rebinding: {} })
  t.same(
    counts('abc', 'axc'),
    { rebound: 0, orphaned: 1, rebinding: { b: null } },
    'a block of another type is not a partner',
  )
  t.same(counts('abc', 'adc'), { rebound: 1, orphaned: 0, rebinding: { b: 'd' } })
  t.same(counts('abxc', 'adyc'), { rebound: 2, orphaned: 0, rebinding: { b: 'd', x: 'y' } })
  t.same(
    counts('abxc', 'aydc'),
    { rebound: 2, orphaned: 0, rebinding: { b: 'd', x: 'y' } },
    'each type is paired in its own order',
  )
  t.same(counts('abdc', 'aec'), { rebound: 1, orphaned: 1, rebinding: { b: 'e', d: null } })
  t.same(counts('ab', ''), { rebound: 0, orphaned: 2, rebinding: { a: null, b: null } })
  t.same(counts('', 'ab'), { rebound: 0, orphaned: 0, rebinding: {} })
  t.same(
    counts('bac', 'da'),
    { rebound: 1, orphaned: 1, rebinding: { b: 'd', c: null } },
    'blocks are paired only between two equal ones',
  )
})

t.test('a block that only moved keeps its id', async (t) => {
  t.same(counts('abcd', 'bcda'), { rebound: 0, orphaned: 1, rebinding: {} })
})

t.test('the blocks that stay are a longest common subsequence', async () => {
  const ids = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { maxLength: 8 })
  fc.assert(
    fc.property(ids, ids, (before, after) => {
      const { rebound, orphaned } = counts(before.join(''), after.join(''))
      assert.equal(before.length - rebound - orphaned, longestCommon(before, after))
    }),
    { numRuns: 500, seed: 5 },
  )
})

t.test('ten thousand blocks that all moved or changed are aligned without delay', async (t) => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ id: String(index), type: 'p' }))
  t.same(align(many, many.toReversed()), { rebound: 0, orphaned: 9999, rebinding: {} })
  const other = many.map(({ id, type }) => ({ id: `x${id}`, type }))
  const { rebound, rebinding } = align(many, other)
  t.equal(rebound, 10_000)
  t.equal(Object.keys(rebinding).length, 1000, 'the changes listed are limited to 1,000')
})

/** The textbook algorithm, for comparison. */
function longestCommon([first, ...rest]: string[], after: string[]): number {
  if (first === undefined || after.length === 0) return 0
  const without = longestCommon(rest, after)
  const at = after.indexOf(first)
  return at === -1 ? without : Math.max(without, 1 + longestCommon(rest, after.slice(at + 1)))
}
