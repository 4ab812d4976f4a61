import { getEventListeners } from 'node:events'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import type { Outbound } from '../../../data/outbound/http.ts'
import { eventually } from '../../support/eventually.ts'
import { get, ok, open, openOnClock } from './local-client.ts'
import { receive } from './receiver.ts'

t.test('one deadline covers every step, and closes the socket', async (t) => {
  let drops = 0
  const drip =
    (first: string, drop: string, count = Number.POSITIVE_INFINITY) =>
    (socket: Socket) => {
      socket.write(first)
      const timer = setInterval(() => {
        socket.write(drop)
        drops += 1
        if (drops === count) clearInterval(timer)
      }, 5)
      socket.on('close', () => clearInterval(timer))
    }
  const steps: [step: string, manners: Parameters<typeof receive>[1], status: number | null][] = [
    ['it accepts and hangs', {}, null],
    ['headers drip', { onRequest: drip('HTTP/1.1 200 OK\r\nX-Slow: ', 'x') }, null],
    ['the body drips', { onRequest: drip('HTTP/1.1 200 OK\r\n\r\n', 'x') }, 200],
    ['the body hangs', { onRequest: drip('HTTP/1.1 202 OK\r\nContent-Length: 99\r\n\r\n1', 'x', 10) }, 202],
    ['interim answers drip', { onRequest: drip('', 'HTTP/1.1 102 Processing\r\n\r\n') }, null],
  ]
  for (const [step, manners, status] of steps) {
    const receiver = await receive(t, manners)
    const { clock, outbound } = openOnClock()
    let hasEnded = false
    drops = 0
    const requested = outbound
      .request(get(`http://127.0.0.1:${receiver.port}/`, { timeoutMs: 1000 }))
      .finally(() => {
        hasEnded = true
      })
    await eventually(() => receiver.received[0]?.includes('\r\n\r\n'))
    // By then the client has read the first of what the receiver sends.
    if (manners.onRequest) await eventually(() => drops >= 10)
    clock.advance(999)
    await new Promise((resolve) => setImmediate(resolve))
    t.notOk(hasEnded, step)
    clock.advance(1)
    const failure = { kind: 'failure', category: 'timeout', detail: 'deadline', status }
    t.same(await requested, failure, step)
    t.equal(receiver.received.length, 1, step)
    await eventually(() => receiver.open.size === 0)
  }
})

t.test('a response before the request has been read closes the socket', async (t) => {
  const body = Buffer.alloc(32 * 1024 * 1024, 'x')
  let reader: Socket | undefined
  const receiver = await receive(t, {
    onRequest(socket) {
      reader = socket.pause()
      socket.write(ok)
    },
  })
  const request = get(`http://127.0.0.1:${receiver.port}/`, { method: 'POST', body })
  t.match(await open().request(request), { status: 200 })
  reader!.resume()
  await eventually(() => receiver.open.size === 0)
  t.ok(receiver.received[0]!.length < body.length, 'the rest of the body was not sent')
})

t.test('a name server that never answers fails the request at the deadline', async (t) => {
  let isAsked = false
  const { clock, outbound } = openOnClock({
    resolve: () => {
      isAsked = true
      return new Promise(() => {})
    },
  })
  const requested = outbound.request(get('https://agent.example/', { timeoutMs: 30 }))
  await eventually(() => isAsked)
  clock.advance(30)
  t.match(await requested, { category: 'timeout', status: null })
})

t.test('a response of a gigabyte is cut at the limit and takes no memory', async (t) => {
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
    onRequest(socket) {
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
    const response = await open().request(
      get(`http://127.0.0.1:${receiver.port}/`, { maxBytes, whenTooLarge }),
    )
    const grown = process.memoryUsage().arrayBuffers - before
    if (whenTooLarge === 'cut') {
      t.match(response, { status: 200, isTruncated: true })
      t.ok('body' in response && response.body.equals(block.subarray(0, maxBytes)))
    } else t.same(response, { kind: 'failure', category: 'too_large', detail: 'body', status: 200 })
    await eventually(() => bytesTaken > 0)
    t.ok(bytesTaken < 64 * 1024 * 1024, `the receiver sent ${bytesTaken} bytes`)
    t.ok(grown < 16 * 1024 * 1024, `${grown} bytes more in memory`)
  }
})

