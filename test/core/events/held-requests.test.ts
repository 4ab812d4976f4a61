import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { ChangeTopics, type Topic } from '../../../core/change-topics/change-topics.ts'
import { HeldRequests, type WaitResult } from '../../../core/events/held-requests.ts'
import { RequestLifetime } from '../../../core/events/request-lifetime.ts'
import type { EventSubscription } from '../../../core/events/subscription.ts'
import type { TopicSubscription } from '../../../core/events/topics.ts'
import { seededRandom } from '../../support/seeded-random.ts'
import { TestClock } from '../../support/test-clock.ts'
import { LogDouble, reaching, tickRenderer } from './log-double.ts'

const inRoom = (memberId: string, ...rooms: string[]) =>
  reaching(
    memberId,
    rooms.map((id) => ['room', id]),
  )

function newHub(isHidden?: Parameters<typeof tickRenderer>[0]) {
  const log = new LogDouble()
  const renderer = tickRenderer(isHidden)
  const problems: unknown[] = []
  const clock = new TestClock()
  const changeTopics = new ChangeTopics(clock)
  const hub = new HeldRequests({
    clock,
    log: log.log,
    changeTopics,
    newRenderer: renderer.newRenderer,
    refresh: () => {},
    onProblem: (_, error) => problems.push(error),
  })
  changeTopics.onChange((topics) => hub.wakeForTopics(topics))
  /** Holds a request that has seen every event so far. */
  const hold = (
    subscription: EventSubscription,
    lifetime = new RequestLifetime(),
    topicSubscription: TopicSubscription | null = null,
  ) => hub.wait({ subscription, tick: log.log.state().tick, change: log.change, lifetime, topicSubscription })
  /** Holds a request that also follows topics since a sequence. */
  const holdWithTopics = (
    subscription: EventSubscription,
    topics: Topic[],
    sequence = changeTopics.sequence,
  ) => hold(subscription, new RequestLifetime(), { topics, sequence })
  return { clock, log, renderer, hub, hold, holdWithTopics, changeTopics, problems }
}

/** The result of a held request; undefined while it is held. */
async function outcomeOf(held: Promise<WaitResult>): Promise<WaitResult | undefined> {
  return Promise.race([held, nextTurn(undefined)])
}

t.test('an event answers only the requests that follow it, and is checked for no others', async (t) => {
  const { hub, log, hold, renderer } = newHub()
  const waiting = [hold(inRoom('a', 'r1')), hold(inRoom('b', 'r1', 'r2')), hold(inRoom('c', 'r2'))]
  log.add({ roomId: 'r1' })
  hub.deliver()
  t.same(await Promise.all(waiting.slice(0, 2)), Array(2).fill({ kind: 'events', body: '1' }))
  t.equal(await outcomeOf(waiting[2]!), undefined)
  t.equal(renderer.looks, 4, 'it is checked twice for each of the two')
  t.equal(log.reads, 1, 'the log is read once for all requests')
})

t.test('events delivered together are one answer, in their order', async (t) => {
  const { hub, log, hold } = newHub()
  const subscription = reaching('a', [
    ['room', 'r'],
    ['project', 'p'],
  ])
  const held = hold(subscription)
  log.add({ roomId: 'r' })
  log.add({ roomId: 'other' })
  log.add({ projectId: 'p', documentId: 'd' })
  hub.deliver()
  t.same(await held, { kind: 'events', body: '1,3' })
})

t.test('a hidden event does not end a held request', async (t) => {
  const { hub, log, hold } = newHub((row) => row.tick === 1)
  const held = hold(inRoom('a', 'r'))
  log.add({ roomId: 'r' })
  hub.deliver()
  t.equal(await outcomeOf(held), undefined)
  log.add({ roomId: 'r' })
  hub.deliver()
  t.same(await held, { kind: 'events', body: '2' })
})

t.test('an event seen before a request is held is not sent again', async (t) => {
  const { hub, log, hold } = newHub()
  log.add({ roomId: 'r' })
  const held = hold(inRoom('a', 'r'))
  hub.deliver()
  t.equal(await outcomeOf(held), undefined)
})

t.test('a request that arrives after newer events must read again before it is held', async (t) => {
  const { hub, log } = newHub()
  const subscription = inRoom('a', 'r')
  log.add({ roomId: 'r' })
  hub.deliver()
  const waiting = { subscription, change: 0, lifetime: new RequestLifetime(), topicSubscription: null }
  t.same(await hub.wait({ ...waiting, tick: 0 }), { kind: 'retry' })
  log.changeOf('a')
  hub.deliver()
  t.same(await hub.wait({ ...waiting, tick: 1 }), { kind: 'retry' })
})

t.test('a request whose access has changed must read again before it gets events', async (t) => {
  const { hub, log, hold } = newHub()
  const [concerned, other] = [hold(inRoom('a', 'r')), hold(inRoom('b', 'r'))]
  log.changeOf('a')
  log.add({ roomId: 'r' })
  hub.deliver()
  t.same(await concerned, { kind: 'retry' })
  t.same(await other, { kind: 'events', body: '1' })
})

t.test(
  'many requests are answered over several turns, and a change of access counts for the later ones',
  async (t) => {
    const { hub, log, hold } = newHub()
    const waiting = Array.from({ length: 1500 }, (_, index) => hold(inRoom(`m${index}`, 'r')))
    log.add({ roomId: 'r' })
    hub.deliver()
    log.changeOf('m0')
    log.changeOf('m1499')
    const outcomes = await Promise.all(waiting)
    t.same(outcomes[0], { kind: 'events', body: '1' }, 'it was answered in the first turn')
    t.same(outcomes[1499], { kind: 'retry' })
    t.equal(outcomes.filter(({ kind }) => kind === 'events').length, 1499)
  },
)

