import t from 'tap'
import { TopItems } from '../../../../core/documents/sorting/top-items.ts'
import fc, { runParameters } from '../../../support/seeded-properties.ts'

t.test('the first items of an order are those of all items sorted', async () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.integer({ min: 1, max: 10 }), (numbers, max) => {
      const items = numbers.map((number, tie) => ({ number, tie }))
      const compare = (one: (typeof items)[0], other: (typeof items)[0]) =>
        one.number - other.number || one.tie - other.tie
      const top = new TopItems(max, compare)
      for (const item of [...items, ...items]) top.add(item)
      t.strictSame(top.sorted(), items.toSorted(compare).slice(0, max))
    }),
    runParameters(200, 7),
  )
})
