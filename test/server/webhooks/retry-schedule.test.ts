import t from 'tap'
import { mention } from '../../support/chat.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** The pause after each failure but the last. */
const pausesMs = [30 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs]

const chat = await openWebhookChat(t)
const { clock, owner, post, receiver } = chat
const { _id: room } = await chat.room(owner, { name: 'Talk' })

t.test('attempts follow 30 s, 5 min, 30 min and 2 h after each failure, and there is no sixth', async (t) => {
  const bot = await chat.addAgentWithWebhook('Failing', { room })
  receiver.respondWith('Failing', 500)
  const begunMs = clock.now()
  await post(owner, room, mention(bot))
  await chat.settled()
  for (const [index, pauseMs] of pausesMs.entries()) {
    t.match(await chat.deliveries(bot), [
      {
        state: 'pending',
        attempts: index + 1,
        nextAttemptAt: clock.now() + pauseMs,
        lastStatus: 500,
        lastError: 'bad_status',
      },
    ])
    await chat.advance(pauseMs - 1)
    t.equal((await chat.receivedRequests(bot)).length, index + 1, 'not a millisecond early')
    await chat.advance(1)
    t.equal((await chat.receivedRequests(bot)).length, index + 2)
  }
  t.match(await chat.deliveries(bot), [
    { state: 'failed', attempts: 5, nextAttemptAt: null, lastStatus: 500, lastError: 'bad_status' },
  ])
  await chat.advance(24 * hourMs)
  const calls = await chat.receivedRequests(bot)
  t.equal(calls.length, 5)
  t.same(
    calls.map(({ headers }) => headers['x-service-retry-num']),
    ['0', '1', '2', '3', '4'],
  )
  let atMs = begunMs
  for (const [index, { body, headers }] of calls.entries()) {
    t.equal(headers['x-service-timestamp'], String(Math.floor(atMs / 1000)), 'the time of this attempt')
    t.ok(body.equals(calls[0]!.body), 'the same bytes')
    t.equal(headers['x-service-delivery-id'], calls[0]!.json.id)
    atMs += pausesMs[index] ?? 0
  }
  t.equal(new Set(calls.map(({ headers }) => headers['x-service-signature'])).size, 5)
})

t.test('a delivery that succeeds on a retry is not sent again', async (t) => {
  const bot = await chat.addAgentWithWebhook('Recovering', { room })
  receiver.respondWith('Recovering', 503)
  await post(owner, room, mention(bot))
  await chat.settled()
  receiver.respondWith('Recovering', 200)
  await chat.advance(30 * secondMs)
  t.match(await chat.deliveries(bot), [
    { state: 'delivered', attempts: 2, lastStatus: 200, lastError: null, nextAttemptAt: null },
  ])
  await chat.advance(24 * hourMs)
  t.equal((await chat.receivedRequests(bot)).length, 2)
})

t.test('the pause begins when the attempt has failed, however long the receiver took', async (t) => {
  const bot = await chat.addAgentWithWebhook('Slow', { room })
  let fail = () => {}
  receiver.respondWith('Slow', (response) => {
    fail = () => void response.writeHead(500).end()
  })
  await post(owner, room, mention(bot))
  for (const [index, pauseMs] of pausesMs.entries()) {
    await chat.eventually(() => receiver.requests('Slow').length === index + 1)
    clock.advance(7 * secondMs)
    fail()
    await chat.settled()
    t.match(await chat.deliveries(bot), [{ attempts: index + 1, nextAttemptAt: clock.now() + pauseMs }])
    clock.advance(pauseMs - 1)
    t.equal(receiver.requests('Slow').length, index + 1)
    clock.advance(1)
  }
  await chat.eventually(() => receiver.requests('Slow').length === 5)
  fail()
  await chat.settled()
  t.match(await chat.deliveries(bot), [{ state: 'failed', attempts: 5 }])
})

t.test('all retries share one alarm, set to the first that is due', async (t) => {
  const quiet = clock.timerCount
  const bots = await Promise.all([1, 2, 3].map((n) => chat.addAgentWithWebhook(`Timed ${n}`, { room })))
  for (const bot of bots) {
    receiver.respondWith(bot.name, 500)
    await post(owner, room, `${mention(bot)} one`)
    await post(owner, room, `${mention(bot)} two`)
    await chat.settled()
    clock.advance(secondMs)
  }
  // Other timers may be set meanwhile, with two alarms each: for the due time and for the hourly check.
  t.ok(clock.timerCount < quiet + 2 * bots.length, 'not one for each')
  for (const bot of bots) receiver.respondWith(bot.name, 204)
  await chat.advance(30 * secondMs)
})

t.test('a retry does not delay later messages', async (t) => {
  const bot = await chat.addAgentWithWebhook('Choosy', { room })
  receiver.respondWith('Choosy', (response, { json }) =>
    response.writeHead(json.message.bodyText.endsWith('first') ? 500 : 204).end(),
  )
  for (const text of ['first', 'second', 'third']) await post(owner, room, `${mention(bot)} ${text}`)
  const texts = async () =>
    (await chat.receivedRequests(bot)).map(({ json }) => json.message.bodyText.replace('@Choosy ', ''))
  t.same(await texts(), ['first', 'second', 'third'], 'in the order of the messages')
  await chat.advance(30 * secondMs)
  t.same(await texts(), ['first', 'second', 'third', 'first'])
})

