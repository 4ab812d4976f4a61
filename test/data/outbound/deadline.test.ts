import { getEventListeners, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { startDeadline } from '../../../data/outbound/deadline.ts'

t.test('a deadline passes by itself', async (t) => {
  const deadline = startDeadline(5)
  t.notOk(deadline.isExpired)
  await once(deadline.signal, 'abort')
  t.ok(deadline.isExpired)
})

t.test('what its caller ended before has not passed', async (t) => {
  const stop = new AbortController()
  const deadline = startDeadline(5, stop.signal)
  const reason = new Error('The server stops')
  stop.abort(reason)
  t.equal(deadline.signal.reason, reason)
  await pause(20)
  t.notOk(deadline.isExpired)
  t.equal(startDeadline(5, stop.signal).signal.reason, reason, 'nor what was ended from the start')
})

t.test('once ended it keeps nothing of its caller, and does not pass', async (t) => {
  const stop = new AbortController()
  const deadline = startDeadline(5, stop.signal)
  deadline.clear()
  t.same(getEventListeners(stop.signal, 'abort'), [])
  await pause(20)
  stop.abort()
  t.notOk(deadline.isExpired)
  t.notOk(deadline.signal.aborted)
})
