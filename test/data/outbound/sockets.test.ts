import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import {
  type Outbound,
  type OutboundOptions,
  type OutboundRequest,
  openOutbound,
  type Resolve,
} from '../../../data/outbound/http.ts'
import { eventually } from '../../support/eventually.ts'
import { certificate } from './certificate.ts'
import { receive, receiveTls } from './receiver.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const here: Resolve = async () => ['127.0.0.1']

/** A client for receivers of this machine; every name leads to them. */
const open = (options: Partial<OutboundOptions> = {}) =>
  openOutbound({ allow: ['127.0.0.1'], resolve: here, ...options })

const get = (url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'GET',
  url,
  timeoutMs: 10_000,
  maxBytes: 64 * 1024,
  ...changes,
})

t.test('what is sent is what was given, byte for byte', async (t) => {
  const { port, heard } = await receive(t, { asked: (socket) => socket.end(ok) })
  const body = Buffer.from('{"text":"Grüße \u2028 \ud83d\ude80 \\" \0"}\n')
  const answer = await open().request({
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
  t.match(answer, { kind: 'answer', status: 200, body: Buffer.from('ok'), isTruncated: false })
  t.equal(
    heard[0],
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

t.test('a request without a body says so where it could have one', async (t) => {
  const { port, heard } = await receive(t, { asked: (socket) => socket.end(ok) })
  for (const method of ['GET', 'HEAD', 'POST', 'DELETE'] as const) {
    t.match(await open().request(get(`http://127.0.0.1:${port}/`, { method })), { status: 200 })
  }
  t.same(
    heard.map((text) => /^Content-Length: .*$/m.exec(text)?.[0]),
    [undefined, undefined, 'Content-Length: 0', 'Content-Length: 0'],
  )
  t.match(heard[0], `Host: 127.0.0.1:${port}\r\n`)
})

t.test('a proxy of the environment is not used', async (t) => {
  const { port } = await receive(t, { asked: (socket) => socket.end(ok) })
  const proxy = await receive(t, { connected: (socket) => socket.destroy() })
  const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY']
  for (const name of names) process.env[name] = `http://127.0.0.1:${proxy.port}`
  t.teardown(() => {
    for (const name of names) delete process.env[name]
  })
  t.match(await open().request(get(`http://agent.example:${port}/`)), { status: 200 })
  t.same(proxy.heard, [])
})

t.test('a name is resolved once, and the connection goes to the address that was checked', async (t) => {
  const { port, heard } = await receive(t, { asked: (socket) => socket.end(ok) })
  // It turns private between the check and the connection, as an attacker's name server would have it.
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
  t.match(heard[0], `Host: turning.invalid:${port}\r\n`)

  t.match(await outbound.request(request), { category: 'blocked_address', detail: '10.0.0.1' })
  t.equal(heard.length, 1, 'no connection')
  t.match(await outbound.request(request), { status: 200 })
  t.equal(asked.length, 3, 'and every request asks anew')
})

t.test('a refused address sees no connection, in whatever notation', async (t) => {
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
      const answer = await outbound.request(get(`${scheme}://${host}:${receiver.port}/`))
      t.match(answer, { kind: 'failure', category: 'blocked_address' }, `${scheme} ${host}`)
    }
  }
  t.same(receiver.heard, [])
})

t.test('an allowed address is reached in every notation, and by IPv6', async (t) => {
  const receiver = await receive(t, { asked: (socket) => socket.end(ok) })
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]', 'agent.example.']) {
    t.match(await open().request(get(`http://${host}:${receiver.port}/`)), { status: 200 }, host)
  }
  t.match(receiver.heard.at(-1), `Host: agent.example:${receiver.port}\r\n`)
  // An IPv6 socket, also where the machine has no IPv6 address.
  const outbound = open({ resolve: async () => ['::ffff:127.0.0.1'] })
  t.match(await outbound.request(get(`http://agent.example:${receiver.port}/`)), { status: 200 })
})

t.test('of several checked addresses the next is tried when one refuses', async (t) => {
  const { port, heard } = await receive(t, { asked: (socket) => socket.end(ok) })
  const outbound = open({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.2', '127.0.0.1'] })
  t.match(await outbound.request(get(`http://agent.example:${port}/`)), { status: 200 })
  t.equal(heard.length, 1)
})

t.test('TLS is spoken to the name, whatever the address', async (t) => {
  const names: unknown[] = []
  const { port, heard } = await receiveTls(t, {
    connected: (socket) => names.push((socket as Socket & { servername: string }).servername),
    asked: (socket) => socket.end(ok),
  })
  const outbound = open({ authorities: certificate })
  t.match(await outbound.request(get(`https://receiver.example:${port}/`)), { status: 200 })
  t.match(await outbound.request(get(`https://RECEIVER.example.:${port}/`)), { status: 200 }, 'with a dot')
  t.same(names, ['receiver.example', 'receiver.example'])
  t.match(heard[1], `Host: receiver.example:${port}\r\n`)

  t.match(
    await outbound.request(get(`https://other.example:${port}/`)),
    { kind: 'failure', category: 'tls', detail: 'ERR_TLS_CERT_ALTNAME_INVALID', status: null },
    'another name',
  )
  t.match(await outbound.request(get(`https://127.0.0.1:${port}/`)), { category: 'tls' }, 'no name')
  t.match(
    await open().request(get(`https://receiver.example:${port}/`)),
    { category: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
    'an authority that nobody trusts',
  )
  t.same(heard.slice(2).join(''), '', 'nothing was said to any of them')
})

t.test('what is no TLS is told apart from what is no connection', async (t) => {
  const plain = await receive(t, { connected: (socket) => socket.end(ok) })
  const url = (port: number) => get(`https://receiver.example:${port}/`)
  t.match(await open().request(url(plain.port)), { category: 'tls', status: null })
  const gone = await receive(t, { connected: (socket) => socket.destroy() })
  t.match(await open().request(url(gone.port)), { category: 'tls', detail: 'ECONNRESET' })
  const silent = await receive(t, {})
  t.match(await open().request({ ...url(silent.port), timeoutMs: 50 }), { category: 'timeout', status: null })
  const reset = await receiveTls(t, { asked: (socket) => socket.destroy() })
  const outbound = open({ authorities: certificate })
  t.match(await outbound.request(url(reset.port)), { category: 'connection', detail: 'ECONNRESET' })
})

t.test('a port where nobody listens refuses', async (t) => {
  const outbound = open({ allow: ['127.0.0.0/8'], resolve: async () => ['127.0.0.1', '127.0.0.2'] })
  const failure = { kind: 'failure', category: 'refused', detail: 'ECONNREFUSED', status: null }
  t.same(await outbound.request(get('http://127.0.0.1:1/')), failure)
  t.same(await outbound.request(get('http://agent.example:1/')), failure, 'on every address')
  t.same(await outbound.request(get('https://agent.example:1/')), failure, 'TLS or not')
})

t.test('an answer that breaks off or is no HTTP is a failure', async (t) => {
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
    const { port } = await receive(t, { asked: (socket) => socket.end(said) })
    t.match(await open().request(get(`http://127.0.0.1:${port}/`)), { kind: 'failure', ...failure }, said)
  }
  const { port } = await receive(t, { asked: (socket) => socket.resetAndDestroy() })
  t.match(await open().request(get(`http://127.0.0.1:${port}/`)), {
    category: 'connection',
    detail: 'ECONNRESET',
  })
})

t.test('a receiver that changes the protocol is a failure, and keeps no socket', async (t) => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
  const receiver = await receive(t, { asked: (socket) => socket.write(upgrade) })
  const failure = await open().request(get(`http://127.0.0.1:${receiver.port}/`))
  t.same(failure, { kind: 'failure', category: 'connection', detail: 'upgrade', status: null })
  await eventually(() => receiver.open.size === 0)
})

t.test('one deadline covers every step, and no socket outlives it', async (t) => {
  const drip = (first: string, drop: string) => (socket: Socket) => {
    socket.write(first)
    const timer = setInterval(() => socket.write(drop), 5)
    socket.on('close', () => clearInterval(timer))
  }
  const steps: [step: string, manners: Parameters<typeof receive>[1], status: number | null][] = [
    ['it accepts and hangs', {}, null],
    ['headers drip', { asked: drip('HTTP/1.1 200 OK\r\nX-Slow: ', 'x') }, null],
    ['the body drips', { asked: drip('HTTP/1.1 200 OK\r\n\r\n', 'x') }, 200],
    [
      'the body hangs',
      { asked: (socket) => socket.write('HTTP/1.1 202 OK\r\nContent-Length: 9\r\n\r\n1') },
      202,
    ],
    ['interim answers drip', { asked: drip('', 'HTTP/1.1 102 Processing\r\n\r\n') }, null],
  ]
  const timeoutMs = 1000
  await Promise.all(
    steps.map(async ([step, manners, status]) => {
      const receiver = await receive(t, manners)
      const startedMs = performance.now()
      const failure = await open().request(get(`http://127.0.0.1:${receiver.port}/`, { timeoutMs }))
      t.same(failure, { kind: 'failure', category: 'timeout', detail: 'deadline', status }, step)
      t.ok(performance.now() - startedMs >= timeoutMs - 1, step)
      t.equal(receiver.heard.length, 1, step)
      await eventually(() => receiver.open.size === 0)
    }),
  )
})

t.test('nor does it outlive an answer that came before the request was read', async (t) => {
  const body = Buffer.alloc(32 * 1024 * 1024, 'x')
  let reader: Socket | undefined
  const receiver = await receive(t, {
    asked(socket) {
      reader = socket.pause()
      socket.write(ok)
    },
  })
  const request = get(`http://127.0.0.1:${receiver.port}/`, { method: 'POST', body })
  t.match(await open().request(request), { status: 200 })
  reader!.resume()
  await eventually(() => receiver.open.size === 0)
  t.ok(receiver.heard[0]!.length < body.length, 'the rest was not sent')
})

t.test('a name server that never answers has until the deadline', async (t) => {
  const outbound = open({ resolve: () => new Promise(() => {}) })
  t.match(await outbound.request(get('https://agent.example/', { timeoutMs: 30 })), {
    category: 'timeout',
    status: null,
  })
})

t.test('a gigabyte is cut at the limit, and takes no memory', async (t) => {
  const block = Buffer.alloc(1024 * 1024, 'x')
  const pour = (socket: Socket) => {
    let left = 1024
    const more = () => {
      while (left > 0 && socket.writable) {
        left -= 1
        if (!socket.write(block)) return void socket.once('drain', more)
      }
      socket.end()
    }
    more()
  }
  let bytesTaken = 0
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${1024 * block.length}\r\n\r\n`
  const receiver = await receive(t, {
    asked(socket) {
      socket.on('close', () => {
        bytesTaken = socket.bytesWritten
      })
      socket.write(head)
      pour(socket)
    },
  })
  const maxBytes = 64 * 1024
  for (const whenTooLarge of ['cut', 'fail'] as const) {
    bytesTaken = 0
    const before = process.memoryUsage().arrayBuffers
    const answer = await open().request(get(`http://127.0.0.1:${receiver.port}/`, { maxBytes, whenTooLarge }))
    const grown = process.memoryUsage().arrayBuffers - before
    if (whenTooLarge === 'cut') {
      t.match(answer, { status: 200, isTruncated: true })
      t.ok('body' in answer && answer.body.equals(block.subarray(0, maxBytes)))
    } else t.same(answer, { kind: 'failure', category: 'too_large', detail: 'body', status: 200 })
    await eventually(() => bytesTaken > 0)
    t.ok(bytesTaken < 64 * 1024 * 1024, `the receiver got rid of ${bytesTaken} bytes`)
    t.ok(grown < 16 * 1024 * 1024, `${grown} bytes more in memory`)
  }
})

t.test('a gzip bomb stays packed', async (t) => {
  const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024))
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
  const { port } = await receive(t, {
    asked: (socket) => socket.end(Buffer.concat([Buffer.from(head), bomb])),
  })
  const answer = await open().request(get(`http://127.0.0.1:${port}/`))
  t.match(answer, { status: 200, headers: { 'content-encoding': 'gzip' }, isTruncated: false })
  t.ok('body' in answer && answer.body.equals(bomb))
})

