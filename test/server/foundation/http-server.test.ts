import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import t from 'tap'
import { listen } from '../../../server/http-server.ts'
import { eventually } from '../../support/eventually.ts'
import { sendRaw } from '../../support/http-client.ts'
import { serveMiddleware } from '../../support/middleware-server.ts'

const bodyOf = (raw: string) => JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4))

t.test('headers above 16 kB are 431, in the shape of their tree and with a request id', async (t) => {
  const { url, request } = await serveMiddleware(t, (app) => {
    app.use((ctx) => {
      ctx.body = 'fine'
    })
  })
  const heavy = `X-Heavy: ${'x'.repeat(17_000)}`
  const inTree = await sendRaw(url, `GET /v1/fs/projects HTTP/1.1\r\nHost: x\r\n${heavy}\r\n\r\n`)
  t.match(inTree, /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/)
  const { error, message, requestId } = bodyOf(inTree)
  t.equal(error, 'bad_request')
  t.match(message, /16 kB/)
  t.match(inTree, `X-Request-Id: ${requestId}\r\n`)

  const elsewhere = await sendRaw(url, `GET /api/rooms HTTP/1.1\r\nHost: x\r\n${heavy}\r\n\r\n`)
  t.match(bodyOf(elsewhere), { error: /16 kB/, requestId: /^req_/ })

  const light = await request('GET', '/', { headers: { 'X-Light': 'x'.repeat(15_000) } })
  t.equal(light.status, 200)
})

t.test('bytes that are not HTTP are 400 with a request id, and the connection ends', async (t) => {
  const { url, log } = await serveMiddleware(t, () => {})
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET /download/secret/x?a=secret HTTP/1.1\r\nHost: x\r\nbroken header\r\n\r\n',
    '\x16\x03\x01\x02\0',
  ]) {
    const raw = await sendRaw(url, bytes)
    t.match(raw, /^HTTP\/1\.1 400 Bad Request\r\n/)
    const { error, requestId } = bodyOf(raw)
    t.type(error, 'string')
    t.match(log.lines.at(-1), { fields: { requestId, status: 400 } }, 'the log has the same id')
  }
  t.match(log.lines[1]?.fields, { path: '/download/…', query: ['a'] })
  t.notMatch(log.text(), 'secret')
})

