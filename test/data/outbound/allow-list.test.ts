import t from 'tap'
import { allowListProblems, requireAllowList } from '../../../data/outbound/allow-list.ts'
import { openOutbound } from '../../../data/outbound/http.ts'

/** Checks a URL with an allow-list, where every name has `addresses`. */
async function judged(allow: string[], url: string, addresses: string[] = []): Promise<string> {
  const failure = await openOutbound({ allow, resolve: async () => addresses }).checkUrl(url)
  return failure ? `${failure.category} ${failure.detail}` : 'allowed'
}

t.test('a listed address may be reached, and the one next to it may not', async (t) => {
  t.equal(await judged(['10.1.2.3'], 'https://10.1.2.3/'), 'allowed')
  t.equal(await judged(['10.1.2.3'], 'https://10.1.2.3:8443/'), 'allowed', 'on every port')
  t.equal(await judged(['10.1.2.3'], 'https://0xa.0x10203/'), 'allowed', 'in every notation')
  t.equal(await judged(['10.1.2.3'], 'https://[::ffff:10.1.2.3]/'), 'allowed', 'mapped')
  t.equal(await judged(['10.1.2.3'], 'https://10.1.2.4/'), 'blocked_address 10.1.2.4')
  t.equal(await judged(['fd00::1'], 'https://[fd00:0::0001]/'), 'allowed')
  t.equal(await judged(['FD00::1'], 'https://[fd00::1]/'), 'allowed')
  t.equal(await judged(['::1'], 'https://[::1]/'), 'allowed')
  t.equal(await judged(['::1'], 'https://127.0.0.1/'), 'blocked_address 127.0.0.1')
  t.equal(await judged(['127.0.0.1'], 'https://[::1]/'), 'blocked_address ::1')
})

t.test('every address of a listed range may be reached, and every name that leads there', async (t) => {
  t.equal(await judged(['10.0.0.0/8'], 'https://10.255.255.255/'), 'allowed')
  t.equal(await judged(['10.0.0.0/8'], 'https://11.0.0.0/'), 'allowed', 'it is public')
  t.equal(await judged(['10.0.0.0/9'], 'https://10.128.0.0/'), 'blocked_address 10.128.0.0')
  t.equal(await judged(['10.0.0.0/8'], 'https://agent.example/', ['10.0.0.7']), 'allowed')
  t.equal(await judged(['10.0.0.0/8'], 'https://agent.example/', ['10.0.0.7', '8.8.8.8']), 'allowed')
  t.equal(
    await judged(['10.0.0.0/8'], 'https://agent.example/', ['10.0.0.7', '192.168.0.1']),
    'blocked_address 192.168.0.1',
  )
  t.equal(await judged(['fd00::/8'], 'https://[fdff::1]/'), 'allowed')
  t.equal(await judged(['fd00::/8'], 'https://[fc00::1]/'), 'blocked_address fc00::1')
  t.equal(await judged(['0.0.0.0/0'], 'https://[::1]/'), 'blocked_address ::1', 'IPv6 is not included')
  t.equal(await judged(['10.1.2.3/32'], 'https://10.1.2.4/'), 'blocked_address 10.1.2.4')
})

t.test('a listed name may lead anywhere, and its subdomains may not', async (t) => {
  t.equal(await judged(['agent.example'], 'https://agent.example/', ['10.0.0.7', '::1']), 'allowed')
  t.equal(await judged(['Agent.Example.'], 'https://AGENT.example./', ['10.0.0.7']), 'allowed')
  t.equal(await judged(['bücher.example'], 'https://xn--bcher-kva.example/', ['10.0.0.7']), 'allowed')
  t.equal(await judged(['agents'], 'https://agents/', ['10.0.0.7']), 'allowed', 'without a dot')
  t.equal(await judged(['my_agent'], 'https://my_agent/', ['10.0.0.7']), 'allowed')
  for (const host of ['a.agent.example', 'agent.example.org', 'xagent.example', 'example']) {
    t.equal(
      await judged(['agent.example'], `https://${host}/`, ['10.0.0.7']),
      'blocked_address 10.0.0.7',
      host,
    )
  }
  t.equal(await judged(['agent.example'], 'https://10.0.0.7/'), 'blocked_address 10.0.0.7', 'by address')
})

