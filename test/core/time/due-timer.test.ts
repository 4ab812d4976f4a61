import t from 'tap'
import { DueTimer } from '../../../core/time/due-timer.ts'
import { TestClock } from '../../support/test-clock.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** A timer whose work records when it ran; the test sets what is due next. */
function openAlarm() {
  const clock = new TestClock(0)
  const rung: number[] = []
  const failures: unknown[] = []
  const next: { ms: number | null; error: Error | null } = { ms: null, error: null }
  const timer = new DueTimer(
    clock,
    async () => {
      rung.push(clock.now())
      if (next.error) throw next.error
      return next.ms
    },
    (error) => failures.push(error),
  )
  const advance = async (ms: number) => {
    clock.advance(ms)
    await settle()
  }
  return { timer, clock, rung, failures, next, advance }
}

t.test('the work runs at the start and then whenever something is due', async (t) => {
  const { timer, rung, next, advance } = openAlarm()
  next.ms = 500
  await timer.start()
  t.same(rung, [0])
  next.ms = null
  await advance(499)
  t.same(rung, [0])
  await advance(1)
  t.same(rung, [0, 500])
  await advance(1_000_000)
  t.same(rung, [0, 500], 'the timer does not poll')
})

t.test('something due earlier moves the timer, and something due later does not', async (t) => {
  const { timer, rung, next, advance } = openAlarm()
  next.ms = 500
  await timer.start()
  timer.dueAt(200)
  timer.dueAt(300)
  next.ms = 500
  await advance(200)
  t.same(rung, [0, 200])
  next.ms = null
  await advance(300)
  t.same(rung, [0, 200, 500])
})

t.test('something due in the past runs at once', async (t) => {
  const { timer, clock, rung, advance } = openAlarm()
  clock.set(1000)
  await timer.start()
  timer.dueAt(10)
  await settle()
  await advance(0)
  t.same(rung, [1000, 1000])
})

t.test('failed work is reported and tried again after a minute', async (t) => {
  const { timer, rung, failures, next, advance } = openAlarm()
  next.error = new Error('no luck')
  await timer.start()
  t.same(failures, [next.error])
  next.error = null
  await advance(59_999)
  t.same(rung, [0])
  await advance(1)
  t.same(rung, [0, 60_000])
})

t.test('a stopped timer does not run again', async (t) => {
  const { timer, rung, next, advance } = openAlarm()
  next.ms = 500
  await timer.start()
  await timer.stop()
  timer.dueAt(600)
  await advance(1000)
  t.same(rung, [0])
})

t.test('stopping waits for running work', async (t) => {
  const clock = new TestClock(0)
  let finish = () => {}
  let isDone = false
  const timer = new DueTimer(
    clock,
    async () => {
      await new Promise<void>((resolve) => {
        finish = resolve
      })
      isDone = true
      return 1
    },
    () => {},
  )
  const started = timer.start()
  await settle()
  const stopped = timer.stop()
  finish()
  await stopped
  t.ok(isDone)
  await started
})
