import t from 'tap'
import { CommitThrottle } from '../../../core/webhooks/commit-throttle.ts'

// The throttle's timers do not keep the process alive.
const alive = setInterval(() => {}, 1000)
t.teardown(() => clearInterval(alive))

t.test('a few commits run without a pause, and callers in the same turn share one', async (t) => {
  const pace = new CommitThrottle(new AbortController().signal)
  t.equal(pace.waitForCommit(), pace.waitForCommit())
  const begunMs = performance.now()
  for (let count = 0; count < 100; count++) await pace.waitForCommit()
  t.ok(performance.now() - begunMs < 100 * 50, 'it takes less time than with pauses')
})

t.test('many commits wait for pauses, and aborting releases all of them', async (t) => {
  const ending = new AbortController()
  const pace = new CommitThrottle(ending.signal)
  await Promise.all(Array.from({ length: 500 }, () => pace.waitForCommit()))
  const begunMs = performance.now()
  await pace.waitForCommit()
  const tookMs = performance.now() - begunMs
  t.ok(tookMs > 45, `${tookMs} ms`)
  const waiting = Promise.all([pace.waitForCommit(), pace.waitForCommit()])
  ending.abort()
  await waiting
})

t.test('at most one delivery begins in each turn of the event loop', async (t) => {
  const pace = new CommitThrottle(new AbortController().signal)
  const order: string[] = []
  const turns = [1, 2, 3].map((number) => pace.waitForTurn().then(() => order.push(`call ${number}`)))
  const others = async () => {
    for (const name of ['a', 'b', 'c']) {
      await new Promise((resolve) => setImmediate(resolve))
      order.push(name)
    }
  }
  await Promise.all([...turns, others()])
  t.same(
    order.filter((name) => name.startsWith('call')),
    ['call 1', 'call 2', 'call 3'],
  )
  t.ok(
    order.indexOf('a') < order.indexOf('call 2') && order.indexOf('b') < order.indexOf('call 3'),
    String(order),
  )
})
