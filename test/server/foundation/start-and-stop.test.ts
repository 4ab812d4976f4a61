import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { startServer } from '../../../server/index.ts'
import { startWorkroom } from '../../support/workroom.ts'

t.test('links use the public address if one is set, and else the address that is listened on', async (t) => {
  const direct = await startWorkroom(t)
  const path = '/v1/fs/projects/general/docs/welcome.md'
  t.match((await direct.request('GET', path)).headers, { 'x-service-url': direct.url })
  await t.test('behind a public address', async (t) => {
    const { request } = await startWorkroom(t, { config: { publicUrl: 'https://work.example.org' } })
    t.match((await request('GET', path)).headers, {
      'x-service-url': /^https:\/\/work\.example\.org\/projects\//,
    })
    t.match((await request('GET', '/v1/fs')).text, "url='https://work.example.org'\n")
  })
})

t.test('a write that is running when the server stops is answered and kept', async (t) => {
  const { request, url, owner, close, restart } = await startWorkroom(t)
  const path = '/v1/fs/projects/general/docs/last.md'
  const body = '# Last\n\nWords.\n'
  const headers = {
    Authorization: `Bearer ${owner.key}`,
    Expect: '100-continue',
    'Content-Length': body.length,
  }
  const writing = httpRequest(url + path, { method: 'PUT', headers })
  writing.flushHeaders()
  // The server asks for the body, so the write has begun.
  await once(writing, 'continue')
  const closed = close()
  writing.end(body)
  const [response] = (await once(writing, 'response')) as [IncomingMessage]
  t.equal(response.statusCode, 201)
  response.resume()
  await closed
  await restart()
  t.match((await request('GET', path)).text, /Words\.\n$/)
})

t.test('a start that cannot serve fails at once and leaves nothing open', async (t) => {
  const { home, restart } = await startWorkroom(t)
  await t.rejects(startServer({ home, config: defaultConfig, port: 0 }), { name: 'HomeLockedError' })
  await t.rejects(startServer({ home: `${home}-missing`, config: defaultConfig, port: 0 }), {
    code: 'not_found',
  })
  await restart(async () => {
    const config = { ...defaultConfig, host: '192.0.2.1' }
    await t.rejects(startServer({ home, config, port: 0 }), { code: 'EADDRNOTAVAIL' })
  })
})

t.test('a server listens before it reads its workspace, and early requests wait', async (t) => {
  const { home, owner, log, close } = await startWorkroom(t)
  await close()
  const headers = { Authorization: `Bearer ${owner.key}` }
  const early: Promise<{ status: number; text: string }>[] = []
  const server = await startServer({
    home,
    config: defaultConfig,
    port: 0,
    log,
    onListening: (port) => {
      const ask = (path: string) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers }).then(async (response) => ({
          status: response.status,
          text: await response.text(),
        }))
      early.push(ask('/v1/fs/projects/general/docs/welcome.md'), ask('/healthz'))
    },
  })
  t.teardown(() => server.close())
  const [document, health] = await Promise.all(early)
  t.match(document, { status: 200, text: /Welcome/ })
  t.match(health, { status: 200 })
})

t.test('a request in the log has its member and no key', async (t) => {
  const { request, owner, log } = await startWorkroom(t)
  const response = await request('GET', '/v1/fs/me/api-key')
  t.match(
    log.lines.find(({ fields }) => fields.requestId === response.headers['x-request-id']),
    { fields: { memberId: owner.member.id, method: 'GET', path: '/v1/fs/me/api-key', status: 200 } },
  )
  t.notMatch(log.text(), owner.key)
})
