import { gzipSync } from 'node:zlib'
import nock, { type Scope } from 'nock'
import t, { type Test } from 'tap'
import { type OutboundRequest, openOutbound } from '../../../data/outbound/http.ts'
import { eventually } from '../../support/eventually.ts'
import { mockRequests } from '../../support/mocked-requests.ts'
import { TestClock } from '../../support/test-clock.ts'

const origin = 'https://agent.example'

mockRequests(t)
t.afterEach(() => nock.cleanAll())

const resolve = async () => ['93.184.215.14']
const outbound = openOutbound({ allow: [], resolve })

const post: OutboundRequest = {
  method: 'POST',
  url: `${origin}/hook`,
  body: Buffer.from('{}'),
  timeoutMs: 5000,
  maxBytes: 64 * 1024,
}

/** The outcome of a request at a receiver that expects exactly this one. */
async function sent(t: Test, receive: (scope: Scope) => void, changes: Partial<OutboundRequest> = {}) {
  const scope = nock(origin)
  receive(scope)
  const result = await outbound.request({ ...post, ...changes })
  t.ok(scope.isDone(), 'the request was sent')
  return result
}

t.test('every status counts as an answer', async (t) => {
  for (const status of [200, 201, 202, 204, 400, 401, 404, 409, 410, 413, 429, 500, 502, 503, 504]) {
    const text = status === 204 ? '' : `said ${status}`
    const response = await sent(t, (scope) => scope.post('/hook').reply(status, text))
    t.match(response, { kind: 'response', status, isTruncated: false })
    t.same(response, { ...response, body: Buffer.from(text) })
  }
})

t.test('a redirect counts as an answer and is not followed', async (t) => {
  for (const status of [300, 301, 302, 303, 304, 307, 308]) {
    for (const location of ['https://169.254.169.254/', '/elsewhere', 'file:///etc/passwd']) {
      const response = await sent(t, (scope) => scope.post('/hook').reply(status, '', { location }))
      t.match(response, { kind: 'response', status, headers: { location } }, `${status} to ${location}`)
    }
  }
})

t.test('a request with an error status is not repeated', async (t) => {
  let calls = 0
  const fail = () => {
    calls += 1
    return [503, 'later', { 'retry-after': '0' }] as const
  }
  for (const method of ['GET', 'PUT', 'POST'] as const) {
    calls = 0
    const { body, ...rest } = post
    const scope = nock(origin).persist().intercept('/hook', method).reply(fail)
    t.match(await outbound.request({ ...rest, method }), { status: 503 })
    t.ok(scope.isDone())
    t.equal(calls, 1)
    nock.cleanAll()
  }
})

t.test('the headers and bytes of a response are returned unchanged', async (t) => {
  const body = Buffer.from([0, 255, 0xc3, 0x28, 10])
  const headers = { 'Content-Type': 'application/json', 'X-Odd': 'caf\u00e9' }
  const response = await sent(t, (scope) => scope.post('/hook').reply(200, body, headers))
  t.match(response, { headers: { 'content-type': 'application/json', 'x-odd': 'caf\u00e9' } })
  t.same(response, { ...response, body })
})

t.test('cookies are not kept', async (t) => {
  const first = await sent(t, (scope) => scope.post('/hook').reply(200, '', { 'set-cookie': 'session=1' }))
  t.match(first, { headers: { 'set-cookie': ['session=1'] } })
  await sent(t, (scope) =>
    scope.post('/hook').reply(function () {
      t.notOk('cookie' in this.req.headers)
      return [200]
    }),
  )
})

t.test('a response compressed without being asked to is not decompressed', async (t) => {
  for (const encoding of ['gzip', 'deflate', 'br', 'zstd', 'x-unheard-of']) {
    const body = gzipSync(Buffer.alloc(1024 * 1024))
    const response = await sent(t, (scope) =>
      scope
        .post('/hook')
        .matchHeader('accept-encoding', 'identity')
        .reply(200, body, { 'content-encoding': encoding }),
    )
    t.match(response, { headers: { 'content-encoding': encoding }, isTruncated: false }, encoding)
    t.ok('body' in response && response.body.equals(body), encoding)
  }
})

