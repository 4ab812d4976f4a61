import t from 'tap'
import { resolveNames } from '../../../data/outbound/dns.ts'
import { openOutbound } from '../../../data/outbound/http.ts'
import { eventually } from '../../support/eventually.ts'
import { openOnClock } from './local-client.ts'
import { serveNames } from './name-server.ts'

const nothingLocal = () => false
/** A signal that is never aborted. */
const unhurried = () => new AbortController().signal

t.test('a name has the IPv4 and IPv6 addresses that its name server answers', async (t) => {
  const { server } = await serveNames(t, {
    'both.example': { four: ['93.184.215.14', '93.184.215.15'], six: ['2606:2800:21f:0:0:0:0:1'] },
    'four.example': { four: ['10.0.0.1'] },
    'six.example': { six: ['fd00:0:0:0:0:0:0:1'] },
    'none.example': {},
  })
  const resolve = resolveNames({ isLocal: nothingLocal, servers: [server] })
  t.same(await resolve('both.example', unhurried()), ['93.184.215.14', '93.184.215.15', '2606:2800:21f::1'])
  t.same(await resolve('four.example', unhurried()), ['10.0.0.1'])
  t.same(await resolve('six.example', unhurried()), ['fd00::1'])
  await t.rejects(resolve('none.example', unhurried()), { code: 'ENODATA' })
  await t.rejects(resolve('unknown.example', unhurried()), { code: 'ENOTFOUND' })
})

t.test('localhost is this machine, and no name server is asked', async (t) => {
  const { server, asked } = await serveNames(t, { 'agent.localhost': { four: ['93.184.215.14'] } })
  const resolve = resolveNames({ isLocal: nothingLocal, servers: [server] })
  for (const name of ['localhost', 'agent.localhost']) {
    t.same(await resolve(name, unhurried()), ['127.0.0.1', '::1'])
  }
  t.same(asked, [])
  const outbound = openOutbound({ allow: [], resolve })
  t.match(await outbound.checkUrl('https://localhost/'), { category: 'blocked_address', detail: '127.0.0.1' })
})

t.test('a name listed as local is resolved by the machine, not by name servers', async (t) => {
  const { server, asked } = await serveNames(t, {})
  const resolve = resolveNames({ isLocal: (name) => name === '127.0.0.1', servers: [server] })
  t.same(await resolve('127.0.0.1', unhurried()), ['127.0.0.1'], 'the machine resolves at least this one')
  t.same(asked, [])
})

t.test('names whose server never answers do not delay others, and end with their signal', async (t) => {
  const silent = Array.from({ length: 40 }, (_, n) => `silent-${n}.example`)
  const { server, asked } = await serveNames(t, {
    ...Object.fromEntries(silent.map((name) => [name, 'silence' as const])),
    'quick.example': { four: ['93.184.215.14'] },
  })
  const resolve = resolveNames({ isLocal: nothingLocal, servers: [server] })
  const stops = silent.map(() => new AbortController())
  const ended: string[] = []
  const waiting = silent.map((name, at) => resolve(name, stops[at]!.signal).finally(() => ended.push(name)))
  t.same(await resolve('quick.example', unhurried()), ['93.184.215.14'])
  t.same(ended, [], 'they still wait')
  for (const stop of stops) stop.abort()
  for (const result of await Promise.allSettled(waiting)) {
    t.match(result, { status: 'rejected', reason: { code: 'ECANCELLED' } })
  }
  t.ok(silent.every((name) => asked.includes(name)))
})

t.test('a request to a name whose server never answers ends with its deadline', async (t) => {
  const { server, asked } = await serveNames(t, { 'silent.example': 'silence' })
  const { clock, outbound } = openOnClock({
    allow: [],
    resolve: resolveNames({ isLocal: nothingLocal, servers: [server] }),
  })
  const request = { method: 'GET', url: 'https://silent.example/', timeoutMs: 40, maxBytes: 10 } as const
  const requested = outbound.request(request)
  await eventually(() => asked.includes('silent.example'))
  clock.advance(40)
  t.same(await requested, {
    kind: 'failure',
    category: 'timeout',
    detail: 'deadline',
    status: null,
  })
})

t.test('an address from a name server is checked like any other', async (t) => {
  const { server } = await serveNames(t, {
    'mixed.example': { four: ['93.184.215.14'], six: ['0:0:0:0:0:0:0:1'] },
    'mapped.example': { six: ['0:0:0:0:0:ffff:a9fe:a9fe'] },
    'compatible.example': { six: ['0:0:0:0:0:0:a9fe:a9fe'] },
    'public.example': { four: ['93.184.215.14'], six: ['2606:2800:21f:0:0:0:0:1'] },
  })
  const outbound = openOutbound({
    allow: [],
    resolve: resolveNames({ isLocal: nothingLocal, servers: [server] }),
  })
  for (const [name, address] of [
    ['mixed', '::1'],
    ['mapped', '::ffff:169.254.169.254'],
    ['compatible', '::169.254.169.254'],
  ] as const) {
    t.match(
      await outbound.checkUrl(`https://${name}.example/`),
      { category: 'blocked_address', detail: address },
      name,
    )
  }
  t.equal(await outbound.checkUrl('https://public.example/'), null)
  t.match(await outbound.checkUrl('https://unknown.example/'), { category: 'dns', detail: 'ENOTFOUND' })
})
