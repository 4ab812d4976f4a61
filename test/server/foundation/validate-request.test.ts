import t, { type Test } from 'tap'
import { requireValidRequest, requireValidTarget } from '../../../server/middleware/validate-request.ts'
import { sendRaw } from '../../support/http-client.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'

const strict = (t: Test) =>
  serveMiddleware(t, (app) => {
    app.use(requireValidTarget)
    app.use(requireValidRequest)
    app.use((ctx) => {
      ctx.body = 'fine'
    })
  })

t.test('a broken percent-encoding is 400', async (t) => {
  const { request } = await strict(t)
  for (const path of ['/v1/fs/%', '/v1/fs/%zz', '/v1/fs/%ff', '/v1/fs/%c3', '/v1/fs/a%2']) {
    const response = await request('GET', path)
    t.strictSame([response.status, response.json.error], [400, 'bad_request'], path)
  }
  for (const path of ['/v1/fs/%c3%a4', '/v1/fs/100%25', '/v1/fs/a%252fb', '/v1/fs/a?q=%']) {
    t.equal((await request('GET', path)).status, 200, path)
  }
})

t.test('a name with a separator or NUL, or that points upwards, is 404', async (t) => {
  const { request } = await strict(t)
  const names = ['a%2fb', 'a%2Fb', 'a%5cb', 'a%00', '..', '.', '%2e%2e', '.%2e', '../..', 'a//b', '..%2f..']
  for (const name of names) {
    const response = await request('GET', `/v1/fs/projects/${name}`)
    t.strictSame([response.status, response.json.error], [404, 'not_found'], name)
  }
  for (const name of ['.hidden', '..a', 'a..', 'a.', '...']) {
    t.equal((await request('GET', `/v1/fs/projects/${name}`)).status, 200, name)
  }
})

t.test('a refused path is answered with the bad segment and its place', async (t) => {
  const { request } = await strict(t)
  const cases: [path: string, words: string][] = [
    ['/v1/fs/projects/a/docs/../x.md', 'the path has ".." after /v1/fs/projects/a/docs.'],
    ['/v1/fs/./x', 'the path has "." after /v1/fs.'],
    ['/v1/fs/%2e%2E/x', 'the path has "%2e%2E" after /v1/fs.'],
    ['/v1/fs/projects//docs', 'the path has an empty segment after /v1/fs/projects.'],
    ['/v1/fs/projects/a//', 'an empty segment after /v1/fs/projects/a.'],
    ['//v1/fs/projects', 'an empty segment at the beginning'],
    ['/v1/fs/a%2Fb/c', 'the path has "a%2Fb" after /v1/fs, which holds a slash (%2f).'],
    ['/v1/fs/a%5cb', 'which holds a backslash (%5c).'],
    ['/v1/fs/a%00', 'which holds a NUL (%00).'],
    [`/v1/fs/${'x'.repeat(5000)}/../b`, 'x…'],
  ]
  for (const [path, words] of cases) {
    const { status, json, text } = await request('GET', path)
    t.match([status, json.message ?? json.error], [404, words], path)
    t.ok(text.length < 500)
  }
})

t.test('a target that is not a path is 400, and HTTP/1.1 needs a Host', async (t) => {
  const { url } = await strict(t)
  const ask = (line: string, headers = 'Host: x\r\n') =>
    sendRaw(url, `${line}\r\n${headers}Connection: close\r\n\r\n`)
  t.match(await ask('GET http://[ HTTP/1.1'), /^HTTP\/1\.1 400 [\s\S]*X-Request-Id: req_/i)
  t.match(await ask('GET / HTTP/1.1', ''), /^HTTP\/1\.1 400 [\s\S]*X-Request-Id: req_[\s\S]*Host/i)
  t.match(await ask('GET / HTTP/1.0', ''), /^HTTP\/1\.1 200 /)
  t.match(await ask('GET http://example.org/v1/fs/%zz HTTP/1.1'), /400 [\s\S]*"error":"bad_request"/)
})