t.test('a body up to the limit is complete, and a longer one is cut or a failure', async (t) => {
  const limits = [
    [0, 0],
    [0, 10],
    [9, 10],
    [10, 10],
    [1, 0],
    [11, 10],
    [1024 * 1024, 64 * 1024],
  ] as const
  for (const [length, maxBytes] of limits) {
    const receive = (scope: Scope) => scope.post('/hook').reply(203, 'x'.repeat(length))
    const cut = await sent(t, receive, { maxBytes })
    t.match(
      cut,
      { kind: 'response', status: 203, isTruncated: length > maxBytes },
      `${length} of ${maxBytes}`,
    )
    t.ok('body' in cut && cut.body.equals(Buffer.from('x'.repeat(Math.min(length, maxBytes)))))
    const whole = await sent(t, receive, { maxBytes, whenTooLarge: 'fail' })
    if (length <= maxBytes) t.same(whole, cut)
    else t.same(whole, { kind: 'failure', category: 'too_large', detail: 'body', status: 203 })
  }
})

t.test('a broken connection is a failure with its code', async (t) => {
  for (const [code, category] of [
    ['ECONNRESET', 'connection'],
    ['EPIPE', 'connection'],
    ['EHOSTUNREACH', 'connection'],
    ['ENETUNREACH', 'connection'],
    ['ECONNREFUSED', 'refused'],
    ['ETIMEDOUT', 'timeout'],
  ] as const) {
    const error = Object.assign(new Error(code), { code })
    const failure = await sent(t, (scope) => scope.post('/hook').replyWithError(error))
    t.same(failure, { kind: 'failure', category, detail: code, status: null })
  }
})

t.test('a silent receiver fails at the deadline', async (t) => {
  const clock = new TestClock()
  const hurried = openOutbound({ allow: [], resolve, after: (ms, callback) => clock.after(ms, callback) })
  const scope = nock(origin)
  scope.post('/hook').delay(60_000).reply(200)
  const requested = hurried.request({ ...post, timeoutMs: 30 })
  await eventually(() => scope.isDone())
  clock.advance(30)
  t.same(await requested, { kind: 'failure', category: 'timeout', detail: 'deadline', status: null })
  nock.abortPendingRequests()
})

t.test('each method is sent, with a body if it can have one', async (t) => {
  const body = Buffer.from('é\u2028"')
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    const isSame = (text: string) => text === body.toString()
    const response = await sent(t, (scope) => scope.intercept('/hook', method, isSame).reply(200), {
      method,
      body,
    })
    t.match(response, { status: 200 }, method)
  }
  const { body: _, ...rest } = post
  for (const method of ['GET', 'HEAD'] as const) {
    const scope = nock(origin).intercept('/hook', method).reply(200)
    t.match(await outbound.request({ ...rest, method }), { status: 200 }, method)
    t.ok(scope.isDone())
    await t.rejects(outbound.request({ ...rest, method, body }), {
      name: 'TypeError',
      message: `A ${method} request has no body`,
    })
  }
})

t.test('an invalid header, or one that the client sets itself, throws', async (t) => {
  const own = ['Host', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'Accept-Encoding', 'User-Agent']
  for (const name of own) {
    await t.rejects(outbound.request({ ...post, headers: { [name]: 'x' } }), {
      name: 'TypeError',
      message: `The header ${name} is the client's own`,
    })
  }
  for (const headers of [{ 'X-A': 'a\r\nX-B: b' }, { 'X-A\r\nX-B': 'b' }, { 'X A': 'b' }, { 'X-A': 'Ω' }]) {
    await t.rejects(outbound.request({ ...post, headers }), { name: 'TypeError' }, JSON.stringify(headers))
  }
})

t.test('nothing is sent to a refused address', async (t) => {
  const scope = nock(/.*/).persist().post(/.*/).reply(200)
  const mixed = openOutbound({ allow: [], resolve: async () => ['93.184.215.14', '10.0.0.1'] })
  for (const [url, category] of [
    ['https://agent.example/hook', 'blocked_address'],
    ['https://127.0.0.1/hook', 'blocked_address'],
    ['https://[::1]/hook', 'blocked_address'],
    ['http://93.184.215.14/hook', 'bad_url'],
    ['https://ada@93.184.215.14/hook', 'bad_url'],
  ] as const) {
    t.match(await mixed.request({ ...post, url }), { kind: 'failure', category }, url)
  }
  t.notOk(scope.isDone())
})
