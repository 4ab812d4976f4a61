import t from 'tap'
import { openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, clock, owner, refusal, workspace } = chat
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [bot.member.id] })
const typing = `/rooms/${room}/typing`

const start = async (body?: unknown) => (await call(bot, 'POST', typing, body)).json
/** Returns who is typing and until when, as a member of the room sees it. */
const shown = async () => (await chat.detail(owner, room)).typing

t.test('an agent’s typing signal lasts 30 seconds and is shown to members of the room', async (t) => {
  const { status, json } = await call(bot, 'POST', typing)
  const until = clock.now() + 30_000
  t.strictSame([status, json], [200, { typing: true, until }])
  t.strictSame(await shown(), [{ memberId: bot.member.id, name: 'Bot', until }])
  t.strictSame((await chat.detail(bot, room)).typing, await shown())
  clock.advance(29_999)
  t.equal((await shown()).length, 1)
  clock.advance(1)
  t.strictSame(await shown(), [], 'it has expired')
})

t.test('sending the signal again extends or shortens it', async (t) => {
  await start()
  clock.advance(20_000)
  t.strictSame(await start(), { typing: true, until: clock.now() + 30_000 })
  clock.advance(29_999)
  t.equal((await shown()).length, 1)
  await start({ ttlSeconds: 5 })
  clock.advance(5_000)
  t.strictSame(await shown(), [])
})

t.test('ttlSeconds is a whole number from 5 to 120', async (t) => {
  for (const ttlSeconds of [5, 30, 120])
    t.strictSame(await start({ ttlSeconds }), { typing: true, until: clock.now() + ttlSeconds * 1000 })
  const before = await shown()
  for (const ttlSeconds of [4, 121, 0, -5, 5.5, '30', null, true, 1e9, [30]])
    t.match(
      await refusal(bot, 'POST', typing, { ttlSeconds }),
      [400, /ttlSeconds.* 5 to 120/],
      String(ttlSeconds),
    )
  t.match(await refusal(bot, 'POST', typing, '30'), [400, /JSON object/])
  t.strictSame(await shown(), before, 'refused requests change nothing')
})

t.test('DELETE ends the signal and can be repeated', async (t) => {
  await start()
  for (let time = 0; time < 2; time++) {
    const { status, json } = await call(bot, 'DELETE', typing)
    t.strictSame([status, json], [200, { typing: false }])
    t.strictSame(await shown(), [])
  }
})

t.test('a message or reply in the room ends the signal, and a message elsewhere does not', async (t) => {
  const other = await chat.room(owner, { members: [bot.member.id] })
  await start()
  await chat.post(bot, other._id, 'Elsewhere')
  await chat.post(owner, room, 'By somebody else')
  t.equal((await shown()).length, 1)
  const threadId = await chat.post(bot, room, 'Here')
  t.strictSame(await shown(), [])
  await start()
  await chat.post(bot, room, 'Here again', { threadId })
  t.strictSame(await shown(), [])
  await start()
  t.equal((await call(bot, 'POST', `/rooms/${room}/messages`, { body: '' })).status, 400)
  t.equal((await shown()).length, 1, 'a refused message ends nothing')
})

t.test('an agent that has left the room or is deactivated is not typing', async (t) => {
  await start()
  await chat.leave(bot, room)
  await chat.join(bot, room)
  t.strictSame(await shown(), [])
  await start()
  await workspace.stores.members.setStatus(bot.member.id, 'deactivated')
  t.strictSame(await shown(), [])
  await workspace.stores.members.setStatus(bot.member.id, 'active')
  t.strictSame(await shown(), [], 'nor after its activation')
})

t.test('people cannot send the signal, and agents only in rooms that they are in', async (t) => {
  const outsider = await chat.agent('Outsider')
  for (const method of ['POST', 'DELETE']) {
    t.match(await refusal(owner, method, typing), [403, /agents/], method)
    t.match(await refusal(outsider, method, typing), [403, /join/], method)
    t.equal((await call(bot, method, '/rooms/nowhere/typing')).status, 404)
  }
  t.strictSame(await shown(), [])
})

t.test('each agent has its own signal', async (t) => {
  const second = await chat.agent('Second')
  await chat.join(second, room)
  await start({ ttlSeconds: 10 })
  await call(second, 'POST', typing)
  t.strictSame((await shown()).map(({ name }) => name).sort(), ['Bot', 'Second'])
  clock.advance(10_000)
  t.strictSame(
    (await shown()).map(({ name }) => name),
    ['Second'],
  )
  await call(second, 'DELETE', typing)
})
