import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { EventReader } from '../../../core/events/event-reader.ts'
import { RequestLifetime } from '../../../core/events/request-lifetime.ts'
import type { EventStreamKind } from '../../../data/tables/event-log.ts'
import fc from '../../support/seeded-properties.ts'
import { LogDouble, reaching, tickRenderer } from './log-double.ts'

const forever = new RequestLifetime()

function newReader(isHidden?: Parameters<typeof tickRenderer>[0]) {
  const log = new LogDouble()
  const { newRenderer } = tickRenderer(isHidden)
  return { log, reader: new EventReader({ log: log.log, newRenderer }) }
}
const room = (id: number): [EventStreamKind, string] => ['room', `r${id}`]

t.test('merging many streams gives the same rows as reading the log row by row', async (t) => {
  const facts = fc.record({
    places: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 300, maxLength: 1200 }),
    reached: fc.uniqueArray(fc.integer({ min: 0, max: 9 })),
    after: fc.integer({ min: 0, max: 200 }),
    upTo: fc.integer({ min: 100, max: 1200 }),
    hidden: fc.integer({ min: 1, max: 5 }),
  })
  const holds = async ({
    places,
    reached,
    after,
    upTo,
    hidden,
  }: typeof facts extends fc.Arbitrary<infer T> ? T : never) => {
    const { log, reader } = newReader((row) => row.tick % hidden === 0)
    for (const place of places) log.add({ roomId: `r${place}` })
    const { rows } = await reader.readBatch(reaching('a', reached.map(room)), { after, upTo }, forever)
    const wanted = log.rows.filter(
      ({ tick, roomId }) =>
        tick > after && tick <= upTo && tick % hidden > 0 && reached.some((id) => roomId === `r${id}`),
    )
    return JSON.stringify(rows) === JSON.stringify(wanted.slice(0, 100))
  }
  await t.resolves(fc.assert(fc.asyncProperty(facts, holds), { numRuns: 150, seed: 7 }))
})

t.test(
  'the rows read depend on the answer, not on the number of streams or how far the reader lags',
  async (t) => {
    const { log, reader } = newReader()
    for (let n = 0; n < 20_000; n++) log.add({ roomId: `r${n % 400}` })
    const subscription = reaching(
      'a',
      Array.from({ length: 200 }, (_, id) => room(id)),
    )
    const { rows } = await reader.readBatch(subscription, { after: 0, upTo: 20_000 }, forever)
    t.equal(rows.length, 100)
    t.ok(log.rowsRead <= 256, `${log.rowsRead} rows were read`)
  },
)

t.test('the rows read stay few when little of the log is the reader’s', async (t) => {
  const { log, reader } = newReader()
  for (let n = 0; n < 40_000; n++) log.add({ roomId: `r${n % 400}` })
  const subscription = reaching('a', [room(1), room(200), room(300)])
  const { rows } = await reader.readBatch(subscription, { after: 0, upTo: 40_000 }, forever)
  t.equal(rows.length, 100)
  t.ok(log.rowsRead <= 256 + 2 * 100, `${log.rowsRead} rows were read`)
})

t.test('events found in one turn are answered, however many hidden events follow', async (t) => {
  const { log, reader } = newReader((row) => row.tick > 3)
  for (let n = 0; n < 5000; n++) log.add({ roomId: 'r1' })
  const { rows } = await reader.readBatch(reaching('a', [room(1)]), { after: 0, upTo: 5000 }, forever)
  t.equal(rows.length, 3)
  t.ok(log.rowsRead < 1000, `${log.rowsRead} rows were read`)
})

t.test('a read finds nothing newer than the log’s end when it began', async (t) => {
  const { log, reader } = newReader((row) => row.tick <= 1000)
  for (let n = 0; n < 1000; n++) log.add({ roomId: 'r1' })
  const looking = reader.readBatch(reaching('a', [room(1), room(2)]), { after: 0, upTo: 1000 }, forever)
  log.add({ roomId: 'r2' })
  t.match(await looking, { rows: [], tick: 1000 })
})

t.test(
  'reading a long run of hidden events yields to others, and stops when its client is gone',
  async (t) => {
    const { log, reader } = newReader(() => true)
    for (let n = 0; n < 5000; n++) log.add({ roomId: `r${n % 2}` })
    const subscription = reaching('a', [room(0), room(1)])
    let turns = 0
    let isLooking = true
    const counting = (async () => {
      for (; isLooking; turns++) await nextTurn()
    })()
    t.match(await reader.readBatch(subscription, { after: 0, upTo: 5000 }, forever), { rows: [], tick: 5000 })
    isLooking = false
    await counting
    t.ok(turns >= 8, `${turns} turns`)

    const gone = new RequestLifetime()
    const looking = reader.readBatch(subscription, { after: 0, upTo: 5000 }, gone)
    gone.disconnect()
    const { rows, tick } = await looking
    t.same(rows, [])
    t.ok(tick > 0 && tick < 5000, `it answers how far it has read: ${tick}`)
  },
)
