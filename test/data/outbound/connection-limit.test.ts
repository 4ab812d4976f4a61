import { getEventListeners } from 'node:events'
import t from 'tap'
import { ConnectionLimit } from '../../../data/outbound/connection-limit.ts'

/** Takes turns and records their order. */
function takeTurns(limits: { total: number; perHost: number }) {
  const turns = new ConnectionLimit(limits)
  const begun: string[] = []
  const giveBack = new Map<string, () => void>()
  return {
    begun,
    /** @param name the host and a number, such as `a1` */
    async take(name: string, signal?: AbortSignal): Promise<void> {
      const give = await turns.acquire(name.slice(0, 1), signal)
      begun.push(name)
      giveBack.set(name, give)
    },
    /** Ends a turn and waits until the next one has begun. */
    async end(name: string): Promise<void> {
      await new Promise(setImmediate)
      giveBack.get(name)!()
      await new Promise(setImmediate)
    },
    settle: () => new Promise(setImmediate),
  }
}

t.test('the number of turns at once is limited, in total and per host', async (t) => {
  const { begun, take, end, settle } = takeTurns({ total: 3, perHost: 2 })
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) void take(name)
  await settle()
  t.same(begun, ['a1', 'a2', 'b1'])
  await end('b1')
  t.same(begun.slice(3), ['b2'], 'a3 is earlier, but its host is busy')
  await end('a1')
  t.same(begun.slice(4), ['a3'])
  await end('a2')
  t.same(begun.slice(5), ['c1'])
  for (const name of ['a3', 'b2', 'c1']) await end(name)
  for (const name of ['a4', 'a5', 'b3', 'c2']) void take(name)
  await settle()
  t.same(begun.slice(6), ['a4', 'a5', 'b3'], 'all turns are free again')
})

t.test('a caller that leaves while waiting does not keep others from a turn', async (t) => {
  const { begun, take, end } = takeTurns({ total: 1, perHost: 1 })
  const stop = new AbortController()
  const reason = new Error('The server stops')
  void take('a1')
  const left = take('a2', stop.signal)
  void take('a3')
  stop.abort(reason)
  await t.rejects(left, reason)
  await t.rejects(take('a4', stop.signal), reason, 'a caller that left before it asked gets no turn')
  await end('a1')
  t.same(begun, ['a1', 'a3'])
})

t.test('a signal does not take back a turn that has begun', async (t) => {
  const { begun, take, end } = takeTurns({ total: 1, perHost: 1 })
  const stop = new AbortController()
  void take('a1')
  const second = take('a2', stop.signal)
  await end('a1')
  await second
  t.same(getEventListeners(stop.signal, 'abort'), [])
  stop.abort()
  void take('a3')
  await end('a2')
  t.same(begun, ['a1', 'a2', 'a3'])
})
