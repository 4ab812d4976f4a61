import t from 'tap'
import { openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, owner, refusal } = chat
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [bot.member.id] })
const messages = `/rooms/${room}/messages`

const bodies = async (query: string) => (await chat.page(owner, room, query)).page.map(({ body }) => body)

t.test('replies are in their thread only, which counts them', async (t) => {
  const threadId = await chat.post(owner, room, 'Question')
  t.notOk('replyCount' in (await chat.message(owner, room, threadId))!)
  const one = await chat.post(bot, room, 'One', { threadId })
  await chat.post(owner, room, 'Two', { threadId })
  t.strictSame(await bodies(''), ['Question'])
  t.strictSame(await bodies(`thread=${threadId}`), ['Two', 'One'])
  t.equal((await chat.message(bot, room, threadId))!.replyCount, 2)
  const { page } = await chat.page(bot, room, `thread=${threadId}`)
  t.match(page[1], { _id: one, threadId, author: { name: 'Bot' } })
  t.notOk('replyCount' in page[1]!)
})

t.test('a deleted reply is not counted, and a thread without replies has no count', async (t) => {
  const threadId = await chat.post(owner, room, 'Asked')
  const replies = [
    await chat.post(bot, room, 'A', { threadId }),
    await chat.post(bot, room, 'B', { threadId }),
  ]
  for (const [index, left] of [1, undefined].entries()) {
    for (let time = 0; time < 2; time++) await chat.remove(bot, room, replies[index]!)
    t.equal((await chat.message(owner, room, threadId))!.replyCount, left)
  }
  t.strictSame(await bodies(`thread=${threadId}`), [])
})

t.test('a reply can be edited like any message', async (t) => {
  const threadId = await chat.post(owner, room, 'Asked')
  const id = await chat.post(bot, room, 'Befor', { threadId })
  await chat.edit(bot, room, id, 'Before')
  t.strictSame(await bodies(`thread=${threadId}`), ['Before'])
  t.equal((await chat.message(owner, room, threadId))!.replyCount, 1)
})

t.test('a thread is one level deep, in one room, and below an existing message', async (t) => {
  const threadId = await chat.post(owner, room, 'Top')
  const reply = await chat.post(owner, room, 'Reply', { threadId })
  const gone = await chat.post(owner, room, 'Gone')
  await chat.remove(owner, room, gone)
  const elsewhere = await chat.room(owner)
  const foreign = await chat.post(owner, elsewhere._id, 'Elsewhere')
  const replying = (threadId: unknown) => refusal(bot, 'POST', messages, { body: 'x', threadId })
  t.match(await replying(reply), [400, /repl/])
  t.match(await replying(gone), [400, /deleted/])
  for (const unknown of ['msg_nothing', '', foreign]) t.equal((await replying(unknown))[0], 404, unknown)
  for (const unknown of ['msg_nothing', foreign, ''])
    t.equal((await call(owner, 'GET', `${messages}?thread=${unknown}`)).status, 404, unknown)
})

t.test('the replies to a deleted message can still be read', async (t) => {
  const threadId = await chat.post(owner, room, 'Top')
  await chat.post(bot, room, 'Under it', { threadId })
  await chat.remove(owner, room, threadId)
  t.equal(await chat.message(owner, room, threadId), undefined)
  t.strictSame(await bodies(`thread=${threadId}`), ['Under it'])
})

t.test('a thread is paged like a room, and a cursor of one is invalid in the other', async (t) => {
  const threadId = await chat.post(owner, room, 'Top')
  for (let number = 1; number <= 5; number++) await chat.post(bot, room, String(number), { threadId })
  const first = await chat.page(owner, room, `thread=${threadId}&limit=2`)
  t.strictSame([first.page.map(({ body }) => body), first.isDone], [['5', '4'], false])
  const next = `thread=${threadId}&limit=3&cursor=${first.continueCursor}`
  const second = await chat.page(owner, room, next)
  t.strictSame([second.page.map(({ body }) => body), second.isDone], [['3', '2', '1'], true])
  t.match(await refusal(owner, 'GET', `${messages}?cursor=${first.continueCursor}`), [400, /cursor/])
  t.match(await refusal(owner, 'GET', `${messages}?thread=${threadId}&cursor=${threadId}`), [400, /cursor/])
})
