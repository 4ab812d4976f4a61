import type { Socket } from 'node:net'
import t from 'tap'
import { eventually } from '../../support/eventually.ts'
import { certificate } from './certificate.ts'
import { get, ok, open, openOnClock } from './local-client.ts'
import { receive, receiveTls } from './receiver.ts'

t.test('a request is sent byte for byte as given', async (t) => {
  const { port, received } = await receive(t, { onRequest: (socket) => socket.end(ok) })
  const body = Buffer.from('{"text":"Grüße \u2028 \ud83d\ude80 \\" \0"}\n')
  const response = await open().request({
    ...get(`http://agent.example:${port}/hook?a=b%20c&d=é#fragment`),
    method: 'POST',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'X-Service-Signature': 'sha256=0aF',
      'webhook-id': 'wh_1',
      'X-latin': 'caf\u00e9',
      'x-Empty': '',
    },
    body,
  })
  t.match(response, { kind: 'response', status: 200, body: Buffer.from('ok'), isTruncated: false })
  t.equal(
    received[0],
    [
      'POST /hook?a=b%20c&d=%C3%A9 HTTP/1.1',
      'Content-Type: application/json; charset=utf-8',
      'X-Service-Signature: sha256=0aF',
      'webhook-id: wh_1',
      'X-latin: caf\u00e9',
      'x-Empty: ',
      'User-Agent: Workroom',
      'Accept-Encoding: identity',
      `Content-Length: ${body.length}`,
      `Host: agent.example:${port}`,
      'Connection: close',
      '',
      body.toString('latin1'),
    ].join('\r\n'),
  )
})

t.test('a request without a body says so if its method could have one', async (t) => {
  const { port, received } = await receive(t, { onRequest: (socket) => socket.end(ok) })
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE'] as const) {
    t.match(await open().request(get(`http://127.0.0.1:${port}/`, { method })), { status: 200 })
  }
  t.same(
    received.map((text) => /^Content-Length: .*$/m.exec(text)?.[0]),
    [undefined, undefined, 'Content-Length: 0', 'Content-Length: 0'],
  )
  t.match(received[0], `Host: 127.0.0.1:${port}\r\n`)
})

t.test('a proxy set in the environment is not used', async (t) => {
  const { port } = await receive(t, { onRequest: (socket) => socket.end(ok) })
  const proxy = await receive(t, { onConnection: (socket) => socket.destroy() })
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY']
  const before = { ...process.env }
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
  t.teardown(() => {
    for (const name of names) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  })
  t.match(await open().request(get(`http://agent.example:${port}/`)), { status: 200 })
  t.same(proxy.received, [])
})

t.test('a name is resolved once, and the connection goes to the checked address', async (t) => {
  const { port, received } = await receive(t, { onRequest: (socket) => socket.end(ok) })
  // The address turns private between check and connection, as an attacker's name server would do.
  const answers = [['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1']]
  const asked: string[] = []
  const outbound = open({
    resolve: async (name) => {
      asked.push(name)
      return answers.shift()!
    },
  })
  const request = get(`http://turning.invalid:${port}/`)
  t.match(await outbound.request(request), { status: 200 })
  t.same(asked, ['turning.invalid'])
  t.match(received[0], `Host: turning.invalid:${port}\r\n`)

  t.match(await outbound.request(request), { category: 'blocked_address', detail: '10.0.0.1' })
  t.equal(received.length, 1, 'no connection was opened')
  t.match(await outbound.request(request), { status: 200 })
  t.equal(asked.length, 3, 'every request resolves the name anew')
})

t.test('no connection is opened to a refused address, whatever its notation', async (t) => {
  const receiver = await receive(t, {})
  const outbound = open({ allow: ['10.0.0.0/8', 'other.example', `127.0.0.1:${receiver.port + 1}`] })
  const hosts = [
    '127.0.0.1',
    '127.0.0.1.',
    '2130706433',
    '0x7f.1',
    '017700000001',
    '127.1',
    '0',
    'agent.example',
  ]
  for (const host of [...hosts, 'localhost', '[::1]', '[::ffff:7f00:1]', '[::]']) {
    for (const scheme of ['http', 'https']) {
      const response = await outbound.request(get(`${scheme}://${host}:${receiver.port}/`))
      t.match(response, { kind: 'failure', category: 'blocked_address' }, `${scheme} ${host}`)
    }
  }
  t.same(receiver.received, [])
})

t.test('an allowed address is reached in every notation, and over IPv6', async (t) => {
  const receiver = await receive(t, { onRequest: (socket) => socket.end(ok) })
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'agent.example.']) {
    t.match(await open().request(get(`http://${host}:${receiver.port}/`)), { status: 200 }, host)
  }
  t.match(receiver.received.at(-1), `Host: agent.example:${receiver.port}\r\n`)
  // Uses an IPv6 socket, even on a machine without an IPv6 address.
  const outbound = open({ resolve: async () => ['::ffff:127.0.0.1'] })
  t.match(await outbound.request(get(`http://agent.example:${receiver.port}/`)), { status: 200 })
})

