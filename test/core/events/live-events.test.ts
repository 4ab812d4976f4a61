import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { Caller } from '../../../core/access/member.ts'
import type { EventsResponse } from '../../../core/events/live-events.ts'
import { RequestLifetime } from '../../../core/events/request-lifetime.ts'
import { openChat } from '../../support/chat.ts'
import { seededRandom } from '../../support/seeded-random.ts'

const chat = await openChat(t)
const { owner, workspace } = chat
const {
  events: { live: liveEvents },
  rooms: { messages },
} = workspace
const { _id: room } = await chat.room(owner)

const writer = workspace.stores.members.authenticate(owner.key)!
const readers: Caller[] = []
for (let n = 0; n < 7; n++) {
  const reader = await chat.person(`Reader ${n}`)
  await chat.join(reader, room)
  readers.push(workspace.stores.members.authenticate(reader.key)!)
}
const [reader] = readers as [Caller]

const random = seededRandom('race')
const upTo = (limit: number) => random(1)[0]! % (limit + 1)

const say = async (caller: Caller, body: string) => (await messages.post(caller, room, { body })).messageId
const follow = (caller: Caller, since: number, waitMs = 25_000) =>
  liveEvents.follow(
    caller,
    { since: String(since), waitMs, ownMessages: false, ownWrites: false },
    new RequestLifetime(),
  )
const contentOf = ({ body }: EventsResponse): { ids: string[]; cursor: number } => {
  const { events, cursor } = JSON.parse(Buffer.from(body).toString())
  return { ids: events.map(({ messageId }: { messageId: string }) => messageId), cursor }
}
const headNow = async () => (await follow(writer, 0, 0)).head

/** Waits for some microtasks, or some turns of the event loop. */
async function moments(count: number, areTurns: boolean): Promise<void> {
  for (let n = 0; n < count; n++) await (areTurns ? nextTurn() : null)
}

t.test('a message sent just as a request begins to wait arrives at once: 10,000 trials', async (t) => {
  let missed = 0
  for (let round = 0; round < 100; round++) {
    const since = await headNow()
    const saying = moments(upTo(4), upTo(1) === 0).then(() => say(writer, `round ${round}`))
    const waiting = Array.from({ length: 100 }, async (_, n) => {
      await moments(upTo(6), upTo(2) > 0)
      return follow(readers[n % readers.length]!, since)
    })
    const messageId = await saying
    for (const response of await Promise.all(waiting)) {
      if (contentOf(response).ids.join() !== messageId) missed += 1
    }
  }
  t.equal(missed, 0)
})

t.test('a message sent during a long read of hidden events arrives at once', async (t) => {
  const start = await headNow()
  await Promise.all(Array.from({ length: 3000 }, (_, n) => say(reader, `mine ${n}`)))
  let since = start
  for (let trial = 0; trial < 20; trial++) {
    // A new cursor each time, because the position of the last read is remembered.
    since = contentOf(await follow(writer, since, 0)).cursor
    const looking = follow(reader, since)
    await moments(upTo(8), true)
    const messageId = await say(writer, `trial ${trial}`)
    t.same(contentOf(await looking).ids, [messageId])
    await messages.remove(writer, room, messageId)
  }
})

t.test('a member who leaves during a long read gets none of its events', async (t) => {
  const since = await headNow()
  await Promise.all(Array.from({ length: 2000 }, (_, n) => say(reader, `mine ${n}`)))
  await say(writer, 'At the end')
  const {
    rooms: { rooms },
  } = workspace
  const looking = follow(reader, since, 0)
  const leaving = rooms.leave(reader, room)
  t.same(contentOf(await looking), { ids: [], cursor: since })
  await leaving
  await rooms.join(reader, room)
  t.equal(contentOf(await follow(reader, since, 0)).ids.length, 1)
})
