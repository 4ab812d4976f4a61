import t from 'tap'
import { openChat } from '../../support/chat.ts'
import { databaseChanges } from '../../support/database-changes.ts'

const chat = await openChat(t)
const { call, clock, owner, refusal } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [grace.member.id, bot.member.id] })

const beat = (actor: typeof grace, body?: unknown) => call(actor, 'POST', '/presence', body)
/** Returns whether a member is online, and in the room, as the owner sees it. */
async function seen(actor: typeof grace, where = room): Promise<[online: boolean, here: boolean]> {
  const { members } = await chat.detail(owner, where)
  const { online, here } = members.find(({ _id }) => _id === actor.member.id)!
  return [online, here]
}

t.test('a heartbeat lasts for 90 seconds to the millisecond', async (t) => {
  t.strictSame(await seen(grace), [false, false])
  const { status, json } = await beat(grace)
  t.strictSame([status, json], [200, { ok: true }])
  t.strictSame(await seen(grace), [true, false])
  clock.advance(89_999)
  t.strictSame(await seen(grace), [true, false])
  clock.advance(1)
  t.strictSame(await seen(grace), [false, false])
})

t.test('a heartbeat that names a room puts its member there until the next heartbeat', async (t) => {
  const other = await chat.room(owner, { members: [grace.member.id] })
  t.strictSame((await beat(grace, { roomId: room, client: 'web' })).json, { ok: true })
  t.strictSame(
    [await seen(grace), await seen(grace, other._id)],
    [
      [true, true],
      [true, false],
    ],
  )
  await beat(grace, { roomId: 'room-2' })
  t.strictSame(
    [await seen(grace), await seen(grace, other._id)],
    [
      [true, false],
      [true, true],
    ],
    'a slug is as good as an id',
  )
  await beat(grace, {})
  t.strictSame(await seen(grace, other._id), [true, false])
  await beat(grace, { roomId: room })
  clock.advance(90_000)
  t.strictSame(await seen(grace), [false, false])
})

t.test('a heartbeat in a foreign room is 403, in an unknown room 404, and neither counts', async (t) => {
  const open = await chat.room(owner)
  const closed = await chat.room(owner, { type: 'closed' })
  t.match(await refusal(bot, 'POST', '/presence', { roomId: open._id }), [403, /join/])
  t.match(await refusal(bot, 'POST', '/presence', { roomId: closed._id }), [403, /person/])
  t.equal((await refusal(bot, 'POST', '/presence', { roomId: 'nowhere' }))[0], 404)
  t.strictSame(await seen(bot), [false, false])
})

t.test('a field of a wrong type is 400, and a client that is not a slug is ignored', async (t) => {
  for (const [body, reason] of [
    [{ roomId: 5 }, /roomId/],
    [{ roomId: [room] }, /roomId/],
    [{ client: 5 }, /client/],
    ['x', /JSON object/],
  ] as const)
    t.match(await refusal(bot, 'POST', '/presence', body), [400, reason], JSON.stringify(body))
  t.strictSame(await seen(bot), [false, false])
  for (const client of ['', 'Not A Slug', 'x'.repeat(65), 'cli', null])
    t.strictSame((await beat(bot, { client })).json, { ok: true })
  t.strictSame(await seen(bot), [true, false])
})

t.test('no other request counts as a heartbeat', async (t) => {
  clock.advance(90_000)
  await chat.post(bot, room, 'Still here')
  await chat.page(bot, room)
  await call(bot, 'POST', `/rooms/${room}/typing`)
  t.strictSame(await seen(bot), [false, false])
})

t.test('heartbeats and typing write nothing to the disk', async (t) => {
  const changes = databaseChanges(chat.home)
  t.teardown(() => changes.close())
  await chat.post(bot, room, 'The last commit')
  const before = changes.state()
  for (let time = 0; time < 20; time++) {
    clock.advance(10_000)
    for (const actor of [owner, grace, bot]) t.equal((await beat(actor, { roomId: room })).status, 200)
    t.equal((await call(bot, 'POST', `/rooms/${room}/typing`)).status, 200)
    t.equal((await call(bot, 'DELETE', `/rooms/${room}/typing`)).status, 200)
    await chat.detail(owner, room)
  }
  t.strictSame(changes.state(), before)
  await chat.post(bot, room, 'And a commit')
  t.not(changes.state().version, before.version, 'a commit is detected')
})

t.test('presence is kept in memory only, so nobody is online after a restart', async (t) => {
  await beat(grace, { roomId: room })
  t.strictSame(await seen(grace), [true, true])
  await chat.restart()
  t.strictSame(await seen(grace), [false, false])
})