t.test('a body that arrives too slowly is cut off, and a slow answer is not', async (t) => {
  let finish: (() => void) | null = null
  const { url, request } = await serveMiddleware(
    t,
    (app) => {
      app.use(async (ctx) => {
        if (ctx.method === 'POST') await once(ctx.req.resume(), 'end')
        else await new Promise<void>((resolve) => (finish = resolve))
        ctx.body = 'fine'
      })
    },
    { receiveMs: 2000 },
  )
  const slow = request('GET', '/')
  await eventually(() => finish !== null)
  // The limit of the body begins after that of the other request, which it would have exceeded by its end.
  const dripping = sendRaw(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nonly this')
  t.match(await dripping, /^HTTP\/1\.1 408 [\s\S]*X-Request-Id: req_/)
  finish!()
  t.equal((await slow).status, 200)
})

t.test('an upload may take any time, but is cut off when it pauses', async (t) => {
  const cut: string[] = []
  const { url } = await serveMiddleware(
    t,
    (app, server) => {
      app.use(async (ctx) => {
        server.allowLongBody(ctx.req)
        await once(ctx.req.resume(), 'end').catch(() => cut.push(ctx.path))
        // The time that the answer takes does not count as a pause of the body.
        if (ctx.path === '/steady') await eventually(() => cut.length === 2)
        ctx.body = 'fine'
      })
    },
    { receiveMs: 2000 },
  )
  const { hostname, port } = new URL(url)
  const begin = (path: string) => {
    const socket = connect(Number(port), hostname)
    const upload = { socket, answer: '', closed: once(socket, 'close') }
    socket.on('data', (bytes) => {
      upload.answer += bytes
    })
    const head = 'Host: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    socket.write(`POST ${path} HTTP/1.1\r\n${head}1\r\nx\r\n`)
    return upload
  }
  const steady = begin('/steady')
  const pausing = begin('/pausing')
  // As long as an upload that began later takes to be cut off for its pause.
  await eventually(() => {
    steady.socket.write('1\r\nx\r\n')
    return cut.length === 1
  })
  const late = begin('/late')
  steady.socket.write('0\r\n\r\n')
  await Promise.all([steady, pausing, late].map(({ closed }) => closed))
  t.match(steady.answer, /^HTTP\/1\.1 200 OK/)
  t.same([pausing.answer, late.answer], ['', ''])
  t.same(cut, ['/pausing', '/late'])
})

t.test('a port that is taken is an error, not a crash', async (t) => {
  const { server } = await serveMiddleware(t, () => {})
  const newRequestId = () => 'req_x'
  await t.rejects(listen({ host: '127.0.0.1', port: server.port, newRequestId }), { code: 'EADDRINUSE' })
})

t.test('a stop lets running requests finish, releases held ones and refuses new ones', async (t) => {
  let finish = () => {}
  let running = 0
  const { server, request } = await serveMiddleware(t, (app) => {
    app.use(async (ctx) => {
      running += 1
      if (ctx.path === '/running') await new Promise<void>((resolve) => (finish = resolve))
      if (ctx.path === '/held') await once(ctx.state.stopping, 'abort')
      ctx.body = ctx.path
    })
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  await request('GET', '/idle', { agent })

  const held = request('GET', '/held')
  const slow = request('GET', '/running', { agent })
  await eventually(() => running === 3)
  let isClosed = false
  const closed = server.close().then(() => {
    isClosed = true
  })

  const released = await held
  t.strictSame([released.status, released.text, released.headers.connection], [200, '/held', 'close'])
  await t.rejects(request('GET', '/late'), { code: 'ECONNREFUSED' })
  t.equal(isClosed, false, 'the stop waits for the running request')
  finish()
  const finished = await slow
  t.strictSame([finished.status, finished.text, finished.headers.connection], [200, '/running', 'close'])
  await closed
})

t.test(
  'a request that arrives on an open connection while the server stops is refused with 503',
  async (t) => {
    let finish: (() => void) | null = null
    const { server, url, log } = await serveMiddleware(t, (app) => {
      app.use(async (ctx) => {
        if (ctx.path === '/first') await new Promise<void>((resolve) => (finish = resolve))
        ctx.body = 'fine'
      })
    })
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually(() => finish !== null)

    const closed = server.close()
    socket.write('GET /second HTTP/1.1\r\nHost: x\r\n\r\n')
    const refused = await eventually(() => log.lines.find(({ fields }) => fields.path === '/second'))
    t.equal(refused.fields.status, 503)
    const ended = once(socket, 'close')
    finish!()
    await Promise.all([closed, ended])
    t.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 200 OK[\s\S]*Connection: close/)
  },
)

t.test('a stop does not wait forever', async (t) => {
  let isRunning = false
  const { server, request } = await serveMiddleware(t, (app) => {
    app.use(() => {
      isRunning = true
      return new Promise(() => {})
    })
  })
  const stuck = t.rejects(request('GET', '/'), 'the connection is cut')
  await eventually(() => isRunning)
  await server.close(100)
  await stuck
})

t.test('a connection without any request does not delay a stop', async (t) => {
  const { server, url } = await serveMiddleware(t, () => {})
  const { hostname, port } = new URL(url)
  const silent = connect(Number(port), hostname).on('error', () => {})
  await once(silent, 'connect')
  const closed = once(silent, 'close')
  // A stop that waited for the connection would take a day.
  await server.close(24 * 60 * 60 * 1000)
  await closed
  t.ok(silent.destroyed)
})

t.test('requests from before the server serves wait for it, and end with it if it never does', async (t) => {
  const options = { host: '127.0.0.1', port: 0, newRequestId: () => 'req_1' }
  const upgrade = 'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const post = 'POST /echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody'
  const server = await listen(options)
  t.teardown(() => server.close(0))
  const asked = [sendRaw(server.address, post), sendRaw(server.address, upgrade)]
  const { hostname, port } = new URL(server.address)
  const last = connect(Number(port), hostname)
  await once(last, 'connect')
  server.serve(
    (request, response) => {
      request.pipe(response)
    },
    (request, socket) => void socket.end(`upgraded ${request.url}`),
  )
  t.match(await asked[0], /^HTTP\/1\.1 200 OK[\s\S]*body/)
  t.equal(await asked[1], 'upgraded /live')
  last.destroy()

  const silent = await listen(options)
  const ended = [sendRaw(silent.address, post), sendRaw(silent.address, upgrade)].map((sent) =>
    sent.catch(() => 'reset'),
  )
  await sendRaw(silent.address, 'nonsense\r\n\r\n')
  await silent.close(0)
  for (const end of await Promise.all(ended)) t.match(end, /^(?:reset)?$/)
})

t.test('busy clients do not keep new connections waiting', async (t) => {
  const count = 100
  const { url } = await serveMiddleware(t, (app) => {
    app.use((ctx) => {
      for (const untilMs = performance.now() + 2; performance.now() < untilMs; );
      ctx.body = 'fine'
    })
  })
  const responseCounts = Array.from({ length: count }, () => 0)
  const agents = responseCounts.map(() => new Agent({ keepAlive: true, maxSockets: 1 }))
  t.teardown(() => {
    for (const agent of agents) agent.destroy()
  })
  const ask = (agent: Agent) =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent }, (response) => response.resume().once('end', resolve)).once('error', reject)
    })
  const untilAllAnswered = agents.map(async (agent, client) => {
    do {
      await ask(agent)
      responseCounts[client]! += 1
    } while (responseCounts.includes(0))
  })
  await Promise.all(untilAllAnswered)
  t.ok(
    Math.max(...responseCounts) <= 5,
    `the first client got ${responseCounts[0]} answers before the last one got any`,
  )
})
