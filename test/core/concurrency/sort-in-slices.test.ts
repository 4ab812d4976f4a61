import t from 'tap'
import { sortInSlices } from '../../../core/concurrency/sort-in-slices.ts'
import fc from '../../support/seeded-properties.ts'

t.test('it sorts as `toSorted` does, and keeps the order of equal items', async (t) => {
  const byKey = (one: { key: number }, other: { key: number }) => one.key - other.key
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 5500 }),
      fc.integer({ min: 1, max: 5000 }),
      async (length, keys) => {
        const items = Array.from({ length }, (_, index) => ({ key: (index * 7919) % keys, index }))
        const before = [...items]
        t.strictSame(await sortInSlices(items, byKey), items.toSorted(byKey))
        t.strictSame(items, before)
      },
    ),
    { numRuns: 25 },
  )
})
