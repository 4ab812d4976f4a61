import t from 'tap'
import { openChat } from '../../support/chat.ts'
import { fetchEvents, fetchNewestCursor } from '../../support/live-events.ts'

const chat = await openChat(t)
const { call, owner, refusal } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, { name: 'Quay', members: [grace.member.id, bot.member.id] })
const reactionTo = (messageId: string, emoji: string) =>
  `/rooms/${room}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}`
const reactionsOf = async (messageId: string) => (await chat.message(owner, room, messageId))!.reactions

t.test('people and agents can react with any emoji, and a message shows who did', async (t) => {
  const id = await chat.post(owner, room, 'Done')
  t.equal((await call(grace, 'PUT', reactionTo(id, '👍'))).status, 200)
  const { json } = await call(bot, 'PUT', reactionTo(id, ':+1:'))
  await call(bot, 'PUT', reactionTo(id, '❤'))
  const thumbs = {
    emoji: '👍',
    count: 2,
    members: [
      { _id: grace.member.id, name: 'Grace' },
      { _id: bot.member.id, name: 'Bot' },
    ],
  }
  t.strictSame(json, { reactions: [thumbs] })
  const heart = { emoji: '❤️', count: 1, members: [{ _id: bot.member.id, name: 'Bot' }] }
  t.strictSame(await reactionsOf(id), [thumbs, heart])
})

t.test('adding and removing a reaction can be repeated', async (t) => {
  const id = await chat.post(owner, room, 'Twice')
  for (const method of ['PUT', 'PUT', 'DELETE', 'DELETE']) {
    t.equal((await call(grace, method, reactionTo(id, '🎉'))).status, 200)
    if (method === 'PUT') t.equal((await reactionsOf(id))?.[0]?.count, 1)
  }
  t.notOk('reactions' in (await chat.message(owner, room, id))!)
})

t.test('each change of a reaction is an event for the room, and no mention or notice', async (t) => {
  const id = await chat.post(owner, room, 'News')
  const since = await fetchNewestCursor(chat)
  const inbox = await chat.inbox(owner)
  for (const method of ['PUT', 'PUT', 'DELETE']) await call(grace, method, reactionTo(id, '👀'))
  const { events } = await fetchEvents(chat, bot, since)
  t.match(events, [
    { type: 'message.reaction', messageId: id, emoji: '👀', removed: false, author: 'Grace' },
    { type: 'message.reaction', messageId: id, emoji: '👀', removed: true, author: 'Grace' },
  ])
  t.equal(events.length, 2)
  t.strictSame((await fetchEvents(chat, grace, since)).events, [], 'own events are left out')
  t.equal(await chat.inbox(owner), inbox)
})

t.test('a reaction that is not an emoji is refused', async (t) => {
  const id = await chat.post(owner, room, 'Words')
  for (const emoji of ['a', '1', '👍👍', ':no_such_emoji:', ':constructor:', '❤'.repeat(100), ' '])
    t.match(await refusal(grace, 'PUT', reactionTo(id, emoji)), [400, /is not an emoji/], emoji.slice(0, 20))
})

t.test('a message may have 20 different emoji', async (t) => {
  const id = await chat.post(owner, room, 'Many')
  const emojis = [...'😀😁😂😃😄😅😆😇😈😉😊😋😌😍😎😏😐😑😒😓']
  for (const emoji of emojis) t.equal((await call(grace, 'PUT', reactionTo(id, emoji))).status, 200)
  t.match(await refusal(bot, 'PUT', reactionTo(id, '👍')), [400, /20 different emoji/])
  t.equal((await call(bot, 'PUT', reactionTo(id, '😀'))).status, 200)
})

t.test('a deleted message and one of another room take no reactions', async (t) => {
  const id = await chat.post(owner, room, 'Gone')
  await call(grace, 'PUT', reactionTo(id, '👍'))
  await chat.remove(owner, room, id)
  t.match(await refusal(grace, 'PUT', reactionTo(id, '👍')), [400, /deleted/])
  const { _id: other } = await chat.room(owner)
  const elsewhere = await chat.post(owner, other, 'Elsewhere')
  t.match(await refusal(grace, 'PUT', reactionTo(elsewhere, '👍')), [404, /no message/])
})
