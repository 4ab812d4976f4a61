import t from 'tap'
import { mention } from '../../support/chat.ts'
import type { StubResponse } from '../../support/webhook-receiver.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

const chat = await openWebhookChat(t)
const { owner, post, receiver } = chat
const { _id: room } = await chat.room(owner, { name: 'Talk' })

let count = 0
/** Mentions an agent whose receiver answers. @returns what the agent said in the room, and the delivery */
async function answered(stub: StubResponse, more: { threadId?: string } = {}) {
  count += 1
  const bot = await chat.addAgentWithWebhook(`Bot ${count}`, { room })
  receiver.respondWith(bot.name, stub)
  const id = await post(owner, room, mention(bot), more)
  await chat.settled()
  const query = more.threadId ? `limit=100&thread=${more.threadId}` : 'limit=100'
  const { page } = await chat.page(owner, room, query)
  const said = page.filter(({ author }) => author._id === bot.member.id)
  return { bot, id, said, delivery: (await chat.deliveries(bot))[0]! }
}

const json =
  (text: string | Buffer, type = 'application/json', status = 200): StubResponse =>
  (response) =>
    response.writeHead(status, { 'Content-Type': type }).end(text)
const bodyOf = (body: unknown) => JSON.stringify({ body })

t.test('an answer becomes a message of the agent in the room', async (t) => {
  const { bot, said, delivery } = await answered('Hello yourself, "🎉"')
  t.match(said, [
    { body: 'Hello yourself, "🎉"', author: { _id: bot.member.id, type: 'agent' }, sentVia: 'webhook' },
  ])
  t.match(delivery, { state: 'delivered', lastStatus: 200 })
})

t.test('any 2xx status is accepted, and so is a charset in the content type', async (t) => {
  const type = 'Application/JSON; charset=utf-8'
  for (const status of [200, 201, 202]) {
    t.match((await answered(json(bodyOf('Yes'), type, status))).said, [{ body: 'Yes' }], String(status))
  }
})

t.test('in a thread the answer becomes a reply of the thread', async (t) => {
  const threadId = await post(owner, room, 'A subject')
  const { said } = await answered('In the thread', { threadId })
  t.match(said, [{ body: 'In the thread', threadId }])
})

t.test('a reply mentions like any message, and ends the typing signal', async (t) => {
  const grace = await chat.person('Grace')
  await chat.join(grace, room)
  const bot = await chat.addAgentWithWebhook('Typist', { room })
  receiver.respondWith('Typist', `For ${mention(grace)}`)
  await chat.call(bot, 'POST', `/rooms/${room}/typing`, {})
  t.match((await chat.detail(owner, room)).typing, [{ name: 'Typist' }])
  await post(owner, room, mention(bot))
  await chat.settled()
  t.match(await chat.inbox(grace), /\*\*Typist\*\* .* For @Grace/)
  t.same((await chat.detail(owner, room)).typing, [])
})

t.test('any other 2xx answer counts as delivered and posts nothing', async (t) => {
  const stubs: [what: string, stub: StubResponse][] = [
    ['nothing', 204],
    ['nothing with 200', 200],
    ['no JSON', json('Hello')],
    ['half of it', json('{"body": "Hel')],
    ['not UTF-8', json(Buffer.from([0x7b, 0xff, 0x7d]))],
    ['a list', json('["body"]')],
    ['a text', json('"body"')],
    ['null', json('null')],
    ['another field', json('{"text":"Hello"}')],
    ['a number', json(bodyOf(7))],
    ['an object', json(bodyOf({}))],
    ['an empty body', json(bodyOf(''))],
    ['a blank body', json(bodyOf(' \n\t'))],
    ['no text that can be', json(bodyOf('a\0b'))],
    ['another type', json(bodyOf('Hello'), 'text/plain')],
    ['a type that only looks like it', json(bodyOf('Hello'), 'application/json-seq')],
    ['one character too many', json(bodyOf('a'.repeat(32_001)))],
    ['more than 64 kB', json(`${' '.repeat(64 * 1024)}${bodyOf('Hello')}`)],
  ]
  for (const [what, stub] of stubs) {
    const { said, delivery } = await answered(stub)
    t.same(said, [], what)
    t.match(delivery, { state: 'delivered', attempts: 1, lastError: null }, what)
  }
})

