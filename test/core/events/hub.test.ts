import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { HeldRequests, type WaitResult } from '../../../core/events/hub.ts'
import { RequestLifetime } from '../../../core/events/request-lifetime.ts'
import type { EventSubscription } from '../../../core/events/subscription.ts'
import type { TopicSubscription } from '../../../core/events/topics.ts'
import { ChangeTopics, type Topic } from '../../../core/touches/touches.ts'
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
  const touches = new ChangeTopics(clock)
  const hub = new HeldRequests({
    clock,
    log: log.log,
    touches,
    newRenderer: renderer.newRenderer,
    refresh: () => {},
    onProblem: (_, error) => problems.push(error),
  })
  touches.changed((topics) => hub.touch(topics))
  /** Holds a request that has seen everything that there is. */
  const hold = (
    subscription: EventSubscription,
    lifetime = new RequestLifetime(),
    topicSubscription: TopicSubscription | null = null,
  ) => hub.wait({ subscription, tick: log.log.state().tick, change: log.change, lifetime, topicSubscription })
  /** Holds one that follows topics as well, behind a sequence. */
  const holdWithTopics = (subscription: EventSubscription, topics: Topic[], sequence = touches.sequence) =>
    hold(subscription, new RequestLifetime(), { topics, sequence })
  return { clock, log, renderer, hub, hold, holdWithTopics, touches, problems }
}

/** How a request ended; undefined while it is held. */
async function outcomeOf(held: Promise<WaitResult>): Promise<WaitResult | undefined> {
  return Promise.race([held, nextTurn(undefined)])
}

t.test('an event wakes those who wait at its place, and is looked at for nobody else', async (t) => {
  const { hub, log, hold, renderer } = newHub()
  const waiting = [hold(inRoom('a', 'r1')), hold(inRoom('b', 'r1', 'r2')), hold(inRoom('c', 'r2'))]
  log.add({ roomId: 'r1' })
  hub.deliver()
  t.same(await Promise.all(waiting.slice(0, 2)), Array(2).fill({ kind: 'events', body: '1' }))
  t.equal(await outcomeOf(waiting[2]!), undefined)
  t.equal(renderer.looks, 4, 'twice for each of the two')
  t.equal(log.reads, 1, 'the log is read once for all')
})