t.test('a receiver that hangs holds its own sockets alone, and there are only so many', async (t) => {
  const hanging = await receive(t, {})
  let underWay = 0
  let maxUnderWay = 0
  const quick = await receive(t, {
    asked(socket) {
      underWay += 1
      maxUnderWay = Math.max(maxUnderWay, underWay)
      setImmediate(() => {
        underWay -= 1
        socket.end(ok)
      })
    },
  })
  const outbound = open({ sockets: { total: 3, perHost: 2 } })
  const stop = new AbortController()
  const hung = Array.from({ length: 6 }, () =>
    outbound.request(get(`http://hanging.example:${hanging.port}/`), stop.signal),
  )
  await eventually(() => hanging.open.size === 2)
  const quickUrl = `http://quick.example:${quick.port}/`
  const answers = await Promise.all(Array.from({ length: 20 }, () => outbound.request(get(quickUrl))))
  for (const answer of answers) t.match(answer, { status: 200 })
  t.equal(maxUnderWay, 1, 'one of three was left')
  t.equal(hanging.heard.length, 2)

  stop.abort()
  for (const result of await Promise.allSettled(hung)) {
    t.match(result, { status: 'rejected', reason: { name: 'AbortError' } })
  }
  await eventually(() => hanging.open.size === 0)
  t.equal(hanging.heard.length, 2, 'those who waited never connected')
})

