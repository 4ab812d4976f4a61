import t, { type Test } from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'
import { type PushBrowser, startPushService, verifiedClaims } from '../../support/push-service.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { countIn } from '../mail/office.ts'

const minutes = 60_000
const config = { outbound: { allow: ['127.0.0.1'] }, publicUrl: 'https://work.example' }

async function openPush(t: Test, options: Parameters<typeof openChat>[1] = { config }) {
  const service = await startPushService(t)
  const chat = await openChat(t, options)
  const grace = await chat.person('Grace', 'general')
  /** Waits until `count` pushes have failed `attempts` times, and are due again. */
  const failed = (attempts: number, count = 1) =>
    chat.eventually(() => countIn(chat.home, `push_queue WHERE attempts = ${attempts}`) === count)
  const { _id: room } = await chat.room(chat.owner, { name: 'Talk', members: [grace.member.id] })
  const signIn = async ({ key }: Actor) => {
    const browser = await new ScriptlessBrowser(chat).signIn(key)
    const token = await browser.csrf()
    const send = (method: string, path: string, body?: unknown) =>
      browser.send(
        method,
        path,
        {
          Origin: chat.url,
          'Sec-Fetch-Site': 'same-origin',
          'X-CSRF-Token': token,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
        },
        body === undefined ? undefined : JSON.stringify(body),
      )
    return { browser, token, send }
  }
  const subscribe = async (actor: Actor, name = actor.member.name) => {
    const session = await signIn(actor)
    const phone = service.browser(name)
    const { status, json } = await session.send('POST', '/v1/inbox/devices', phone.subscription)
    t.equal(status, 201, JSON.stringify(json))
    return { ...session, phone, device: json.device }
  }
  const call = (text = 'look') => chat.post(chat.owner, room, `${mention(grace)} ${text}`)
  const arrived = (phone: PushBrowser, count: number) =>
    chat.eventually(() => phone.received.length === count)
  return { arrived, call, chat, failed, grace, room, service, signIn, subscribe }
}

t.test('a mention is pushed, encrypted and signed by the standard, and opens its message', async (t) => {
  const { arrived, call, grace, service, subscribe } = await openPush(t)
  const { phone, send } = await subscribe(grace)
  const message = await call('the door is open')
  await arrived(phone, 1)
  t.same(phone.notifications(), [
    {
      title: 'Ada mentioned you in Talk',
      body: '@Grace the door is open',
      url: `/rooms/talk?at=${message}#${message}`,
      tag: message,
      silent: false,
      unread: 1,
    },
  ])
  const [pushed] = phone.received
  t.match(pushed!.headers, { 'content-encoding': 'aes128gcm', ttl: '43200', urgency: 'high' })
  t.notMatch(pushed!.body.toString('latin1'), 'door')
  const { publicKey } = (await send('GET', '/v1/inbox/devices')).json
  t.match(verifiedClaims(pushed!, publicKey), { aud: service.origin, sub: 'https://work.example/' })
})

t.test('a message in a thread is pushed as such, because its room does not show it', async (t) => {
  const { arrived, chat, grace, room, subscribe } = await openPush(t)
  const { phone } = await subscribe(grace)
  const root = await chat.post(grace, room, 'Is the door open?')
  await chat.post(chat.owner, room, 'It is.', { threadId: root })
  await arrived(phone, 1)
  await chat.post(chat.owner, room, `${mention(grace)} look`, { threadId: root })
  await arrived(phone, 2)
  t.strictSame(
    phone.notifications().map(({ isInThread }) => isInThread),
    [true, true],
  )
})

t.test('keys and choices survive a restart, and queued pushes are sent after it', async (t) => {
  const { arrived, call, chat, failed, grace, subscribe } = await openPush(t)
  const { phone, send } = await subscribe(grace)
  const { publicKey } = (await send('GET', '/v1/inbox/devices')).json
  phone.respondWith(503)
  await call()
  await arrived(phone, 1)
  await failed(1)
  await chat.restart()
  phone.respondWith(201)
  chat.clock.advance(1 * minutes)
  await arrived(phone, 2)
  t.equal((await send('GET', '/v1/inbox/devices')).json.publicKey, publicKey)
})

t.test('a push that fails is tried again, and a push that is refused is not', async (t) => {
  const { arrived, call, chat, failed, grace, subscribe } = await openPush(t)
  const { phone } = await subscribe(grace)
  phone.respondWith(429)
  await call('one')
  await arrived(phone, 1)
  for (const [after, count] of [
    [1, 2],
    [5, 3],
    [30, 4],
  ] as const) {
    await failed(count - 1)
    chat.clock.advance(after * minutes)
    await arrived(phone, count)
  }
  await chat.eventually(() => countIn(chat.home, 'push_queue') === 0)
  phone.respondWith(413)
  await call('two')
  await arrived(phone, 5)
  await chat.eventually(() => countIn(chat.home, 'push_queue') === 0)
  phone.respondWith(201)
  await call('three')
  await arrived(phone, 6)
  t.match(phone.notifications().at(-1), { body: '@Grace three', unread: 3 })
})

