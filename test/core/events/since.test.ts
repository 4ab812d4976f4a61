import t from 'tap'
import { cursorOf, nextTick, parseSince } from '../../../core/events/cursor.ts'
import fc from '../../support/seeded-properties.ts'

const nowMs = 1_795_187_498_160
const lastTick = nextTick(0, nowMs)
const read = (text: string | undefined) => parseSince(text, { lastTick, nowMs })

/** An issued tick, the last tick, and the clock when it is read, which may have stepped back. */
const issued = fc
  .tuple(
    fc.integer({ min: 1_600_000_000_000, max: 4_386_000_000_000 }),
    fc.integer({ min: 1, max: 124 }),
    fc.integer({ min: 0, max: 100_000_000 }),
    fc.integer({ min: -90_000_000, max: 90_000_000 }),
  )
  .map(([ms, slot, laterMs, clockMs]) => {
    const tick = ms * 1000 + Number(slot.toString(5))
    return { tick, lastTick: tick + laterMs * 1000, nowMs: ms + clockMs }
  })

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** How languages, shells and people reformat a number that passes through a variable. */
const roundings: [string, (cursor: number) => string][] = [
  ['floor', (cursor) => String(Math.floor(cursor))],
  ['ceil', (cursor) => String(Math.ceil(cursor))],
  ['round', (cursor) => String(Math.round(cursor))],
  ...upTo(4).map((digits): [string, (cursor: number) => string] => [
    `toFixed(${digits})`,
    (cursor) => cursor.toFixed(digits),
  ]),
  ...upTo(12).map((more): [string, (cursor: number) => string] => [
    `toPrecision(${more + 6})`,
    (cursor) => cursor.toPrecision(more + 6),
  ]),
  ...upTo(12).map((more): [string, (cursor: number) => string] => [
    `toExponential(${more + 5})`,
    (cursor) => cursor.toExponential(more + 5),
  ]),
  ...upTo(5).map((zeros): [string, (cursor: number) => string] => [
    `the last ${zeros} digits cut off`,
    (cursor) => cursor.toFixed(3).slice(0, -zeros || undefined),
  ]),
  ...[10, 100, 1000, 100_000, 10_000_000].map((unit): [string, (cursor: number) => string] => [
    `up to the next ${unit}`,
    (cursor) => String(Math.ceil(cursor / unit) * unit),
  ]),
]

t.test('however a cursor is rounded, no event after the exact one is skipped', async (t) => {
  for (const [form, round] of roundings) {
    const holds = ({ tick, ...at }: { tick: number; lastTick: number; nowMs: number }) =>
      [round(cursorOf(tick)), round(cursorOf(tick)).replace('+', ' ')].every(
        (text) => parseSince(text, at).tick <= tick,
      )
    t.doesNotThrow(() => fc.assert(fc.property(issued, holds), { numRuns: 200, seed: 3 }), form)
  }
})

t.test('an unrounded cursor is the exact position in any notation', async (t) => {
  const holds = ({ tick, ...at }: { tick: number; lastTick: number; nowMs: number }) => {
    const cursor = cursorOf(tick)
    const texts = [
      JSON.stringify(cursor),
      cursor.toFixed(3),
      cursor.toPrecision(17),
      cursor.toExponential(),
      cursor.toExponential().replace('+', ' '),
      ` ${cursor}`,
    ]
    return texts.every((text) => {
      const since = parseSince(text, at)
      return since.tick === tick && since.cursor === cursor && !since.isAhead
    })
  }
  t.doesNotThrow(() => fc.assert(fc.property(issued, holds), { numRuns: 300, seed: 4 }))
})

t.test('no cursor, an empty one and 0 mean from the start', async (t) => {
  for (const text of [undefined, '', ' ', '0', '0.0', '0e5', '.0']) {
    t.same(read(text), { tick: 0, cursor: 0, isAhead: false }, JSON.stringify(text))
  }
})

t.test('a fraction that is not a slot means the end of the millisecond before', async (t) => {
  for (const fraction of ['.5', '.005', '.4449', '.999', '.0002']) {
    const since = read(`1795187498100${fraction}`)
    t.equal(since.tick, 1_795_187_498_099_000, fraction)
    t.equal(since.cursor, Number(`1795187498100${fraction}`), 'the answer repeats the number sent')
  }
})

t.test('a whole number is moved back by as much as its zeros may hide', async (t) => {
  const steps: [sent: number, stepMs: number][] = [
    [1_795_187_498_111, 1],
    [1_795_187_498_110, 10],
    [1_795_187_498_100, 100],
    [1_795_187_000_000, 1_000_000],
    [1_795_180_000_000, 10_000_000],
    [1_700_000_000_000, 10_000_000],
  ]
  for (const [sent, stepMs] of steps) t.equal(read(String(sent)).tick, (sent - stepMs) * 1000, String(sent))
  t.equal(read('7').tick, 6000)
  t.equal(read('10').tick, 0)
})

t.test(
  'a cursor after the last event means the last event, because the next one may have a lower tick',
  async (t) => {
    const old = { lastTick: 1_000_001, nowMs }
    t.equal(parseSince(String(nowMs), old).tick, 1_000_001)
    t.equal(parseSince('1795187498100.001', old).tick, 1_000_001)
  },
)

t.test('a whole number up to a minute ahead is answered at once with the server’s time', async (t) => {
  for (const aheadMs of [2, 5001, 59_999, 60_000]) {
    const since = parseSince(String(nowMs + aheadMs), { lastTick: 1_000_001, nowMs })
    t.same(since, { tick: 1_000_001, cursor: nowMs, isAhead: true }, `${aheadMs} ms`)
  }
  const steppedBack = parseSince(String(nowMs + 5001), { lastTick, nowMs: nowMs - 1000 })
  t.equal(steppedBack.cursor, cursorOf(lastTick), 'or with the last event’s cursor if the clock stepped back')
})

t.test('any other cursor ahead of both clock and last event is refused', async (t) => {
  for (const ahead of [nowMs + 60_001, nowMs + 3_600_001, `${nowMs}.002`, `${nowMs + 5001}.001`, 2 ** 42]) {
    t.throws(() => read(String(ahead)), { code: 'bad_request', message: /ahead of this server's clock/ })
  }
  t.equal(parseSince(`${nowMs}.001`, { lastTick, nowMs: nowMs - 86_400_000 }).tick, lastTick)
})

t.test('a cursor that is not a number, is negative or is after the year 2109 is refused', async (t) => {
  const texts = [
    'x',
    'NaN',
    'Infinity',
    '-1',
    '-0',
    '1e400',
    '0x10',
    '1,5',
    '1 2 3',
    'null',
    '1795187498160,001',
  ]
  for (const text of [...texts, String(2 ** 42 + 1), '1e13', '1e', '.', '1_000', '１']) {
    t.throws(() => read(text), { code: 'bad_request', message: /since= must be the cursor/ }, text)
  }
})