t.test('events that came together are one answer, in their order', async (t) => {
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

t.test('an event that may not be seen wakes nobody', async (t) => {
  const { hub, log, hold } = newHub((row) => row.tick === 1)
  const held = hold(inRoom('a', 'r'))
  log.add({ roomId: 'r' })
  hub.deliver()
  t.equal(await outcomeOf(held), undefined)
  log.add({ roomId: 'r' })
  hub.deliver()
  t.same(await held, { kind: 'events', body: '2' })
})

t.test('what a request has seen before it was held is not told again', async (t) => {
  const { hub, log, hold } = newHub()
  log.add({ roomId: 'r' })
  const held = hold(inRoom('a', 'r'))
  hub.deliver()
  t.equal(await outcomeOf(held), undefined)
})

t.test('who comes to wait when the log has moved on must look again', async (t) => {
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

t.test('whose access has changed looks again, before any event is told', async (t) => {
  const { hub, log, hold } = newHub()
  const [concerned, other] = [hold(inRoom('a', 'r')), hold(inRoom('b', 'r'))]
  log.changeOf('a')
  log.add({ roomId: 'r' })
  hub.deliver()
  t.same(await concerned, { kind: 'retry' })
  t.same(await other, { kind: 'events', body: '1' })
})

t.test(
  'many are answered in several turns; a change in between counts for those who come later',
  async (t) => {
    const { hub, log, hold } = newHub()
    const waiting = Array.from({ length: 1500 }, (_, index) => hold(inRoom(`m${index}`, 'r')))
    log.add({ roomId: 'r' })
    hub.deliver()
    log.changeOf('m0')
    log.changeOf('m1499')
    const outcomes = await Promise.all(waiting)
    t.same(outcomes[0], { kind: 'events', body: '1' }, 'was answered in the first turn')
    t.same(outcomes[1499], { kind: 'retry' })
    t.equal(outcomes.filter(({ kind }) => kind === 'events').length, 1499)
  },
)

t.test(
  'a long row of events is told in pages of 100, and the rest is left for the next request',
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

t.test('a member’s 17th request ends the oldest a second later, and nobody else’s', async (t) => {
  const { clock, hold } = newHub()
  const other = hold(inRoom('b', 'r'))
  const waiting = Array.from({ length: 17 }, () => hold(inRoom('a', 'r')))
  clock.advance(999)
  t.equal(await outcomeOf(waiting[0]!), undefined)
  clock.advance(1)
  t.same(await waiting[0], { kind: 'ended' })
  for (const held of [...waiting.slice(1), other]) t.equal(await outcomeOf(held), undefined)
})

t.test('one that makes room still hears of what comes before it ends', async (t) => {
  const { clock, hub, log, hold } = newHub()
  const [oldest] = Array.from({ length: 17 }, () => hold(inRoom('a', 'r')))
  log.add({ roomId: 'r' })
  hub.deliver()
  t.same(await oldest, { kind: 'events', body: '1' })
  t.equal(clock.alarmCount, 0)
})

t.test('while 48 requests of a member make room for others one more is refused', async (t) => {
  const { clock, hub, hold } = newHub()
  const waiting = Array.from({ length: 16 + 48 }, () => hold(inRoom('a', 'r')))
  t.same(await hold(inRoom('a', 'r')), { kind: 'refused' })
  t.equal(await outcomeOf(hold(inRoom('b', 'r'))), undefined, 'and no one else’s')
  clock.advance(1000)
  t.same(await Promise.all(waiting.slice(0, 48)), Array(48).fill({ kind: 'ended' }))
  t.equal(hub.waiterCount, 17)
  t.equal(await outcomeOf(hold(inRoom('a', 'r'))), undefined)
})

t.test('a request whose time is over or whose client is gone is forgotten', async (t) => {
  const { hub, log, hold, renderer } = newHub()
  const lifetime = new RequestLifetime()
  const held = hold(inRoom('a', 'r'), lifetime)
  lifetime.end()
  t.same(await held, { kind: 'ended' })
  log.add({ roomId: 'r' })
  hub.deliver()
  t.equal(renderer.looks + log.reads, 0)
  t.same(await hold(inRoom('a', 'r'), lifetime), { kind: 'ended' }, 'and is not held to begin with')
})

t.test('a touch ends the requests that follow it, and none that do not', async (t) => {
  const { hold, holdWithTopics, log, touches } = newHub()
  const subscription = inRoom('a', 'r')
  const [topicSubscription, other, events] = [
    holdWithTopics(subscription, ['room:r', 'workspace']),
    holdWithTopics(subscription, ['room:s']),
    hold(subscription),
  ]
  touches.markChanged('room:r')
  t.equal(await outcomeOf(Promise.race([other, events])), undefined)
  t.same(await topicSubscription, { kind: 'ended' })

  const both = holdWithTopics(subscription, ['room:r'])
  log.add({ roomId: 'r' })
  touches.markChanged('room:r')
  t.same(await both, { kind: 'events', body: '1' }, 'news that came with it is told in the same answer')
})

t.test('no touch is lost between two requests, whenever it comes', async (t) => {
  const { holdWithTopics, touches } = newHub()
  const random = seededRandom('touches')
  const turns = () => random(1)[0]! % 4
  for (let round = 0; round < 200; round++) {
    const { sequence } = touches
    const wait = async (count: number) => {
      for (let turn = 0; turn < count; turn++) await nextTurn()
    }
    const touching = wait(turns()).then(() => touches.markChanged('room:r'))
    const held = wait(turns()).then(() => holdWithTopics(inRoom('a', 'r'), ['room:r'], sequence))
    await touching
    t.same(await held, { kind: 'ended' })
    t.same(touches.changedSince(sequence, ['room:r']), ['room:r'])
  }
})

t.test('a release ends all, and nobody is held any more', async (t) => {
  const { hub, hold } = newHub()
  const waiting = [hold(inRoom('a', 'r')), hold(inRoom('b', 'r'))]
  hub.release()
  t.same(await Promise.all([...waiting, hold(inRoom('c', 'r'))]), Array(3).fill({ kind: 'ended' }))
})

t.test('a look that fails is told to the operator, and the next one loses and doubles nothing', async (t) => {
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
