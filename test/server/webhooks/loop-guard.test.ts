import t from 'tap'
import { mention } from '../../support/chat.ts'
import { openWebhookChat, type WebhookAgent } from '../../support/webhooks.ts'

const minuteMs = 60_000

const chat = await openWebhookChat(t)
const { clock, owner, post, receiver } = chat

let talks = 0
/** Opens a room in which two agents talk. */
async function openTalk() {
  talks += 1
  const { _id: room } = await chat.room(owner)
  const one = await chat.addAgentWithWebhook(`One ${talks}`, { room })
  const other = await chat.addAgentWithWebhook(`Other ${talks}`, { room })
  const said = async () => (await chat.page(owner, room, 'limit=100')).page.toReversed()
  const notices = async () => (await said()).filter(({ sentVia }) => sentVia === 'workroom')
  return { room, one, other, said, notices }
}

const callsOf = (bot: WebhookAgent) => receiver.requests(bot.name).length

t.test(
  'two agents that answer each other are stopped, and a message by a person lets them continue',
  async (t) => {
    const { room, one, other, said, notices } = await openTalk()
    receiver.respondWith(one.name, `Over to ${mention(other)}`)
    receiver.respondWith(other.name, `Over to ${mention(one)}`)
    const talk = async () => {
      await post(owner, room, `Begin, ${mention(one)}`)
      await chat.settled()
    }
    await talk()
    t.equal(callsOf(one) + callsOf(other), 13, 'the call by the person, and twelve that follow')
    const heldFor = (await chat.deliveries(other))[0]!
    t.match(heldFor, { state: 'held', attempts: 0, nextAttemptAt: null })
    const messages = await said()
    t.equal(messages.length, 1 + 13 + 1, 'every message is there, and one notice')
    const [notice, ...others] = await notices()
    t.same(others, [])
    t.match(notice, {
      author: { _id: other.member.id },
      body: /Webhooks between One 1 and Other 1 are paused .* 12 times in a row .* next message by a person/,
    })
    t.match(await chat.inbox(other), '7 unread mentions', 'the inbox has all mentions, and not the notice')

    await post(one, room, `Once more, ${mention(other)}`)
    await chat.advance(60 * minuteMs)
    await post(one, room, `And later, ${mention(other)}`)
    await chat.settled()
    t.equal(callsOf(one) + callsOf(other), 13, 'they stay paused')
    t.equal((await notices()).length, 1, 'there is one notice')

    clock.advance(10 * minuteMs)
    await talk()
    t.equal(callsOf(one) + callsOf(other), 26)
    t.equal((await notices()).length, 2)
    const events = await chat.request('GET', '/v1/events?since=0&wait=0', { key: owner.key })
    t.equal(
      events.json.events.filter(({ type }: { type: string }) => type === 'message').length,
      30,
      'every event is logged',
    )
  },
)

t.test('between the same two agents the twenty-first call within five minutes is held back', async (t) => {
  const { room, one, other, notices } = await openTalk()
  const third = await chat.addAgentWithWebhook('Third', { room })
  // Neither agent was called by the other's message, so there is no chain.
  for (let time = 0; time < 10; time++) await post(one, room, `${mention(other)} ${time}`)
  clock.advance(4 * minuteMs)
  for (let time = 10; time < 20; time++) await post(one, room, `${mention(other)} ${time}`)
  await chat.settled()
  t.equal(callsOf(other), 20)
  await post(one, room, `${mention(other)} and ${mention(third)}`)
  await chat.settled()
  t.equal(callsOf(other), 20)
  t.equal(callsOf(third), 1, 'others are called')
  t.match(await notices(), [{ body: /20 times within 5 minutes/ }])
  clock.advance(10 * minuteMs)
  await post(other, room, `${mention(one)}, can you hear me?`)
  await chat.settled()
  t.equal(callsOf(one), 0, 'in both directions, until a person speaks')
  await post(owner, room, `${mention(other)} a person is heard`)
  await chat.settled()
  t.equal(callsOf(other), 21)
  await post(other, room, `${mention(one)}, and now?`)
  await chat.settled()
  t.equal(callsOf(one), 1)
})

t.test('the five minutes are a sliding window, and calls with pauses have no limit', async (t) => {
  const { room, one, other, notices } = await openTalk()
  for (let time = 0; time < 30; time++) {
    await post(one, room, `${mention(other)} ${time}`)
    clock.advance(15_001)
  }
  await chat.settled()
  t.equal(callsOf(other), 30)
  t.same(await notices(), [])
})

t.test('a person’s mention is never held back, and each room has its own count', async (t) => {
  const { room, one, other } = await openTalk()
  const { _id: elsewhere } = await chat.room(owner, { members: [one.member.id, other.member.id] })
  for (let time = 0; time < 22; time++) await post(one, room, `${mention(other)} ${time}`)
  await post(one, elsewhere, `${mention(other)} elsewhere`)
  await chat.settled()
  t.equal(callsOf(other), 21)
  for (let time = 0; time < 25; time++) await post(owner, room, `${mention(other)} ${time}`)
  await chat.settled()
  t.equal(callsOf(other), 46)
})

t.test('a delivery that was held back can be sent by hand', async (t) => {
  const { room, one, other } = await openTalk()
  for (let time = 0; time < 21; time++) await post(one, room, `${mention(other)} ${time}`)
  await chat.settled()
  const { id, state } = (await chat.deliveries(other))[0]!
  t.equal(state, 'held')
  const path = `/members/${other.member.id}/webhook/deliveries/${id}/redeliver`
  t.match(await chat.call(owner, 'POST', path), { status: 202 })
  await chat.settled()
  t.equal(callsOf(other), 21)
})
