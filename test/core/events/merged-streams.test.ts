import t from 'tap'
import { MergedStreams } from '../../../core/events/merged-streams.ts'
import { LogDouble } from './log-double.ts'

t.test('removing events during a read leaves the others in order', async (t) => {
  const double = new LogDouble()
  for (let n = 0; n < 10; n++) double.add({ projectId: `p${n % 2}`, documentId: 'd' })
  const streams = new MergedStreams(double.log, [{ kind: 'project', ids: ['p0', 'p1'] }], {
    after: 0,
    upTo: 10,
  })
  t.equal(streams.take()!.tick, 1)
  const removed = double.rows.splice(0, 6)
  t.equal(removed.at(-1)!.tick, 6)
  const ticks = []
  for (let row = streams.take(); row; row = streams.take()) ticks.push(row.tick)
  t.same(ticks, [7, 8, 9, 10])
})