for (const status of [404, 410]) {
  t.test(`a subscription that the push service answers with ${status} is removed`, async (t) => {
    const { arrived, call, chat, grace, subscribe } = await openPush(t)
    const { phone, send } = await subscribe(grace)
    phone.respondWith(status)
    await call()
    await arrived(phone, 1)
    const devices = async () => (await send('GET', '/v1/inbox/devices')).json.devices
    await chat.eventually(async () => (await devices()).length === 0)
    await call()
    t.equal(phone.received.length, 1)
  })
}

t.test('nothing is pushed once the session has ended or the member is deactivated', async (t) => {
  const { arrived, call, chat, grace, signIn, subscribe } = await openPush(t)
  const first = await subscribe(grace, 'first')
  const second = await subscribe(grace, 'second')
  await first.browser.submit('/signout', { csrf: first.token })
  await call('one')
  await arrived(second.phone, 1)
  t.equal(first.phone.received.length, 0)
  const third = await signIn(grace)
  t.match((await third.send('GET', '/v1/inbox/devices')).json.devices, [
    { id: second.device.id, isThis: false },
  ])
  const deactivated = await chat.request('PATCH', `/api/members/${grace.member.id}`, {
    body: { status: 'deactivated' },
  })
  t.equal(deactivated.status, 200)
  const owner = await subscribe({ member: chat.owner.member, key: chat.owner.key }, 'owner')
  await call('two')
  const linus = await chat.person('Linus', 'general')
  await chat
    .room(linus, { type: 'direct', members: [chat.owner.member.id] })
    .then(({ _id }) => chat.post(linus, _id, 'Hello'))
  await arrived(owner.phone, 1)
  t.equal(second.phone.received.length, 1)
})

t.test('messages read, deleted or hidden before their push is sent are not pushed', async (t) => {
  const { arrived, call, chat, failed, grace, room, subscribe } = await openPush(t)
  const { phone, send } = await subscribe(grace)
  phone.respondWith(503)
  const read = await call('read')
  const deleted = await call('deleted')
  await arrived(phone, 2)
  await failed(1, 2)
  await send('POST', '/v1/inbox/read', { ids: [read] })
  await chat.remove(chat.owner, room, deleted)
  phone.respondWith(201)
  chat.clock.advance(1 * minutes)
  await call('last')
  await arrived(phone, 3)
  t.match(phone.notifications().at(-1), { body: '@Grace last', unread: 1 })
})

t.test('each device has its own kinds and sound', async (t) => {
  const { arrived, call, chat, grace, subscribe } = await openPush(t)
  const laptop = await subscribe(grace, 'laptop')
  const phone = await subscribe(grace, 'phone')
  const path = `/v1/inbox/devices/${phone.device.id}`
  const { device } = (await phone.send('PATCH', path, { kinds: ['direct'], sound: false })).json
  t.match(device, { kinds: ['direct'], sound: false, isThis: true })
  await call()
  await arrived(laptop.phone, 1)
  const members = [grace.member.id]
  const { _id: direct } = await chat.room(chat.owner, { type: 'direct', members })
  await chat.post(chat.owner, direct, 'Hello')
  await Promise.all([arrived(laptop.phone, 2), arrived(phone.phone, 1)])
  t.match(phone.phone.notifications(), [{ title: 'Ada sent you a message', silent: true, tag: direct }])
  t.equal((await laptop.send('DELETE', path)).status, 200)
  t.equal((await laptop.send('DELETE', path)).status, 404)
})

t.test('quiet hours and do not disturb silence every device, by the minute', async (t) => {
  const { arrived, call, chat, grace, subscribe } = await openPush(t)
  const { phone, send } = await subscribe(grace)
  const settings = (body: object) => send('PATCH', '/v1/inbox/settings', body)
  const timeAt = (ms: number) => new Date(ms).toISOString().slice(11, 16)
  await settings({ pauseMinutes: 2 })
  await call('paused')
  chat.clock.advance(2 * minutes)
  await call('one')
  await arrived(phone, 1)
  const nowMs = chat.clock.now()
  const quietFrom = timeAt(nowMs)
  await settings({ quietFrom, quietUntil: timeAt(nowMs + 2 * minutes), timeZone: 'UTC' })
  await call('quiet')
  chat.clock.advance(2 * minutes)
  await call('two')
  await arrived(phone, 2)
  t.same(
    phone.notifications().map(({ body }) => body),
    ['@Grace one', '@Grace two'],
  )
})

t.test('a subscription needs a person’s session, and an endpoint that may be reached', async (t) => {
  const { chat, grace, service, signIn } = await openPush(t, {
    config: { publicUrl: 'https://work.example' },
  })
  const { subscription } = service.browser('any')
  const path = '/v1/inbox/devices'
  const byKey = await chat.request('POST', path, { key: grace.key, body: subscription })
  t.match([byKey.status, byKey.text], [403, /signed-in browser/])
  const { send } = await signIn(grace)
  for (const body of [
    subscription,
    { ...subscription, endpoint: 'https://127.0.0.1/x' },
    { ...subscription, endpoint: 'https://10.0.0.1/x' },
    { ...subscription, endpoint: 'file:///etc/passwd' },
    { ...subscription, p256dh: 'AAAA' },
    { ...subscription, auth: 'AAAA' },
  ]) {
    const { status, text } = await send('POST', path, body)
    t.match([status >= 400 && status < 500, text], [true, /endpoint/])
  }
  t.same((await send('GET', path)).json.devices, [])
})