t.test(
  'an answer holds at most 100 of many events, and the others are left for the next request',
  async (t) => {
    const { hub, log, hold } = newHub()
    const held = hold(inRoom('a', 'r'))
    for (let n = 0; n < 600; n++) log.add({ roomId: 'r' })
    hub.deliver()
    const outcome = await held
    t.equal(outcome.kind === 'events' && String(outcome.body).split(',').length, 100)
    t.match(outcome, { body: /^1,2,3/ })
  },
)

t.test('a member’s 17th held request ends their oldest a second later, and nobody else’s', async (t) => {
  const { clock, hold } = newHub()
  const other = hold(inRoom('b', 'r'))
  const waiting = Array.from({ length: 17 }, () => hold(inRoom('a', 'r')))
  clock.advance(999)
  t.equal(await outcomeOf(waiting[0]!), undefined)
  clock.advance(1)
  t.same(await waiting[0], { kind: 'ended' })
  for (const held of [...waiting.slice(1), other]) t.equal(await outcomeOf(held), undefined)
})

t.test('a request that is about to make room still gets an event that comes first', async (t) => {
  const { clock, hub, log, hold } = newHub()
  const [oldest] = Array.from({ length: 17 }, () => hold(inRoom('a', 'r')))
  log.add({ roomId: 'r' })
  hub.deliver()
  t.same(await oldest, { kind: 'events', body: '1' })
  t.equal(clock.timerCount, 0)
})

t.test('while 48 requests of a member are making room, one more is refused', async (t) => {
  const { clock, hub, hold } = newHub()
  const waiting = Array.from({ length: 16 + 48 }, () => hold(inRoom('a', 'r')))
  t.same(await hold(inRoom('a', 'r')), { kind: 'refused' })
  t.equal(await outcomeOf(hold(inRoom('b', 'r'))), undefined, 'another member’s is held')
  clock.advance(1000)
  t.same(await Promise.all(waiting.slice(0, 48)), Array(48).fill({ kind: 'ended' }))
  t.equal(hub.waiterCount, 17)
  t.equal(await outcomeOf(hold(inRoom('a', 'r'))), undefined)
})

t.test('a request is forgotten when its time is over or its client is gone', async (t) => {
  const { hub, log, hold, renderer } = newHub()
  const lifetime = new RequestLifetime()
  const held = hold(inRoom('a', 'r'), lifetime)
  lifetime.end()
  t.same(await held, { kind: 'ended' })
  log.add({ roomId: 'r' })
  hub.deliver()
  t.equal(renderer.looks + log.reads, 0)
  t.same(await hold(inRoom('a', 'r'), lifetime), { kind: 'ended' }, 'an ended request is not held at all')
})

t.test('a changed topic ends the requests that follow it, and no others', async (t) => {
  const { hold, holdWithTopics, log, changeTopics } = newHub()
  const subscription = inRoom('a', 'r')
  const [topicSubscription, other, events] = [
    holdWithTopics(subscription, ['room:r', 'workspace']),
    holdWithTopics(subscription, ['room:s']),
    hold(subscription),
  ]
  changeTopics.markChanged('room:r')
  t.equal(await outcomeOf(Promise.race([other, events])), undefined)
  t.same(await topicSubscription, { kind: 'ended' })

  const both = holdWithTopics(subscription, ['room:r'])
  log.add({ roomId: 'r' })
  changeTopics.markChanged('room:r')
  t.same(await both, { kind: 'events', body: '1' }, 'an event that comes with it is in the same answer')
})

t.test('a topic changed between two requests is never missed', async (t) => {
  const { holdWithTopics, changeTopics } = newHub()
  const random = seededRandom('changes')
  const turns = () => random(1)[0]! % 4
  for (let round = 0; round < 200; round++) {
    const { sequence } = changeTopics
    const wait = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await nextTurn()
    }
    const change = wait(turns()).then(() => changeTopics.markChanged('room:r'))
    const held = wait(turns()).then(() => holdWithTopics(inRoom('a', 'r'), ['room:r'], sequence))
    await change
    t.same(await held, { kind: 'ended' })
    t.same(changeTopics.changedSince(sequence, ['room:r']), ['room:r'])
  }
})

t.test('a release ends all held requests, and no more are held', async (t) => {
  const { hub, hold } = newHub()
  const waiting = [hold(inRoom('a', 'r')), hold(inRoom('b', 'r'))]
  hub.release()
  t.same(await Promise.all([...waiting, hold(inRoom('c', 'r'))]), Array(3).fill({ kind: 'ended' }))
})

t.test('a failed delivery is reported, and the next one neither loses nor repeats events', async (t) => {
  let isBroken = true
  const { hub, log, hold, problems } = newHub((row) => {
    if (isBroken && row.tick === 2) throw new Error('broken')
    return false
  })
  const held = hold(inRoom('a', 'r'))
  for (let n = 0; n < 3; n++) log.add({ roomId: 'r' })
  hub.deliver()
  t.match(problems, [{ message: 'broken' }])
  t.equal(await outcomeOf(held), undefined)
  isBroken = false
  hub.deliver()
  t.same(await held, { kind: 'events', body: '1,2,3' })
})