t.test('deliveries that are due while the server is down are sent when it is up again', async (t) => {
  const bot = await chat.addAgentWithWebhook('Patient', { room })
  receiver.respondWith('Patient', 500)
  await post(owner, room, mention(bot))
  await chat.settled()
  await chat.restart(() => clock.advance(hourMs))
  await chat.settled()
  t.match(await chat.deliveries(bot), [
    { state: 'pending', attempts: 2, nextAttemptAt: clock.now() + 5 * minuteMs },
  ])
  await chat.restart(() => clock.advance(5 * minuteMs - 1))
  await chat.settled()
  t.equal((await chat.receivedRequests(bot)).length, 2, 'not before it is due')
  receiver.respondWith('Patient', 204)
  await chat.advance(1)
  t.match(await chat.deliveries(bot), [{ state: 'delivered', attempts: 3 }])
})

t.test('an attempt interrupted by a stop counts as made, also the last', async (t) => {
  const bot = await chat.addAgentWithWebhook('Cut', { room })
  receiver.respondWith('Cut', () => {})
  await post(owner, room, mention(bot))
  for (const [index, pauseMs] of [...pausesMs, 30 * secondMs].entries()) {
    await chat.eventually(() => receiver.requests('Cut').length === index + 1)
    await chat.restart()
    t.match(await chat.deliveries(bot), [
      { state: 'pending', attempts: index + 1, nextAttemptAt: clock.now() + pauseMs, lastStatus: null },
    ])
    clock.advance(pauseMs)
  }
  await chat.settled()
  t.match(await chat.deliveries(bot), [{ state: 'failed', attempts: 5, lastError: 'no_outcome' }])
  t.same(
    receiver.requests('Cut').map(({ headers }) => headers['x-service-retry-num']),
    ['0', '1', '2', '3', '4'],
  )
})

t.test(
  'five failed deliveries in a row notify the owner once, and a delivery that succeeds ends the failing state',
  async (t) => {
    const keeper = await chat.person('Keeper')
    const bot = await chat.addAgentWithWebhook('Broken', { room, member: { ownerId: keeper.member.id } })
    receiver.respondWith('Broken', 500)
    const fail = async (count: number) => {
      for (let time = 0; time < count; time++) await post(owner, room, mention(bot))
      await chat.settled()
      for (const pauseMs of pausesMs) await chat.advance(pauseMs)
    }
    await fail(4)
    const firstMs = clock.now()
    t.match(await chat.webhook(bot), { state: 'ok', failingSince: null })
    t.match(await chat.inbox(keeper), 'no unread mention')
    await fail(2)
    t.match(await chat.webhook(bot), { state: 'failing', failingSince: firstMs })
    const notices = (await chat.inbox(keeper)).split('\n').filter((line) => line.includes('is failing'))
    t.equal(notices.length, 1)
    t.match(notices[0], /\*\*Broken\*\* in the room \*Broken and Keeper\*/)
    receiver.respondWith('Broken', 204)
    await post(owner, room, mention(bot))
    await chat.settled()
    t.match(await chat.webhook(bot), { state: 'ok', failingSince: null })
    receiver.respondWith('Broken', 500)
    await fail(5)
    t.match(await chat.webhook(bot), { state: 'failing' })
    const { json: rooms } = await chat.call(keeper, 'GET', '/rooms')
    t.equal(rooms.filter(({ type }: { type: string }) => type === 'direct').length, 1, 'in the same room')
  },
)

t.test('agents whose deliveries have failed for three days are named in the usage report', async (t) => {
  const bot = await chat.addAgentWithWebhook('Unheard', { room })
  const isNamed = async () => {
    const { text } = await chat.request('GET', '/v1/fs/audit/usage.md', { key: owner.key })
    return /^- \*\*Unheard\*\*: deliveries have failed for 3 days\./m.test(text)
  }
  receiver.respondWith('Unheard', 500)
  const fail = async () => {
    await post(owner, room, mention(bot))
    await chat.settled()
    for (const pauseMs of pausesMs) await chat.advance(pauseMs)
  }
  await fail()
  const failedMs = clock.now()
  await fail()
  clock.advance(failedMs + 3 * 24 * hourMs - 1 - clock.now())
  t.notOk(await isNamed())
  clock.advance(1)
  t.ok(await isNamed(), 'even if they are too few to notify the owner')
  t.match(await chat.webhook(bot), { state: 'ok', failingSince: null })
  const { id } = (await chat.deliveries(bot))[0]!
  receiver.respondWith('Unheard', 204)
  await chat.call(owner, 'POST', `/members/${bot.member.id}/webhook/deliveries/${id}/redeliver`)
  await chat.settled()
  t.notOk(await isNamed(), 'a delivery that succeeds ends it')
})

t.test('finished deliveries are kept for 30 days', async (t) => {
  const bot = await chat.addAgentWithWebhook('Old', { room })
  await post(owner, room, mention(bot))
  await chat.settled()
  await chat.advance(30 * 24 * hourMs - minuteMs)
  t.equal((await chat.deliveries(bot)).length, 1)
  clock.advance(2 * minuteMs)
  await chat.eventually(async () => (await chat.deliveries(bot)).length === 0)
})
