import { getEventListeners, once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { startDeadline } from '../../../data/outbound/deadline.ts'

t.test('a deadline passes when its time is over', async (t) => {
  const deadline = startDeadline(5)
  t.notOk(deadline.isExpired)
  await once(deadline.signal, 'abort')
  t.ok(deadline.isExpired)
})

t.test('a deadline aborted by its caller has not passed', async (t) => {
  const stop = new AbortController()
  const deadline = startDeadline(5, stop.signal)
  const reason = new Error('The server stops')
  stop.abort(reason)
  t.equal(deadline.signal.reason, reason)
  await pause(20)
  t.notOk(deadline.isExpired)
  t.equal(startDeadline(5, stop.signal).signal.reason, reason, 'it has the reason of a signal aborted before')
})

t.test('an ended deadline has no listener at its caller’s signal and does not pass', async (t) => {
  const stop = new AbortController()
  const deadline = startDeadline(5, stop.signal)
  deadline.clear()
  t.same(getEventListeners(stop.signal, 'abort'), [])
  await pause(20)
  stop.abort()
  t.notOk(deadline.isExpired)
  t.notOk(deadline.signal.aborted)
})
