import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { maxJsonBytes } from '../../../core/config.ts'
import { readJson, readMarkdown } from '../../../server/middleware/body.ts'
import { eventually } from '../../support/eventually.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'

const markdownBytes = 2 * 1024 * 1024

/** Answers `/md` with the length of its markdown, and `/json` with its object. */
const echo = (t: Test) =>
  serveMiddleware(t, (app) => {
    app.use(async (ctx) => {
      if (ctx.path === '/unread') ctx.body = 'fine'
      else if (ctx.path === '/json') ctx.body = await readJson(ctx)
      else ctx.body = { length: (await readMarkdown(ctx, markdownBytes)).length }
    })
  })

t.test('markdown is accepted whatever its content type says', async (t) => {
  const { request } = await echo(t)
  for (const type of [
    'application/x-www-form-urlencoded',
    'text/markdown',
    'application/json',
    'nonsense',
    undefined,
  ]) {
    const response = await request('PUT', '/md', {
      body: '# Ä\n',
      headers: type ? { 'Content-Type': type } : {},
    })
    t.strictSame([response.status, response.json], [200, { length: 5 }])
  }
})

t.test('a form without a line end is refused, because curl -d joins a file to one line', async (t) => {
  const { request } = await echo(t)
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const body of ['# Title- one- two', 'ä'.repeat(5000)]) {
    const { status, json } = await request('PUT', '/md', { body, headers: form })
    t.match([status, json.error], [422, /--data-binary .*Content-Type: text\/markdown/])
    t.equal((await request('PUT', '/md', { body, headers: { 'Content-Type': 'text/markdown' } })).status, 200)
    t.equal((await request('PUT', '/md', { body })).status, 200)
  }
  for (const body of ['', '# Title\n', '# Title\r\nText', 'a\rb'])
    t.equal((await request('PUT', '/md', { body, headers: form })).status, 200, JSON.stringify(body))
})

t.test('markdown up to 2 MB is accepted, and one byte more is a 413 that names the limit', async (t) => {
  const { request, url } = await echo(t)
  const exact = await request('PUT', '/md', { body: Buffer.alloc(markdownBytes, 'a') })
  t.equal(exact.status, 200)
  const above = await request('PUT', '/md', { body: Buffer.alloc(markdownBytes + 1, 'a') })
  t.equal(above.status, 413)
  t.match(above.json, { error: /at most 2 MB/, requestId: /^req_/ })

  const chunked = await new Promise<number>((resolve, reject) => {
    const outgoing = httpRequest(`${url}/md`, { method: 'PUT' }, (incoming) => {
      incoming.resume()
      resolve(incoming.statusCode!)
    })
    outgoing.on('error', reject)
    for (let sent = 0; sent <= markdownBytes; sent += 65_536) outgoing.write(Buffer.alloc(65_536, 'a'))
    outgoing.end()
  })
  t.equal(chunked, 413, 'also if the length was not announced')
})

t.test('markdown that is not UTF-8 or contains NUL is 422', async (t) => {
  const { request } = await echo(t)
  for (const body of [Buffer.from([0x23, 0x20, 0xff]), Buffer.from([0xed, 0xa0, 0x80]), '# A\0B']) {
    t.equal((await request('PUT', '/md', { body })).status, 422)
  }
})

t.test('a compressed body is refused with a message', async (t) => {
  const { request } = await echo(t)
  const response = await request('PUT', '/md', { body: 'x', headers: { 'Content-Encoding': 'gzip' } })
  t.equal(response.status, 415)
  t.match(response.json.error, /uncompressed/)
  t.equal(response.headers['accept-encoding'], 'identity')
  const plain = await request('PUT', '/md', { body: 'x', headers: { 'Content-Encoding': 'Identity' } })
  t.equal(plain.status, 200)
})

t.test('JSON must be one object, and no body counts as an empty one', async (t) => {
  const { request, log } = await echo(t)
  t.strictSame((await request('POST', '/json', { body: { a: [1] } })).json, { a: [1] })
  t.strictSame((await request('POST', '/json')).json, {})
  for (const body of ['{', 'secret-text', '[]', 'null', '"text"', '1', Buffer.from([0x22, 0xff, 0x22])]) {
    const response = await request('POST', '/json', { body })
    t.equal(response.status, 400, `${body}`)
  }
  t.notMatch(log.text(), 'secret-text')
})

t.test('JSON above 1 MB is 413', async (t) => {
  const { request } = await echo(t)
  const response = await request('POST', '/json', { body: { text: 'x'.repeat(maxJsonBytes) } })
  t.equal(response.status, 413)
  t.match(response.json.error, /at most 1 MB/)
})

t.test('a connection can be used again after a body that was too long', async (t) => {
  const { url } = await echo(t)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let raw = ''
  socket.on('data', (chunk) => {
    raw += chunk
  })
  const body = Buffer.alloc(markdownBytes + 1, 'a')
  socket.write(`PUT /md HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`)
  socket.write(body)
  socket.write('GET /unread HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await once(socket, 'close')
  t.match(raw, /^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 OK/)
})

t.test('a client that waits for 100 Continue sends its body only if it is wanted', async (t) => {
  const { url } = await echo(t)
  const expecting = (path: string, length: number) =>
    new Promise<{ status: number; continued: boolean; connection: string | undefined }>((resolve, reject) => {
      let continued = false
      const outgoing = httpRequest(`${url}${path}`, {
        method: 'PUT',
        headers: { Expect: '100-continue', 'Content-Length': length },
      })
      outgoing.on('continue', () => {
        continued = true
        outgoing.end(Buffer.alloc(length, 'a'))
      })
      outgoing.on('response', (incoming) => {
        incoming.resume()
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode!, continued, connection: incoming.headers.connection })
          if (!continued) outgoing.destroy()
        })
      })
      outgoing.on('error', reject)
      outgoing.flushHeaders()
    })
  t.match(await expecting('/md', 10), { status: 200, continued: true, connection: undefined })
  t.match(await expecting('/md', markdownBytes + 1), { status: 413, continued: false, connection: 'close' })
  t.match(await expecting('/unread', 10), { status: 200, continued: false, connection: 'close' })
})

t.test('a client that disconnects in the middle of its body is not an error', async (t) => {
  const { url, log } = await echo(t)
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('PUT /md HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this')
  await once(socket, 'connect')
  // The next answer shows that the server has begun with the first request.
  await eventually(async () => (await fetch(`${url}/unread`)).ok)
  socket.destroy()
  const line = await eventually(() => log.lines.find(({ fields }) => fields.path === '/md'))
  t.equal(line.fields.status, 400)
  t.strictSame(
    log.lines.filter(({ level }) => level !== 'info'),
    [],
  )
})