t.test('an exception with a port holds for that port alone', async (t) => {
  for (const [entry, host] of [
    ['127.0.0.1:9000', '127.0.0.1'],
    ['[::1]:9000', '[::1]'],
    ['agent.example:9000', 'agent.example'],
  ] as const) {
    t.equal(await judged([entry], `http://${host}:9000/`, ['10.0.0.7']), 'allowed', entry)
    for (const port of ['', ':9001', ':0', ':80']) {
      t.match(
        await judged([entry], `http://${host}${port}/`, ['10.0.0.7']),
        /^blocked_address /,
        entry + port,
      )
    }
  }
  t.equal(await judged(['127.0.0.1:443'], 'https://127.0.0.1/'), 'allowed', 'the port of https')
  t.equal(await judged(['127.0.0.1:80'], 'http://127.0.0.1/'), 'allowed', 'the port of http')
  t.equal(
    await judged(['127.0.0.1:80'], 'http://127.0.0.1:0/'),
    'blocked_address 127.0.0.1',
    'port 0 is not valid',
  )
  t.equal(await judged(['[::1]'], 'http://[::1]:9000/'), 'allowed', 'brackets without a port')
})

t.test('plain HTTP needs an exception for every address', async (t) => {
  t.equal(await judged(['10.0.0.0/8'], 'http://agent.example/', ['10.0.0.7', '10.0.0.8']), 'allowed')
  t.equal(
    await judged(['10.0.0.0/8'], 'http://agent.example/', ['10.0.0.7', '8.8.8.8']),
    'bad_url plain_http',
  )
  t.equal(await judged(['8.8.8.8'], 'http://8.8.8.8/'), 'allowed', 'also for a public address')
  t.equal(await judged(['agent.example'], 'http://agent.example/', ['8.8.8.8']), 'allowed')
  t.equal(await judged(['agent.example'], 'http://8.8.8.8/'), 'bad_url plain_http')
})

t.test('an exception lifts only the check of the address', async (t) => {
  t.equal(await judged(['agent.example'], 'ftp://agent.example/'), 'bad_url scheme')
  t.equal(await judged(['agent.example'], 'https://ada@agent.example/'), 'bad_url credentials')
})

t.test('a listed range of translated addresses does not allow refused addresses within it', async (t) => {
  const nat64 = ['64:ff9b::/96']
  t.equal(await judged(nat64, 'https://[64:ff9b::8.8.8.8]/'), 'allowed')
  t.equal(await judged(nat64, 'https://[64:ff9b::127.0.0.1]/'), 'blocked_address 64:ff9b::7f00:1')
  t.equal(await judged([...nat64, '10.0.0.0/8'], 'https://[64:ff9b::10.0.0.1]/'), 'allowed')
  t.equal(await judged(['10.0.0.0/8'], 'https://[64:ff9b::10.0.0.1]/'), 'blocked_address 64:ff9b::a00:1')
  t.equal(await judged(['2002::/16'], 'https://[2002:7f00:1::1]/'), 'blocked_address 2002:7f00:1::1')
  t.equal(await judged(['2002::/16'], 'https://[2002:808:808::1]/'), 'allowed')
  t.equal(await judged(['2001::/32'], 'https://[2001::80ff:fffe]/'), 'blocked_address 2001::80ff:fffe')
  t.equal(await judged(['2001::/32'], 'https://[2001::f7f7:f7f7]/'), 'allowed')
})

