import { getEventListeners } from 'node:events'
import t from 'tap'
import { startDeadline } from '../../../data/outbound/deadline.ts'
import { TestClock } from '../../support/test-clock.ts'

function start(timeoutMs: number, signal?: AbortSignal) {
  const clock = new TestClock()
  const deadline = startDeadline(timeoutMs, signal, (durationMs, callback) =>
    clock.after(durationMs, callback),
  )
  return { clock, deadline }
}

t.test('a deadline passes when its time is over', async (t) => {
  const { clock, deadline } = start(5)
  clock.advance(4)
  t.same([deadline.isExpired, deadline.signal.aborted], [false, false])
  clock.advance(1)
  t.same([deadline.isExpired, deadline.signal.aborted], [true, true])
})

t.test('a deadline aborted by its caller has not passed', async (t) => {
  const stop = new AbortController()
  const { clock, deadline } = start(5, stop.signal)
  const reason = new Error('The server stops')
  stop.abort(reason)
  t.equal(deadline.signal.reason, reason)
  clock.advance(20)
  t.notOk(deadline.isExpired)
  t.equal(
    start(5, stop.signal).deadline.signal.reason,
    reason,
    'it has the reason of a signal aborted before',
  )
})

t.test('an ended deadline has no listener at its caller’s signal and does not pass', async (t) => {
  const stop = new AbortController()
  const { clock, deadline } = start(5, stop.signal)
  deadline.clear()
  t.same(getEventListeners(stop.signal, 'abort'), [])
  clock.advance(20)
  stop.abort()
  t.notOk(deadline.isExpired)
  t.notOk(deadline.signal.aborted)
})
