import t from 'tap'
import { ScanCheckpoints } from '../../../core/events/scan-checkpoints.ts'
import { TestClock } from '../../support/test-clock.ts'
import { reaching } from './log-double.ts'

const subscription = reaching('a', [['room', 'r']])

t.test('what was passed counts for the same key, filter, cursor and access alone', async (t) => {
  const passed = new ScanCheckpoints(new TestClock())
  passed.record(subscription, 10, { tick: 500, rowsChecked: 100 })
  t.equal(passed.resumeAfter(subscription, 10), 500)
  t.equal(passed.resumeAfter(subscription, 11), 11)
  t.equal(
    passed.resumeAfter({ ...subscription, filter: { ...subscription.filter, ownMessages: true } }, 10),
    10,
  )
  t.equal(
    passed.resumeAfter({ ...subscription, caller: { ...subscription.caller, keyId: 'another' } }, 10),
    10,
  )
  t.equal(passed.resumeAfter({ ...subscription, fingerprint: 'more' }, 10), 10)
})

t.test('with a clock that was set back, everything is looked at again', async (t) => {
  const clock = new TestClock()
  const passed = new ScanCheckpoints(clock)
  passed.record(subscription, 10, { tick: 500, rowsChecked: 100 })
  clock.set(clock.now() - 1)
  t.equal(passed.resumeAfter(subscription, 10), 10)
})

t.test('it stays small', async (t) => {
  const passed = new ScanCheckpoints(new TestClock())
  for (let since = 0; since < 20_000; since++)
    passed.record(subscription, since, { tick: 50_000, rowsChecked: 100 })
  t.equal(passed.resumeAfter(subscription, 0), 0, 'the oldest are forgotten')
  t.equal(passed.resumeAfter(subscription, 19_999), 50_000)
})