t.test('an agent is not called for its own reply', async (t) => {
  const { _id: apart } = await chat.room(owner, { name: 'Apart' })
  const bot = await chat.addAgentWithWebhook('Echo', { room: apart, involvement: 'everything' })
  const listener = await chat.addAgentWithWebhook('Listener', { room: apart, involvement: 'everything' })
  receiver.respondWith('Echo', `I, ${mention(bot)}, tell @[everyone](__everyone__)`)
  await post(owner, apart, mention(bot))
  await chat.settled()
  t.equal((await chat.receivedRequests(bot)).length, 1)
  t.equal((await chat.deliveries(bot)).length, 1)
  t.same(
    (await chat.receivedRequests(listener)).map(({ json }) => [json.event, json.message.authorName]),
    [
      ['message.created', 'Ada'],
      ['mention', 'Echo'],
    ],
    'others are called',
  )
})

t.test('a reply of 32,000 characters is posted', async (t) => {
  t.equal((await answered('a'.repeat(32_000))).said[0]!.body.length, 32_000)
})

t.test('an answer with an error status posts nothing, whatever it says', async (t) => {
  for (const status of [302, 400, 500]) {
    const { said, delivery } = await answered(json(bodyOf('Hello'), 'application/json', status))
    t.same(said, [])
    t.match(delivery, { state: 'pending', lastStatus: status })
  }
})

t.test('an answer of an agent that has left meanwhile posts nothing', async (t) => {
  const bot = await chat.addAgentWithWebhook('Leaver', { room })
  receiver.respondWith('Leaver', (response) => {
    chat.leave(bot, room).then(() => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(bodyOf('Bye'))
    })
  })
  await post(owner, room, mention(bot))
  await chat.settled()
  t.match(await chat.deliveries(bot), [{ state: 'delivered' }])
  t.notOk((await chat.page(owner, room, 'limit=100')).page.some(({ body }) => body === 'Bye'))
})

t.test('a delivery leads to one reply, however often it is sent', async (t) => {
  const { bot, delivery } = await answered('Only once')
  const path = `/members/${bot.member.id}/webhook/deliveries/${delivery.id}/redeliver`
  for (let time = 0; time < 2; time++) {
    t.strictSame((await chat.call(owner, 'POST', path)).json, { id: delivery.id, state: 'pending' })
    await chat.settled()
  }
  const calls = await chat.receivedRequests(bot)
  t.equal(calls.length, 3)
  t.ok(
    calls.every(({ body }) => body.equals(calls[0]!.body)),
    'the same id and body',
  )
  t.same(
    calls.map(({ headers }) => headers['x-service-retry-num']),
    ['0', '0', '0'],
  )
  const { page } = await chat.page(owner, room, 'limit=100')
  t.equal(page.filter(({ body }) => body === 'Only once').length, 1)
})

t.test('a reply to a message deleted meanwhile is posted, but not into a deleted thread', async (t) => {
  const bot = await chat.addAgentWithWebhook('Late', { room })
  const answerOnceDeleted = (messageId: string, text: string) =>
    receiver.respondWith('Late', (response, { json: { message } }) => {
      chat.remove(owner, room, messageId === '' ? message.id : messageId).then(() => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(bodyOf(text))
      })
    })
  answerOnceDeleted('', 'To the room')
  await post(owner, room, mention(bot))
  await chat.settled()
  const subject = await post(owner, room, 'A subject')
  answerOnceDeleted(subject, 'To the thread')
  await post(owner, room, mention(bot), { threadId: subject })
  await chat.settled()
  const bodies = (await chat.page(owner, room, 'limit=100')).page.map(({ body }) => body)
  t.ok(bodies.includes('To the room'))
  t.notOk(bodies.includes('To the thread'))
})
