import { gzipSync } from 'node:zlib'
import nock, { type Scope } from 'nock'
import t, { type Test } from 'tap'
import { sendDelivery } from '../../../core/webhooks/attempt.ts'
import { openOutbound } from '../../../data/outbound/http.ts'
import type { WebhookRow } from '../../../data/tables/webhooks.ts'
import { eventually } from '../../support/eventually.ts'
import { mockRequests } from '../../support/mocked-requests.ts'
import { TestClock } from '../../support/test-clock.ts'

const origin = 'https://agent.example'

mockRequests(t)
t.afterEach(() => {
  nock.abortPendingRequests()
  nock.cleanAll()
})

const addresses = { 'agent.example': '93.184.215.14', 'inside.example': '10.0.0.1' } as Record<string, string>
const resolve = async (name: string) => {
  const address = addresses[name]
  if (!address) throw Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
  return [address]
}
const outbound = openOutbound({ allow: [], resolve })
const webhook: WebhookRow = {
  memberId: 'mem_bot',
  url: `${origin}/hook`,
  events: ['mention'],
  secret: `whs_${'a'.repeat(43)}`,
  scopes: null,
  secretCreatedMs: 0,
  previousSecret: null,
  previousUntilMs: null,
  failures: 0,
  failingSinceMs: null,
}
const body = Buffer.from('{"service":"1.0","text":"🎉"}')
const attempt = { delivery: { id: 'wh_01', event: 'mention' as const }, attempt: 3, body, atMs: 1_000 }
const signal = new AbortController().signal

/** The outcome of an attempt at a receiver. */
async function result(t: Test, receive: (scope: Scope) => void) {
  const scope = nock(origin)
  receive(scope)
  const result = await sendDelivery(outbound, attempt, webhook, signal)
  t.ok(scope.isDone(), 'the request was sent')
  return result
}

t.test('an attempt posts the stored bytes with headers of its own', async (t) => {
  const delivered = await result(t, (scope) =>
    scope
      .post('/hook', body.toString())
      .matchHeader('Content-Type', 'application/json')
      .matchHeader('X-Service-Retry-Num', '2')
      .matchHeader('X-Service-Timestamp', '1')
      .reply(204),
  )
  t.strictSame(delivered, { isDelivered: true, status: 204, reply: null })
})

t.test('every 2xx response is a success, and every other response a failure', async (t) => {
  for (const status of [200, 201, 202, 204, 206, 299]) {
    const delivered = await result(t, (scope) => scope.post('/hook').reply(status))
    t.strictSame(delivered, { isDelivered: true, status, reply: null })
  }
  for (const status of [300, 301, 302, 304, 307, 308, 400, 401, 404, 408, 410, 429, 500, 502, 503, 504]) {
    const failed = await result(t, (scope) =>
      scope.post('/hook').reply(status, '{"body":"no"}', { location: 'https://10.0.0.1/' }),
    )
    t.strictSame(failed, { isDelivered: false, status, error: 'bad_status' })
  }
})

t.test('a reply is the body of a JSON response', async (t) => {
  const json = { 'Content-Type': 'application/json' }
  const answered = (text: string | Buffer, headers: Record<string, string> = json) =>
    result(t, (scope) => scope.post('/hook').reply(200, text, headers))
  t.match(await answered('{"body":"Hello","more":1}'), { reply: 'Hello' })
  t.match(await answered('\ufeff{"body":"Hello"}'), { reply: 'Hello' })
  for (const text of ['', '{', '[]', 'null', '7', '{"body":null}', '{"body":" "}']) {
    t.match(await answered(text), { isDelivered: true, reply: null }, text)
  }
  t.match(await answered('{"body":"Hello"}', { 'Content-Type': 'text/html' }), { reply: null })
  const bomb = gzipSync(Buffer.alloc(1024 * 1024, ' '))
  t.match(await answered(bomb, { ...json, 'Content-Encoding': 'gzip' }), { isDelivered: true, reply: null })
  const padding = 64 * 1024 - '{"body":"Hello"}'.length
  t.match(await answered(`${' '.repeat(padding)}{"body":"Hello"}`), { reply: 'Hello' })
  t.match(await answered(`${' '.repeat(padding + 1)}{"body":"Hello"}`), { isDelivered: true, reply: null })
})

t.test('a missing response is a failure with its category', async (t) => {
  for (const [code, error] of [
    ['ECONNRESET', 'connection'],
    ['ECONNREFUSED', 'refused'],
  ] as const) {
    const failed = await result(t, (scope) =>
      scope.post('/hook').replyWithError(Object.assign(new Error(code), { code })),
    )
    t.strictSame(failed, { isDelivered: false, status: null, error })
  }
})

t.test('a receiver that does not answer within ten seconds has failed', async (t) => {
  const clock = new TestClock()
  const hurried = openOutbound({ allow: [], resolve, after: (ms, callback) => clock.after(ms, callback) })
  const scope = nock(origin)
  scope.post('/hook').delay(60_000).reply(200)
  let hasEnded = false
  const sent = sendDelivery(hurried, attempt, webhook, signal).finally(() => {
    hasEnded = true
  })
  await eventually(() => scope.isDone())
  clock.advance(9999)
  await new Promise((resolve) => setImmediate(resolve))
  t.notOk(hasEnded)
  clock.advance(1)
  t.strictSame(await sent, { isDelivered: false, status: null, error: 'timeout' })
})

t.test('an address that is no longer allowed is not called', async (t) => {
  for (const [url, error] of [
    ['https://inside.example/', 'blocked_address'],
    ['https://nowhere.example/', 'dns'],
    ['http://agent.example/', 'bad_url'],
  ] as const) {
    const failed = await sendDelivery(outbound, attempt, { ...webhook, url }, signal)
    t.strictSame(failed, { isDelivered: false, status: null, error })
  }
})

t.test('an aborted attempt says that it was aborted', async (t) => {
  nock(origin).post('/hook').delay(60_000).reply(200)
  const ending = new AbortController()
  const attempted = sendDelivery(outbound, attempt, webhook, ending.signal)
  ending.abort(new Error('The workspace closes'))
  await t.rejects(attempted, /The workspace closes/)
})