t.test('a gzip bomb is not decompressed', async (t) => {
  const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024))
  const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
  const { port } = await receive(t, {
    onRequest: (socket) => socket.end(Buffer.concat([Buffer.from(head), bomb])),
  })
  const response = await open().request(get(`http://127.0.0.1:${port}/`))
  t.match(response, { status: 200, headers: { 'content-encoding': 'gzip' }, isTruncated: false })
  t.ok('body' in response && response.body.equals(bomb))
})

t.test('a receiver that hangs blocks only its own, limited share of sockets', async (t) => {
  const hanging = await receive(t, {})
  let underWay = 0
  let maxUnderWay = 0
  const quick = await receive(t, {
    onRequest(socket) {
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
  const responses = await Promise.all(Array.from({ length: 20 }, () => outbound.request(get(quickUrl))))
  for (const response of responses) t.match(response, { status: 200 })
  t.equal(maxUnderWay, 1, 'one of three sockets was free')
  t.equal(hanging.received.length, 2)

  stop.abort()
  for (const result of await Promise.allSettled(hung)) {
    t.match(result, { status: 'rejected', reason: { name: 'AbortError' } })
  }
  await eventually(() => hanging.open.size === 0)
  t.equal(hanging.received.length, 2, 'the waiting requests never connected')
})

t.test('waiting requests run in order, each with a deadline of its own', async (t) => {
  const { port, received } = await receive(t, {
    onRequest: (socket, request) => void (request.startsWith('GET /hang') || socket.end(ok)),
  })
  const { clock, outbound } = openOnClock({ sockets: { total: 1, perHost: 1 } })
  const first = outbound.request(get(`http://127.0.0.1:${port}/hang`, { timeoutMs: 1100 }))
  // Each has less time than the first request takes.
  const rest = [1, 2, 3].map((n) =>
    outbound.request(get(`http://127.0.0.1:${port}/${n}`, { timeoutMs: 1000 })),
  )
  await eventually(() => received[0]?.startsWith('GET /hang'))
  clock.advance(1100)
  t.match(await first, { category: 'timeout' })
  for (const response of await Promise.all(rest)) t.match(response, { status: 200 })
  t.same(
    received.map((text) => text.split(' ')[1]),
    ['/hang', '/1', '/2', '/3'],
  )
})

t.test('a failure of any kind frees its socket', async (t) => {
  const outbound = open({ sockets: { total: 1, perHost: 1 } })
  const { port } = await receive(t, { onConnection: (socket) => socket.end(ok) })
  for (const url of ['https://10.0.0.1/', 'ftp://a/', 'http://127.0.0.1:1/', `https://127.0.0.1:${port}/`]) {
    t.match(await outbound.request(get(url)), { kind: 'failure' })
  }
  await t.rejects(outbound.request(get(`http://127.0.0.1:${port}/`, { headers: { Host: 'x' } })), TypeError)
  await t.rejects(outbound.request(get(`http://127.0.0.1:${port}/`), AbortSignal.abort()), {
    name: 'AbortError',
  })
  t.match(await outbound.request(get(`http://127.0.0.1:${port}/`)), { status: 200 })
})

t.test('a signal aborts a request at every step, with its reason', async (t) => {
  const reason = new Error('The server stops')
  const hanging = await receive(t, {})
  const half = await receive(t, { onRequest: (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhalf') })
  let isAsked = false
  const silent = open({
    resolve: () => {
      isAsked = true
      return new Promise(() => {})
    },
  })
  const steps: { outbound: Outbound; url: string; reached: () => unknown }[] = [
    { outbound: silent, url: 'https://agent.example/', reached: () => isAsked },
    { outbound: open(), url: `http://127.0.0.1:${hanging.port}/`, reached: () => hanging.received[0] },
    { outbound: open(), url: `https://127.0.0.1:${hanging.port}/`, reached: () => hanging.received[1] },
    { outbound: open(), url: `http://127.0.0.1:${half.port}/`, reached: () => half.received[0] },
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

  const receivedBefore = hanging.received.length
  await t.rejects(open().request(get(steps[1]!.url), AbortSignal.abort(reason)), reason, 'at the start')
  await t.rejects(open().checkUrl(steps[1]!.url, AbortSignal.abort(reason)), reason)
  t.equal(hanging.received.length, receivedBefore)
})

t.test('a signal has no listeners left after many requests', async (t) => {
  const { port } = await receive(t, { onRequest: (socket) => socket.end(ok) })
  const stop = new AbortController()
  const warnings: Error[] = []
  const warn = (warning: Error) => {
    if (warning.name === 'MaxListenersExceededWarning') warnings.push(warning)
  }
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