const bad: [entry: string, problem: string][] = [
  ['', 'which is no host, address or range'],
  [' ', 'which is no host, address or range'],
  ['agent example', 'which is no host, address or range'],
  ['agent..example', 'which is no host, address or range'],
  ['ada@agent.example', 'which is no host, address or range'],
  ['agent.example?x', 'which is no host, address or range'],
  ['agent.example:', 'which is no host, address or range'],
  ['agent.example:https', 'which is no host, address or range'],
  ['a:b:c', 'which is no host, address or range'],
  ['256.0.0.1', 'which is no host, address or range'],
  ['10.0.0.1-10.0.0.9', 'which is no host, address or range'],
  ['fe80::1%eth0', 'which is no host, address or range'],
  ['agent.example:0', 'whose port is none from 1 to 65535'],
  ['agent.example:65536', 'whose port is none from 1 to 65535'],
  ['[agent.example]:80', 'which has no IPv6 address in brackets'],
  ['[127.0.0.1]', 'which has no IPv6 address in brackets'],
  ['*', 'which has a *: a name stands for itself alone'],
  ['*.agent.example', 'which has a *: a name stands for itself alone'],
  ['http://agent.example', 'which is a whole address: write its host alone'],
  ['https://10.0.0.1/', 'which is a whole address: write its host alone'],
  ['agent.example/hook', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.0.0.0/', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.0.0.0/33', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.0.0.0/-1', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.0.0.0/255.0.0.0', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.0.0.0/8/8', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10/8', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['fd00::/129', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['fe80::%eth0/10', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.0.0.0/8:80', 'which is no range, such as 10.0.0.0/8 or fd00::/8'],
  ['10.1.2.3/8', 'which does not begin with its first address: write 10.0.0.0/8'],
  ['fd00:1::/8', 'which does not begin with its first address: write fd00::/8'],
  ['10.1', 'which is an address in another notation: write 10.0.0.1'],
  ['0x7f000001', 'which is an address in another notation: write 127.0.0.1'],
  ['010.0.0.1', 'which is an address in another notation: write 8.0.0.1'],
  ['2130706433:80', 'which is an address in another notation: write 127.0.0.1'],
  ['::ffff:10.0.0.1', 'which is IPv4 within IPv6: write it as IPv4'],
  ['::ffff:10.0.0.0/104', 'which is IPv4 within IPv6: write it as IPv4'],
]

t.test('an invalid exception is named, with what to write instead', async (t) => {
  for (const [entry, problem] of bad) {
    t.same(allowListProblems([entry]), [`${JSON.stringify(entry)}, ${problem}`], JSON.stringify(entry))
  }
})

t.test('all invalid entries are named at once, before anything is sent', async (t) => {
  const entries = ['10.1.2.3/8', 'agent.example', '*.example']
  const message = new RegExp(
    '^The list of allowed hosts has ' +
      '"10\\.1\\.2\\.3/8", which does not begin with its first address: write 10\\.0\\.0\\.0/8; ' +
      '"\\*\\.example", which has a \\*: a name stands for itself alone$',
  )
  t.throws(() => requireAllowList(entries), { message })
  t.throws(() => openOutbound({ allow: entries }), { message })
  t.same(allowListProblems([]), [])
  t.same(allowListProblems(['agent.example', '10.0.0.7', '10.0.0.0/8', '[::1]:80', '0.0.0.0/0', '::/0']), [])
})

t.test('plain HTTP without an exception is refused whatever the name servers say', async (t) => {
  const unknown = async (allow: string[], url: string) => {
    const resolve = async () => {
      throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })
    }
    const failure = await openOutbound({ allow, resolve }).checkUrl(url)
    return failure ? `${failure.category} ${failure.detail}` : 'allowed'
  }
  t.equal(await unknown([], 'http://agent.example/'), 'bad_url plain_http')
  t.equal(await unknown(['10.0.0.0/8'], 'http://agent.example/'), 'bad_url plain_http')
  t.equal(await unknown(['agent.example:9000'], 'http://agent.example/'), 'bad_url plain_http')
  t.equal(await unknown(['agent.example:9000'], 'http://agent.example:9000/'), 'dns ENOTFOUND')
  t.equal(await unknown(['agent.example'], 'http://agent.example/'), 'dns ENOTFOUND')
  t.equal(await unknown([], 'https://agent.example/'), 'dns ENOTFOUND')
  t.equal(await judged([], 'http://agent.example/', []), 'bad_url plain_http')
  t.equal(await judged([], 'http://agent.example/', ['93.184.215.14']), 'bad_url plain_http')
})
