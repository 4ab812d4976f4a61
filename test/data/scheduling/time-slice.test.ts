import { performance } from 'node:perf_hooks'
import t from 'tap'
import { TimeSlice } from '../../../data/scheduling/time-slice.ts'

t.test('slices that run at the same time share the time of a turn, and take turns', async (t) => {
  const workers = 20
  const rounds = 5
  const countByTurn = new Map<number, number>()
  const order: number[] = []
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const slice = new TimeSlice()
      for (let round = 0; round < rounds; round++) {
        await slice.pause()
        order.push(worker)
        const turn = performance.nodeTiming.uvMetricsInfo.loopCount
        countByTurn.set(turn, (countByTurn.get(turn) ?? 0) + 1)
        while (!slice.isOver);
      }
    }),
  )
  // Each slice takes four milliseconds, and a turn eight.
  t.ok(Math.max(...countByTurn.values()) <= 2, `${[...countByTurn.values()]} in each turn`)
  const inOrder = Array.from({ length: workers * rounds }, (_, place) => place % workers)
  t.same(order, inOrder, 'each continues once before one continues again')
})