t.test('when one of several checked addresses refuses, the next is tried', async (t) => {
  const { port, received } = await receive(t, { onRequest: (socket) => socket.end(ok) })
  const outbound = open({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.2', '127.0.0.1'] })
  t.match(await outbound.request(get(`http://agent.example:${port}/`)), { status: 200 })
  t.equal(received.length, 1)
})

t.test('TLS verifies the name, whatever the address', async (t) => {
  const names: unknown[] = []
  const { port, received } = await receiveTls(t, {
    onConnection: (socket) => names.push((socket as Socket & { servername: string }).servername),
    onRequest: (socket) => socket.end(ok),
  })
  const outbound = open({ authorities: certificate })
  t.match(await outbound.request(get(`https://receiver.example:${port}/`)), { status: 200 })
  t.match(await outbound.request(get(`https://RECEIVER.example.:${port}/`)), { status: 200 }, 'final dot')
  t.same(names, ['receiver.example', 'receiver.example'])
  t.match(received[1], `Host: receiver.example:${port}\r\n`)

  t.match(
    await outbound.request(get(`https://other.example:${port}/`)),
    { kind: 'failure', category: 'tls', detail: 'ERR_TLS_CERT_ALTNAME_INVALID', status: null },
    'the certificate has another name',
  )
  t.match(await outbound.request(get(`https://127.0.0.1:${port}/`)), { category: 'tls' }, 'no name')
  t.match(
    await open().request(get(`https://receiver.example:${port}/`)),
    { category: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'an authority that is not trusted',
  )
  t.same(received.slice(2).join(''), '', 'no request was sent to any of them')
})

t.test('a TLS failure is distinguished from a failed connection', async (t) => {
  const plain = await receive(t, { onConnection: (socket) => socket.end(ok) })
  const url = (port: number) => get(`https://receiver.example:${port}/`)
  t.match(await open().request(url(plain.port)), { category: 'tls', status: null })
  const gone = await receive(t, { onConnection: (socket) => socket.destroy() })
  t.match(await open().request(url(gone.port)), { category: 'tls', detail: 'ECONNRESET' })
  const silent = await receive(t, {})
  const { clock, outbound: waiting } = openOnClock()
  const unanswered = waiting.request(url(silent.port))
  await eventually(() => silent.open.size === 1)
  clock.advance(10_000)
  t.match(await unanswered, { category: 'timeout', status: null })
  const reset = await receiveTls(t, { onRequest: (socket) => socket.destroy() })
  const outbound = open({ authorities: certificate })
  t.match(await outbound.request(url(reset.port)), { category: 'connection', detail: 'ECONNRESET' })
})

t.test('a port without a listener is a refusal', async (t) => {
  const outbound = open({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1', '127.0.0.2'] })
  const failure = { kind: 'failure', category: 'refused', detail: 'ECONNREFUSED', status: null }
  t.same(await outbound.request(get('http://127.0.0.1:1/')), failure)
  t.same(await outbound.request(get('http://agent.example:1/')), failure, 'on every address')
  t.same(await outbound.request(get('https://agent.example:1/')), failure, 'TLS or not')
})

t.test('a response that breaks off or is not HTTP is a failure', async (t) => {
  const answers: [said: string, failure: object][] = [
    ['', { category: 'connection', status: null }],
    ['HTTP/1.1 200 OK\r\nContent-Le', { category: 'connection', status: null }],
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort', { category: 'connection', status: 200 }],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel',
      { category: 'connection', status: 200 },
    ],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', { category: 'connection', status: 200 }],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nab', { category: 'connection', status: null }],
    [`${ok} and more`, { category: 'connection', status: 200 }],
    ['SSH-2.0-OpenSSH_9.2\r\n', { category: 'connection', status: null }],
    [`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, { category: 'too_large', status: null }],
    [`HTTP/1.1 200 OK\r\n${'X-Many: x\r\n'.repeat(5000)}\r\n`, { category: 'too_large', status: null }],
  ]
  for (const [said, failure] of answers) {
    const { port } = await receive(t, { onRequest: (socket) => socket.end(said) })
    t.match(await open().request(get(`http://127.0.0.1:${port}/`)), { kind: 'failure', ...failure }, said)
  }
  const { port } = await receive(t, { onRequest: (socket) => socket.resetAndDestroy() })
  t.match(await open().request(get(`http://127.0.0.1:${port}/`)), {
    category: 'connection',
    detail: 'ECONNRESET',
  })
})

t.test('a receiver that switches protocols is a failure, and its socket is closed', async (t) => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const receiver = await receive(t, { onRequest: (socket) => socket.write(upgrade) })
  const failure = await open().request(get(`http://127.0.0.1:${receiver.port}/`))
  t.same(failure, { kind: 'failure', category: 'connection', detail: 'upgrade', status: null })
  await eventually(() => receiver.open.size === 0)
})