t.test('who waited for a turn has it in order, and a deadline of its own', async (t) => {
  const { port, heard } = await receive(t, {
    asked: (socket, request) => void (request.startsWith('GET /hang') || socket.end(ok)),
  })
  const outbound = open({ sockets: { total: 1, perHost: 1 } })
  const first = outbound.request(get(`http://127.0.0.1:${port}/hang`, { timeoutMs: 1100 }))
  // Each has less time than the first one takes.
  const rest = [1, 2, 3].map((n) =>
    outbound.request(get(`http://127.0.0.1:${port}/${n}`, { timeoutMs: 1000 })),
  )
  t.match(await first, { category: 'timeout' })
  for (const answer of await Promise.all(rest)) t.match(answer, { status: 200 })
  t.same(
    heard.map((text) => text.split(' ')[1]),
    ['/hang', '/1', '/2', '/3'],
  )
})

t.test('a failure of any kind gives the turn back', async (t) => {
  const outbound = open({ sockets: { total: 1, perHost: 1 } })
  const { port } = await receive(t, { connected: (socket) => socket.end(ok) })
  for (const url of ['https://10.0.0.1/', 'ftp://a/', 'http://127.0.0.1:1/', `https://127.0.0.1:${port}/`]) {
    t.match(await outbound.request(get(url)), { kind: 'failure' })
  }
  await t.rejects(outbound.request(get(`http://127.0.0.1:${port}/`, { headers: { Host: 'x' } })), TypeError)
  await t.rejects(outbound.request(get(`http://127.0.0.1:${port}/`), AbortSignal.abort()), {
    name: 'AbortError',
  })
  t.match(await outbound.request(get(`http://127.0.0.1:${port}/`)), { status: 200 })
})

