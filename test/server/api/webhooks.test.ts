import t from 'tap'
import { mention } from '../../support/chat.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

const chat = await openWebhookChat(t)
const { call, clock, owner, post, receiver, refusal } = chat
const grace = await chat.person('Grace')
const { _id: room } = await chat.room(owner, { name: 'Talk' })

const pathOf = ({ member }: { member: { id: string } }) => `/members/${member.id}/webhook`
const hook = 'https://93.184.215.14/hook'

t.test('a first URL returns the secret and all events, and reading shows no secret', async (t) => {
  const bot = await chat.agent('Fresh')
  t.strictSame(await chat.webhook(bot), {
    url: null,
    events: [],
    state: 'ok',
    failingSince: null,
    secretCreatedAt: null,
  })
  const { status, json } = await call(owner, 'PUT', pathOf(bot), { url: hook })
  t.equal(status, 200)
  t.strictSame(Object.keys(json), ['url', 'events', 'secret'])
  t.match(json, { url: hook, secret: /^whs_[0-9A-Za-z]{43}$/ })
  t.strictSame(json.events, ['mention', 'message.created'])
  t.strictSame(await chat.webhook(bot), {
    url: hook,
    events: json.events,
    state: 'ok',
    failingSince: null,
    secretCreatedAt: clock.now(),
  })
})

t.test('a change keeps the secret, and whatever it does not name', async (t) => {
  const bot = await chat.agent('Changing')
  await call(owner, 'PUT', pathOf(bot), { url: hook, events: ['mention'] })
  const changed = await call(owner, 'PUT', pathOf(bot), { url: `${hook}/2` })
  t.strictSame(changed.json, { url: `${hook}/2`, events: ['mention'] })
  const events = ['message.created', 'mention', 'mention']
  t.strictSame((await call(owner, 'PUT', pathOf(bot), { url: hook, events })).json, {
    url: hook,
    events: ['mention', 'message.created'],
  })
  t.strictSame((await call(owner, 'PUT', pathOf(bot), { url: hook, events: [] })).json, {
    url: hook,
    events: [],
  })
})

t.test('a null or empty URL removes the webhook, and a new one has a new secret', async (t) => {
  const bot = await chat.agent('Leaving')
  const first = (await call(owner, 'PUT', pathOf(bot), { url: hook })).json.secret
  for (const url of [null, '', null]) {
    t.strictSame((await call(owner, 'PUT', pathOf(bot), { url })).json, { url: null, events: [] })
  }
  t.match(await refusal(owner, 'POST', `${pathOf(bot)}/rotate`), [404, /has no webhook/])
  const { secret } = (await call(owner, 'PUT', pathOf(bot), { url: hook })).json
  t.match(secret, /^whs_/)
  t.not(secret, first)
})

t.test('an address that may not be called is 400 with the reason', async (t) => {
  const bot = await chat.agent('Refused')
  const refused: [url: string, reason: RegExp][] = [
    ['http://93.184.215.14/', /must begin with https:\/\/.*outbound\.allow/],
    ['ftp://93.184.215.14/', /must begin with https/],
    ['https://ada:secret@93.184.215.14/', /user name or password/],
    ['hook', /not a valid address/],
    ['https://', /not a valid address/],
    ['https://10.0.0.1/', /not public \(blocked_address\)/],
    ['https://169.254.169.254/latest', /blocked_address/],
    ['https://[::1]/', /blocked_address/],
    ['https://2130706434/', /blocked_address/],
    [`https://93.184.215.14/${'a'.repeat(2048)}`, /at most 2048/],
  ]
  for (const [url, reason] of refused) {
    t.match(await refusal(owner, 'PUT', pathOf(bot), { url }), [400, reason], url.slice(0, 60))
  }
  t.match(await chat.webhook(bot), { url: null })
  t.equal((await call(owner, 'PUT', pathOf(bot), { url: 'http://127.0.0.1:1/' })).status, 200, 'allowed')
})

t.test('an invalid body is 400', async (t) => {
  const bot = await chat.agent('Unclear')
  for (const [body, reason] of [
    [{}, /url/],
    [{ url: 7 }, /url/],
    [{ url: hook, events: 'mention' }, /events/],
    [{ url: hook, events: ['mentions'] }, /a list of mention and message\.created/],
    [{ url: hook, event: ['mention'] }, /no field event/],
  ] as const) {
    t.match(await refusal(owner, 'PUT', pathOf(bot), body), [400, reason])
  }
})

