import type { ServerResponse } from 'node:http'
import t from 'tap'
import { type Outbound, type OutboundResponse, openOutbound } from '../../../data/outbound/http.ts'
import { mention } from '../../support/chat.ts'
import { TestClock } from '../../support/test-clock.ts'
import { startReceiver } from '../../support/webhook-receiver.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

t.test('over real sockets', async (t) => {
  const chat = await openWebhookChat(t)
  const { owner, post, receiver } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })

  await t.test(
    'an agent receives one delivery at a time, in the order in which messages were sent',
    async (t) => {
      const bot = await chat.addAgentWithWebhook('Single', { room })
      const open: ServerResponse[] = []
      receiver.respondWith('Single', (response) => void open.push(response))
      for (const text of ['one', 'two', 'three']) await post(owner, room, `${mention(bot)} ${text}`)
      for (const [index, text] of ['one', 'two', 'three'].entries()) {
        await chat.eventually(() => open.length === index + 1)
        t.match(receiver.requests('Single').at(-1)!.json.message.bodyText, text)
        t.match(await chat.deliveries(bot), {
          [2 - index]: { state: 'pending', attempts: 1, lastError: 'no_outcome' },
        })
        t.equal(receiver.requests('Single').length, index + 1)
        open[index]!.writeHead(204).end()
      }
      await chat.settled()
      t.ok((await chat.deliveries(bot)).every(({ state }) => state === 'delivered'))
    },
  )

  await t.test('a receiver that hangs delays no other agent', async (t) => {
    const hanging = await chat.addAgentWithWebhook('Hanging', { room })
    const others = await Promise.all(
      Array.from({ length: 5 }, (_, index) => chat.addAgentWithWebhook(`Lively ${index}`, { room })),
    )
    let hung: ServerResponse | null = null
    receiver.respondWith('Hanging', (response) => {
      hung = response
    })
    await post(owner, room, mention(hanging))
    await chat.eventually(() => hung)
    for (let time = 0; time < 3; time++) await post(owner, room, [hanging, ...others].map(mention).join(' '))
    for (const bot of others) {
      await chat.eventually(() => receiver.requests(bot.name).length === 3)
    }
    t.equal(receiver.requests('Hanging').length, 1, 'it is called once meanwhile')
    receiver.respondWith('Hanging', 204)
    hung!.writeHead(204).end()
    await chat.settled()
    t.equal(receiver.requests('Hanging').length, 4)
  })

  await t.test('a host that hangs for a whole team of agents delays no other host', async (t) => {
    const elsewhere = await startReceiver(t)
    const team = await Promise.all(
      Array.from({ length: 20 }, (_, index) => chat.addAgentWithWebhook(`Team ${index}`, { room })),
    )
    const apart = await chat.addAgentWithWebhook('Apart', { room })
    await chat.call(owner, 'PUT', `/members/${apart.member.id}/webhook`, { url: elsewhere.urlOf('Apart') })
    const open: ServerResponse[] = []
    for (const { name } of team) receiver.respondWith(name, (response) => void open.push(response))
    await post(owner, room, team.map(mention).join(' '))
    await chat.eventually(() => open.length === 8)
    await post(owner, room, mention(apart))
    await chat.eventually(() => elsewhere.requests('Apart').length === 1)
    t.equal(open.length, 8, 'none of the team is answered by then')
    const begun = (await Promise.all(team.map(chat.deliveries))).flat().filter(({ attempts }) => attempts > 0)
    t.equal(begun.length, 8, 'no attempt begins while it waits for a socket')
    for (const { name } of team) receiver.respondWith(name, 204)
    for (const response of open) response.writeHead(204).end()
    await chat.settled()
    for (const { name } of team) t.equal(receiver.requests(name).length, 1, name)
  })
})

