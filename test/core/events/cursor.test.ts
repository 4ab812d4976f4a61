import t, { type Test } from 'tap'
import { nextTick } from '../../../core/events/cursor.ts'
import fc from '../../support/seeded-properties.ts'

/** Until 2109: up to then a cursor is exact. */
const time = fc.integer({ min: 0, max: 4_386_000_000_000 })
/** The step of a clock between two events in ms: mostly 0, at times small, rarely up to a day either way. */
const step = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: -86_400_000, max: 86_400_000 }) },
)

/** The ticks issued while a clock steps, one after each step. */
function ticksOf(startMs: number, steps: number[]): { tick: number; nowMs: number }[] {
  let nowMs = startMs
  let tick = 0
  return steps.map((ms) => {
    nowMs = Math.max(0, nowMs + ms)
    tick = nextTick(tick, nowMs)
    return { tick, nowMs }
  })
}

const runs = fc.tuple(time, fc.array(step, { minLength: 1, maxLength: 400 }))

/** Checks a property of many ticks in the order of their issue. */
function holds(t: Test, check: (ticks: { tick: number; nowMs: number }[]) => boolean): void {
  const property = fc.property(runs, ([startMs, steps]) => check(ticksOf(startMs, steps)))
  t.doesNotThrow(() => fc.assert(property, { numRuns: 300, seed: 2 }))
}

t.test('ticks strictly increase, whatever the clock does', async (t) => {
  holds(t, (ticks) => ticks.every(({ tick }, at) => at === 0 || tick > ticks[at - 1]!.tick))
})

t.test('a tick’s slot has only the digits 0 to 4, and is never 000', async (t) => {
  holds(t, (ticks) =>
    ticks.every(({ tick }) => {
      const slot = String(tick % 1000).padStart(3, '0')
      return slot !== '000' && /^[0-4]{3}$/.test(slot)
    }),
  )
})

t.test('a tick is never before the clock, and takes the first slot if it can', async (t) => {
  holds(t, (ticks) =>
    ticks.every(({ tick, nowMs }, at) => {
      const isAhead = at > 0 && ticks[at - 1]!.tick > nowMs * 1000
      return Math.floor(tick / 1000) >= nowMs && (isAhead || tick === nowMs * 1000 + 1)
    }),
  )
})

t.test('a millisecond has 124 slots, and the tick after the last is in the next millisecond', async (t) => {
  const ticks = [nextTick(0, 1000)]
  while (ticks.length < 125) ticks.push(nextTick(ticks.at(-1)!, 1000))
  t.same(ticks.slice(0, 6), [1_000_001, 1_000_002, 1_000_003, 1_000_004, 1_000_010, 1_000_011])
  t.same(ticks.slice(-2), [1_000_444, 1_001_001])
  t.equal(nextTick(1_000_444, 0), 1_001_001, 'even if the clock has stepped back')
})

t.test('rounding a cursor to any number of decimals never increases it', async (t) => {
  holds(t, (ticks) =>
    ticks.every(({ tick }) => {
      const cursor = tick / 1000
      return [0, 1, 2].every((decimals) => Number(cursor.toFixed(decimals)) <= cursor)
    }),
  )
})

t.test('a cursor survives JSON and text as exactly its tick', async (t) => {
  holds(t, (ticks) =>
    ticks.every(({ tick }) => {
      const cursor = tick / 1000
      const isExact = (text: string) => Math.round(Number(text) * 1000) === tick
      return isExact(JSON.stringify(cursor)) && isExact(cursor.toFixed(3)) && Number.isSafeInteger(tick)
    }),
  )
})
