import nock from 'nock'
import t from 'tap'
import { fetchPage } from '../../../core/previews/fetch-page.ts'
import { type Outbound, openOutbound } from '../../../data/outbound/http.ts'
import { mockRequests } from '../../support/mocked-requests.ts'

const html = { 'Content-Type': 'text/html; charset=utf-8' }
const addresses: Record<string, string> = { 'inside.example': '10.0.0.1' }

const outbound = openOutbound({ allow: [], resolve: async (name) => [addresses[name] ?? '93.184.216.34'] })
const visit = (url: string, signal = new AbortController().signal) => fetchPage(outbound, url, signal)

mockRequests(t)
t.afterEach(() => {
  const missed = nock.pendingMocks()
  nock.cleanAll()
  if (missed.length > 0) throw new Error(`Nobody asked for ${missed}.`)
})

t.test('a page is fetched without any sign of who asks for it', async (t) => {
  nock('https://a.example')
    .get('/x?y=1')
    .reply(function () {
      const { host, accept, ...others } = this.req.headers
      t.strictSame([host, accept].flat(), ['a.example', 'text/html'])
      for (const name of ['authorization', 'cookie', 'referer', 'origin']) t.notOk(name in others)
      return [200, '<title>A', html]
    })
  const page = await visit('https://a.example/x?y=1')
  t.match(page, { url: 'https://a.example/x?y=1', contentType: 'text/html; charset=utf-8' })
  t.same(page, { ...(page as object), body: Buffer.from('<title>A') })
})

t.test('redirects are followed, each with the guards of the first address', async (t) => {
  nock('https://a.example').get('/').reply(302, '', { Location: '/next' })
  nock('https://a.example').get('/next').reply(308, '', { Location: 'https://b.example/end#part' })
  nock('https://b.example').get('/end').reply(200, 'B', html)
  t.match(await visit('https://a.example/'), { url: 'https://b.example/end#part', body: Buffer.from('B') })
  for (const [location, category] of [
    ['https://127.0.0.1/', 'blocked_address'],
    ['https://[::1]/', 'blocked_address'],
    ['https://169.254.169.254/latest', 'blocked_address'],
    ['https://inside.example/', 'blocked_address'],
    ['https://user:secret@b.example/', 'bad_url'],
    ['ftp://b.example/', 'bad_url'],
    ['file:///etc/passwd', 'bad_url'],
  ] as const) {
    nock('https://a.example').get('/').reply(301, '', { Location: location })
    t.equal(await visit('https://a.example/'), category, location)
  }
})

t.test('the number of redirects is limited', async (t) => {
  nock('https://a.example').get('/').times(6).reply(302, '', { Location: '/' })
  t.equal(await visit('https://a.example/'), 'too_many_redirects')
})

t.test('a redirect without a valid target counts as a response without a page', async (t) => {
  nock('https://a.example').get('/').reply(302)
  t.equal(await visit('https://a.example/'), 'status_302')
  nock('https://a.example').get('/').reply(302, '', { Location: 'https://' })
  t.equal(await visit('https://a.example/'), 'status_302')
})

t.test('a page linked by http is fetched by https', async (t) => {
  nock('https://a.example').get('/x').reply(200, 'A', html)
  t.match(await visit('http://a.example/x'), { url: 'https://a.example/x' })
  t.equal(await visit('http://inside.example/'), 'blocked_address')
})

t.test('only a 200 response with uncompressed HTML counts as a page', async (t) => {
  const cases: [status: number, headers: Record<string, string>, reason: string][] = [
    [404, html, 'status_404'],
    [204, html, 'status_204'],
    [206, html, 'status_206'],
    [503, html, 'status_503'],
    [200, {}, 'not_html'],
    [200, { 'Content-Type': 'text/plain' }, 'not_html'],
    [200, { 'Content-Type': 'text/html-sandboxed' }, 'not_html'],
    [200, { 'Content-Type': 'application/json' }, 'not_html'],
    [200, { ...html, 'Content-Encoding': 'gzip' }, 'compressed'],
  ]
  for (const [status, headers, reason] of cases) {
    nock('https://a.example')
      .get('/')
      .reply(status, status === 204 ? '' : '<title>A', headers)
    t.equal(await visit('https://a.example/'), reason)
  }
  for (const type of ['TEXT/HTML', 'text/html ; charset=x', ' text/html']) {
    nock('https://a.example').get('/').reply(200, 'A', { 'Content-Type': type })
    t.match(await visit('https://a.example/'), { body: Buffer.from('A') }, type)
  }
})

t.test('all redirects of one fetch share five seconds', async (t) => {
  const times: number[] = []
  let nowMs = 0
  const slow: Outbound = {
    ...outbound,
    async request({ timeoutMs }) {
      times.push(timeoutMs)
      nowMs += 900
      return {
        kind: 'response',
        status: 302,
        headers: { location: '/' },
        body: Buffer.alloc(0),
        isTruncated: false,
      }
    },
  }
  await fetchPage(slow, 'https://a.example/', new AbortController().signal, () => nowMs)
  t.same(times, [5000, 4100, 3200, 2300, 1400, 500])
})

t.test('the first 512 kB of a long page are read', async (t) => {
  nock('https://a.example')
    .get('/')
    .reply(200, Buffer.alloc(600 * 1024, 'x'), html)
  const page = await visit('https://a.example/')
  t.equal(typeof page === 'object' && page.body.length, 512 * 1024)
})

t.test('a failure returns its category, and an abort throws', async (t) => {
  nock('https://a.example')
    .get('/')
    .replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
  t.equal(await visit('https://a.example/'), 'connection')
  const ending = new AbortController()
  nock('https://a.example').get('/').delay(60_000).reply(200, 'A', html)
  const visiting = visit('https://a.example/', ending.signal)
  ending.abort(new Error('closing'))
  await t.rejects(visiting, /closing/)
  nock.abortPendingRequests()
  nock.cleanAll()
})
