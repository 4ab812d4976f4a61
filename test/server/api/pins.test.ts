import t from 'tap'
import { openChat } from '../../support/chat.ts'
import { fetchEvents, fetchNewestCursor } from '../../support/live-events.ts'

const chat = await openChat(t)
const { call, owner, refusal } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Bot')
const members = [grace.member.id, bot.member.id]
const newRoom = async () => (await chat.room(owner, { name: 'Quay', members }))._id
const pinsOf = async (room: string) => (await call(owner, 'GET', `/rooms/${room}/pins`)).json.pins

t.test('people and agents can pin messages, and the newest pin is the first of the list', async (t) => {
  const room = await newRoom()
  const [first, second] = [await chat.post(owner, room, 'Berth 3'), await chat.post(bot, room, 'Berth 4')]
  t.strictSame((await call(grace, 'PUT', `/rooms/${room}/pins/${first}`)).json, { pinned: true })
  await call(bot, 'PUT', `/rooms/${room}/pins/${second}`)
  const pinnedAt = chat.clock.now()
  t.match(await pinsOf(room), [
    { message: { _id: second, body: 'Berth 4', pinned: true }, pinnedBy: { name: 'Bot' }, pinnedAt },
    { message: { _id: first }, pinnedBy: { _id: grace.member.id, name: 'Grace', type: 'human' } },
  ])
  t.equal((await chat.message(owner, room, first))!.pinned, true)
  t.strictSame((await call(owner, 'DELETE', `/rooms/${room}/pins/${first}`)).json, { pinned: false })
  t.notOk('pinned' in (await chat.message(owner, room, first))!)
  t.match(await pinsOf(room), [{ message: { _id: second } }])
})

t.test('pinning and unpinning can be repeated, and each change is one event and no notice', async (t) => {
  const room = await newRoom()
  const id = await chat.post(owner, room, 'News')
  const since = await fetchNewestCursor(chat)
  const inbox = await chat.inbox(owner)
  for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE'])
    t.equal((await call(grace, method, `/rooms/${room}/pins/${id}`)).status, 200)
  const { events } = await fetchEvents(chat, bot, since)
  t.match(events, [
    { type: 'message.pin', roomId: room, messageId: id, removed: false, author: 'Grace' },
    { type: 'message.pin', roomId: room, messageId: id, removed: true, author: 'Grace' },
  ])
  t.equal(events.length, 2)
  t.equal(await chat.inbox(owner), inbox)
})

t.test('a deleted message is unpinned, and cannot be pinned', async (t) => {
  const room = await newRoom()
  const id = await chat.post(owner, room, 'Gone')
  await call(grace, 'PUT', `/rooms/${room}/pins/${id}`)
  await chat.remove(owner, room, id)
  t.strictSame(await pinsOf(room), [])
  t.match(await refusal(grace, 'PUT', `/rooms/${room}/pins/${id}`), [400, /deleted/])
  const elsewhere = await chat.post(owner, await newRoom(), 'Elsewhere')
  t.match(await refusal(grace, 'PUT', `/rooms/${room}/pins/${elsewhere}`), [404, /no message/])
})

t.test('a room may have 50 pinned messages', async (t) => {
  const room = await newRoom()
  const ids: string[] = []
  for (let n = 0; n < 51; n++) ids.push(await chat.post(owner, room, `Rule ${n}`))
  const last = ids.pop()!
  for (const id of ids) await call(grace, 'PUT', `/rooms/${room}/pins/${id}`)
  t.match(await refusal(grace, 'PUT', `/rooms/${room}/pins/${last}`), [400, /50 pinned messages.*Unpin one/])
  await call(grace, 'DELETE', `/rooms/${room}/pins/${ids[0]}`)
  t.equal((await call(grace, 'PUT', `/rooms/${room}/pins/${last}`)).status, 200)
})