t.test('only agents can have a webhook', async (t) => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PUT', '', { url: hook }],
    ['POST', '/rotate', undefined],
    ['GET', '/deliveries', undefined],
  ] as const) {
    t.match(await refusal(owner, method, `${pathOf(grace)}${path}`, body), [400, /only agents/])
    t.match(await refusal(owner, method, `/members/mem_nobody/webhook${path}`, body), [404, /mem_nobody/])
  }
})

t.test('an agent can manage its own webhook with a key for it, and no other webhook', async (t) => {
  const bot = await chat.agent('Own')
  const other = await chat.agent('Foreign')
  const limited = async (scope: string) =>
    (await call(owner, 'POST', `/members/${bot.member.id}/keys`, { scopes: [scope] })).json.key
  const withScope = { ...bot, key: await limited('webhooks:write') }
  const without = { ...bot, key: await limited('rooms:write') }
  t.match(await call(withScope, 'PUT', pathOf(bot), { url: hook }), {
    status: 200,
    json: { secret: /^whs_/ },
  })
  t.match(await call(withScope, 'POST', `${pathOf(bot)}/rotate`), { status: 200, json: { secret: /^whs_/ } })
  t.match(await call(withScope, 'GET', '/members/own/webhook'), { status: 200, json: { url: hook } })
  t.match(await call(withScope, 'GET', `${pathOf(bot)}/deliveries`), {
    status: 200,
    json: { deliveries: [] },
  })
  t.match(await refusal(without, 'PUT', pathOf(bot), { url: hook }), [403, /webhooks:write/])
  t.match(await refusal(without, 'GET', pathOf(bot)), [403, /webhooks:write/])
  t.match(await refusal(bot, 'PUT', pathOf(other), { url: hook }), [403])
  t.match(await refusal(grace, 'GET', pathOf(bot)), [403])
})

t.test('only owners can manage the webhook of an agent that is an owner', async (t) => {
  const admin = await chat.workspace.stores.members.add({ name: 'Admin', type: 'human', role: 'admin' })
  const chief = await chat.agent('Chief', { role: 'owner' })
  t.match(await refusal(admin, 'POST', `${pathOf(chief)}/rotate`), [403, /owner/])
  t.equal((await call(owner, 'PUT', pathOf(chief), { url: hook })).status, 200)
})

t.test('deliveries are listed newest first, at most a hundred at a time', async (t) => {
  const bot = await chat.addAgentWithWebhook('Listed', { room })
  receiver.respondWith('Listed', 500)
  for (let time = 0; time < 102; time++) await post(owner, room, mention(bot))
  await chat.settled()
  const list = async (query = '') =>
    (await call(owner, 'GET', `${pathOf(bot)}/deliveries${query}`)).json.deliveries
  const all = await list('?limit=100')
  t.equal(all.length, 100)
  t.strictSame(all[0], {
    id: all[0].id,
    event: 'mention',
    state: 'pending',
    attempts: 1,
    nextAttemptAt: clock.now() + 30_000,
    lastStatus: 500,
    lastError: 'bad_status',
    createdAt: clock.now(),
  })
  const ids = all.map(({ id }: { id: string }) => id)
  t.same(ids, ids.toSorted().reverse())
  t.equal((await list('?limit=1000')).length, 100)
  t.same(await list('?limit=2'), all.slice(0, 2))
  t.equal((await list()).length, 50)
  for (const limit of ['0', '-1', 'many']) {
    t.match(await refusal(owner, 'GET', `${pathOf(bot)}/deliveries?limit=${limit}`), [400, /limit/])
  }
  await call(owner, 'PUT', pathOf(bot), { url: null })
})

t.test('a delivery that is pending, of another agent or without a URL cannot be sent by hand', async (t) => {
  const bot = await chat.addAgentWithWebhook('Redelivered', { room })
  const other = await chat.agent('Bystander')
  receiver.respondWith('Redelivered', 500)
  await post(owner, room, mention(bot))
  await chat.settled()
  const { id } = (await chat.deliveries(bot))[0]!
  const redeliver = (agent: typeof other, delivery = id) =>
    refusal(owner, 'POST', `${pathOf(agent)}/deliveries/${delivery}/redeliver`)
  t.match(await redeliver(bot), [409, /pending/])
  t.match(await redeliver(other), [404, /Bystander has no delivery/])
  t.match(await redeliver(bot, 'wh_nothing'), [404, /no delivery wh_nothing/])
  await call(owner, 'PUT', pathOf(bot), { url: null })
  t.match(await redeliver(bot), [404, /has no webhook/])
})

