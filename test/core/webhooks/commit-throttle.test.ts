import type { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { CommitThrottle } from '../../../core/webhooks/commit-throttle.ts'

/** A throttle for which no time passes; each pause lasts until `release`. */
function openThrottle() {
  const ending = new AbortController()
  const pauses: number[] = []
  let release = () => {}
  const pause: typeof setTimeout = (ms, value, options) =>
    new Promise((resolve, reject) => {
      pauses.push(ms!)
      release = () => resolve(value!)
      options!.signal!.addEventListener('abort', () => reject(options!.signal!.reason))
    })
  const pace = new CommitThrottle(ending.signal, () => 0, pause)
  return { ending, pace, pauses, release: () => release() }
}

t.test('a few commits run without a pause, and callers in the same turn share one', async (t) => {
  const { pace, pauses } = openThrottle()
  t.equal(pace.waitForCommit(), pace.waitForCommit())
  for (let count = 0; count < 100; count++) await pace.waitForCommit()
  t.same(pauses, [])
})

t.test('many commits wait for pauses, and aborting releases all of them', async (t) => {
  const { ending, pace, pauses, release } = openThrottle()
  await Promise.all(Array.from({ length: 500 }, () => pace.waitForCommit()))
  t.same(pauses, [])
  const next = pace.waitForCommit()
  t.same(pauses, [50])
  release()
  await next
  const waiting = Promise.all([pace.waitForCommit(), pace.waitForCommit()])
  t.same(pauses, [50, 50])
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
