import t from 'tap'
import { ScanCheckpoints } from '../../../core/events/scan-checkpoints.ts'
import { TestClock } from '../../support/test-clock.ts'
import { reaching } from './log-double.ts'

const subscription = reaching('a', [['room', 'r']])

t.test('a checkpoint counts only for the same key, filter, cursor and access', async (t) => {
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

t.test('checkpoints do not count after the clock is set back', async (t) => {
  const clock = new TestClock()
  const passed = new ScanCheckpoints(clock)
  passed.record(subscription, 10, { tick: 500, rowsChecked: 100 })
  clock.set(clock.now() - 1)
  t.equal(passed.resumeAfter(subscription, 10), 10)
})

t.test('the number of checkpoints is limited', async (t) => {
  const passed = new ScanCheckpoints(new TestClock())
  for (let since = 0; since < 20_000; since++)
    passed.record(subscription, since, { tick: 50_000, rowsChecked: 100 })
  t.equal(passed.resumeAfter(subscription, 0), 0, 'the oldest are dropped')
  t.equal(passed.resumeAfter(subscription, 19_999), 50_000)
})