t.test('a failed delivery that is sent by hand gets all its attempts again', async (t) => {
  const bot = await chat.addAgentWithWebhook('Revived', { room })
  receiver.respondWith('Revived', 500)
  await post(owner, room, mention(bot))
  await chat.settled()
  for (const pauseMs of [30_000, 300_000, 1_800_000, 7_200_000]) await chat.advance(pauseMs)
  const { id, state } = (await chat.deliveries(bot))[0]!
  t.equal(state, 'failed')
  const response = await call(owner, 'POST', `${pathOf(bot)}/deliveries/${id}/redeliver`)
  t.match(response, { status: 202, json: { id, state: 'pending' } })
  await chat.settled()
  t.match(await chat.deliveries(bot), [{ id, state: 'pending', attempts: 1, lastStatus: 500 }])
  receiver.respondWith('Revived', 204)
  await chat.advance(30_000)
  t.match(await chat.deliveries(bot), [{ id, state: 'delivered', attempts: 2 }])
})

t.test('a webhook set with a limited key receives and posts no more than that key may', async (t) => {
  const bot = await chat.addAgentWithWebhook('Confined', { room, involvement: 'everything' })
  const limited = async (...scopes: string[]) => ({
    ...bot,
    key: (await call(owner, 'POST', `/members/${bot.member.id}/keys`, { scopes })).json.key,
  })
  const set = async (...scopes: string[]) =>
    t.equal(
      (await call(await limited(...scopes), 'PUT', pathOf(bot), { url: receiver.urlOf('Confined') })).status,
      200,
    )
  const said = async () => {
    receiver.respondWith('Confined', 'my reply')
    await post(owner, room, `${mention(bot)} secret`)
    await chat.settled()
    const { page } = (await call(owner, 'GET', `/rooms/${room}/messages?limit=1`)).json
    return { calls: (await chat.receivedRequests(bot)).length, last: page[0].body }
  }
  t.match(await said(), { calls: 1, last: 'my reply' }, 'set by an owner')
  await set('webhooks:write')
  t.match(await said(), { calls: 1, last: /secret/ })
  await set('webhooks:write', 'posts:read', 'rooms:write')
  t.match(await said(), { calls: 1, last: /secret/ })
  await set('webhooks:write', 'rooms:read')
  t.match(await said(), { calls: 2, last: /secret/ }, 'called, but its reply is not posted')
  await set('webhooks:write', 'rooms:read', 'rooms:write')
  t.match(await said(), { calls: 3, last: 'my reply' })

  receiver.respondWith('Confined', 500)
  await post(owner, room, `${mention(bot)} before`)
  await chat.settled()
  await set('webhooks:write')
  await chat.advance(30_000)
  t.equal((await chat.receivedRequests(bot)).length, 4, 'nor are retries sent')
  t.match(await chat.deliveries(bot), [{ state: 'cancelled' }])
  await call(owner, 'PUT', pathOf(bot), { url: null })
})

t.test('a failing webhook makes one line in the log until a delivery succeeds', async (t) => {
  const bot = await chat.addAgentWithWebhook('Noisy', { room })
  const lines = () => chat.log.lines.filter(({ message }) => message.includes(`The webhook of Noisy`))
  receiver.respondWith('Noisy', 500)
  for (let time = 0; time < 3; time++) await post(owner, room, mention(bot))
  await chat.settled()
  await chat.advance(30_000)
  t.equal(lines().length, 1)
  t.match(lines()[0]!.message, new RegExp(`${bot.member.id}.*127\\.0\\.0\\.1.*bad_status 500.*wh_`))
  receiver.respondWith('Noisy', 204)
  await chat.advance(300_000)
  receiver.respondWith('Noisy', 500)
  await post(owner, room, mention(bot))
  await chat.settled()
  t.equal(lines().length, 2, 'the next failure is another line')
  await call(owner, 'PUT', pathOf(bot), { url: null })
})

t.test('no secret is in the log', async (t) => {
  const bot = await chat.addAgentWithWebhook('Quiet', { room })
  receiver.respondWith('Quiet', 500)
  await post(owner, room, mention(bot))
  await chat.settled()
  t.notOk(chat.log.text().includes(bot.secret))
})