t.test('a signal ends a request at every step, with its reason', async (t) => {
  const reason = new Error('The server stops')
  const hanging = await receive(t, {})
  const half = await receive(t, { asked: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf') })
  let isAsked = false
  const silent = open({
    resolve: () => {
      isAsked = true
      return new Promise(() => {})
    },
  })
  const steps: { outbound: Outbound; url: string; reached: () => unknown }[] = [
    { outbound: silent, url: 'https://agent.example/', reached: () => isAsked },
    { outbound: open(), url: `http://127.0.0.1:${hanging.port}/`, reached: () => hanging.heard[0] },
    { outbound: open(), url: `https://127.0.0.1:${hanging.port}/`, reached: () => hanging.heard[1] },
    { outbound: open(), url: `http://127.0.0.1:${half.port}/`, reached: () => half.heard[0] },
  ]
  for (const { outbound, url, reached } of steps) {
    const stop = new AbortController()
    const request = outbound.request(get(url), stop.signal)
    await eventually(reached)
    stop.abort(reason)
    await t.rejects(request, reason, url)
    t.same(getEventListeners(stop.signal, 'abort'), [])
  }
  await eventually(() => hanging.open.size + half.open.size === 0)

  const heard = hanging.heard.length
  await t.rejects(open().request(get(steps[1]!.url), AbortSignal.abort(reason)), reason, 'before it began')
  await t.rejects(open().checkUrl(steps[1]!.url, AbortSignal.abort(reason)), reason)
  t.equal(hanging.heard.length, heard)
})

t.test('a signal that outlives many requests keeps nothing of them', async (t) => {
  const { port } = await receive(t, { asked: (socket) => socket.end(ok) })
  const stop = new AbortController()
  const warnings: Error[] = []
  const warn = (warning: Error) => void warnings.push(warning)
  process.on('warning', warn)
  t.teardown(() => process.off('warning', warn))
  const outbound = open({ sockets: { total: 10, perHost: 10 } })
  await Promise.all(
    Array.from({ length: 40 }, () => outbound.request(get(`http://127.0.0.1:${port}/`), stop.signal)),
  )
  t.same(getEventListeners(stop.signal, 'abort'), [])
  await new Promise(setImmediate)
  t.same(warnings, [])
})