t.test('a receiver that hangs or drips until the deadline has failed', async (t) => {
  const deadlines = new TestClock()
  const outbound = openOutbound({
    allow: ['127.0.0.1'],
    after: (ms, callback) => deadlines.after(ms, callback),
  })
  const chat = await openWebhookChat(t, { faults: { outbound } })
  const { owner, post, receiver } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const hanging = await chat.addAgentWithWebhook('Hanging', { room })
  const dripping = await chat.addAgentWithWebhook('Dripping', { room })
  let drops = 0
  receiver.respondWith('Hanging', () => {})
  receiver.respondWith('Dripping', (response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const drip = setInterval(() => {
      response.write(' ')
      drops += 1
    }, 10)
    response.on('close', () => clearInterval(drip))
  })
  await post(owner, room, `${mention(hanging)} ${mention(dripping)}`)
  // By then the client has read the first of what the receiver sends.
  await chat.eventually(() => receiver.requests('Hanging').length === 1 && drops >= 10)
  deadlines.advance(9999)
  for (const agent of [hanging, dripping])
    t.match(await chat.deliveries(agent), [{ state: 'pending', lastError: 'no_outcome' }])
  deadlines.advance(1)
  await chat.settled()
  t.match(await chat.deliveries(hanging), [{ state: 'pending', lastStatus: null, lastError: 'timeout' }])
  t.match(await chat.deliveries(dripping), [{ state: 'pending', lastStatus: 200, lastError: 'timeout' }])
})

/** A client whose calls hang until a test ends them. */
function hangingOutbound() {
  const response: OutboundResponse = {
    kind: 'response',
    status: 204,
    headers: {},
    body: Buffer.alloc(0),
    isTruncated: false,
  }
  const under = new Map<string, () => void>()
  const begun: string[] = []
  const outbound: Outbound = {
    checkUrl: async () => null,
    request: ({ url }) => {
      const name = new URL(url).pathname.slice(1)
      begun.push(name)
      return new Promise((resolve) => under.set(name, () => resolve(response)))
    },
  }
  const endAll = () => {
    for (const [name, end] of under) {
      under.delete(name)
      end()
    }
  }
  return { outbound, under, begun, endAll }
}

t.test('the agent that has waited longest is next, however much is due for agents that hang', async (t) => {
  const { outbound, under, begun, endAll } = hangingOutbound()
  const chat = await openWebhookChat(t, { faults: { outbound } })
  const { owner, post } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const hanging = await Promise.all(
    Array.from({ length: 8 }, (_, index) => chat.addAgentWithWebhook(`hanging-${index}`, { room })),
  )
  const late = await Promise.all(
    Array.from({ length: 3 }, (_, index) => chat.addAgentWithWebhook(`late-${index}`, { room })),
  )
  for (let time = 0; time < 3; time++) await post(owner, room, hanging.map(mention).join(' '))
  await chat.eventually(() => begun.length === 8)
  chat.clock.advance(60_000)
  await post(owner, room, late.map(mention).join(' '))
  t.equal(new Set(begun).size, 8, 'eight at once per host, and one per agent')
  for (const [index, { name }] of hanging.slice(0, 3).entries()) {
    under.get(name)!()
    await chat.eventually(() => begun.length === 9 + index)
  }
  t.same(begun.slice(8).sort(), ['late-0', 'late-1', 'late-2'])
  const answering = setInterval(endAll, 5)
  t.teardown(() => clearInterval(answering))
  await chat.settled()
  t.equal(begun.length, 8 * 3 + 3)
})

t.test('the number of calls under way is limited, however many hosts hang', async (t) => {
  const { outbound, begun, endAll } = hangingOutbound()
  const chat = await openWebhookChat(t, { faults: { outbound } })
  const { owner, post } = chat
  const { _id: room } = await chat.room(owner, { name: 'Talk' })
  const bots = await Promise.all(
    Array.from({ length: 72 }, (_, index) => chat.addAgentWithWebhook(`bot-${index}`, { room })),
  )
  for (const [index, { member, name }] of bots.entries()) {
    const url = `https://host-${index % 9}.example/${name}`
    await chat.call(owner, 'PUT', `/members/${member.id}/webhook`, { url })
  }
  await post(owner, room, bots.map(mention).join(' '))
  await chat.eventually(() => begun.length === 64)
  t.equal(
    (await Promise.all(bots.map(chat.deliveries))).flat().filter(({ attempts }) => attempts > 0).length,
    64,
  )
  endAll()
  await chat.eventually(() => begun.length === 72)
  endAll()
  await chat.settled()
})
