import t from 'tap'
import { type OutboundFailure, openOutbound, type Resolve } from '../../../data/outbound/http.ts'
import fc from '../../support/seeded-properties.ts'

const noName: Resolve = async (name) => {
  throw new Error(`Nothing is to be resolved, but ${name} was`)
}

/** Checks a URL. @returns `public`, or category and detail */
async function judged(url: string, resolve = noName): Promise<string> {
  const failure: OutboundFailure | null = await openOutbound({ allow: [], resolve }).checkUrl(url)
  return failure ? `${failure.category} ${failure.detail}` : 'public'
}

/** Checks the URL of a name with these addresses. */
const judgedName = (...addresses: string[]) => judged('https://name.example/', async () => addresses)

/** The first and last address of each IPv4 range that is not public. */
const ranges: [first: string, last: string, what: string][] = [
  ['0.0.0.0', '0.255.255.255', 'unspecified'],
  ['10.0.0.0', '10.255.255.255', 'private'],
  ['100.64.0.0', '100.127.255.255', 'carrier-grade NAT, with the metadata of one cloud'],
  ['127.0.0.0', '127.255.255.255', 'loopback'],
  ['168.63.129.16', '168.63.129.16', "the host of another cloud's machines"],
  ['169.254.0.0', '169.254.255.255', 'link-local, with the metadata of most clouds'],
  ['172.16.0.0', '172.31.255.255', 'private'],
  ['192.0.0.0', '192.0.0.255', 'protocol assignments'],
  ['192.0.2.0', '192.0.2.255', 'documentation'],
  ['192.88.99.0', '192.88.99.255', 'relays of 6to4'],
  ['192.168.0.0', '192.168.255.255', 'private'],
  ['198.18.0.0', '198.19.255.255', 'benchmarks'],
  ['198.51.100.0', '198.51.100.255', 'documentation'],
  ['203.0.113.0', '203.0.113.255', 'documentation'],
  ['224.0.0.0', '239.255.255.255', 'multicast'],
  ['240.0.0.0', '255.255.255.255', 'reserved, and broadcast'],
]

t.test('IPv4 addresses that are not public are refused, first and last of each range', async (t) => {
  for (const [first, last, what] of [
    ...ranges,
    ['169.254.169.254', '169.254.169.254', 'metadata'] as const,
  ]) {
    for (const address of [first, last]) {
      t.equal(await judged(`https://${address}/`), `blocked_address ${address}`, what)
      t.equal(await judgedName(address), `blocked_address ${address}`, `${what}, by name`)
    }
  }
})

t.test('the addresses next to each refused range are public', async (t) => {
  const neighbours = [
    '1.0.0.0',
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
  ]
  for (const address of neighbours) {
    t.equal(await judged(`https://${address}/hook`), 'public', address)
    t.equal(await judgedName(address), 'public', `${address}, by name`)
  }
})

t.test('IPv6 addresses that are not public are refused', async (t) => {
  const refused: [address: string, what: string][] = [
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::2', 'nothing'],
    ['::7f00:1', '127.0.0.1 as it was written once'],
    ['::ffff:7f00:1', '127.0.0.1, mapped'],
    ['::ffff:808:808', '8.8.8.8, mapped: nobody has a reason to write it so'],
    ['::ffff:0:7f00:1', '127.0.0.1, translated'],
    ['64:ff9b::7f00:1', '127.0.0.1 behind NAT64'],
    ['64:ff9b::808:808', '8.8.8.8 behind NAT64'],
    ['64:ff9b:1::a00:1', 'behind NAT64 of the local network'],
    ['64:ff9b:1:ffff:ffff:ffff:ffff:ffff', 'its end'],
    ['100::1', 'discard'],
    ['2001::1', 'Teredo'],
    ['2001:0:ffff:ffff:ffff:ffff:ffff:ffff', 'its end'],
    ['2001:2::1', 'benchmarks'],
    ['2001:20::1', 'ORCHID'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::1', '127.0.0.1 behind 6to4'],
    ['2002:808:808::1', '8.8.8.8 behind 6to4'],
    ['2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'its end'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'not given out'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'metadata of a cloud'],
    ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'its end'],
    ['fe80::1', 'link-local'],
    ['febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'its end'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'its end'],
  ]
  for (const [address, what] of refused) {
    t.equal(await judged(`https://[${address}]/`), `blocked_address ${address}`, what)
    t.equal(await judgedName(address), `blocked_address ${address}`, `${what}, by name`)
  }
  t.equal(await judgedName('fe80::1%eth0'), 'blocked_address fe80::1%eth0', 'with a zone')
  t.equal(await judgedName('::ffff:10.0.0.1'), 'blocked_address ::ffff:10.0.0.1', 'mapped, with dots')
})

t.test('public IPv6 addresses are accepted', async (t) => {
  for (const address of [
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2a00:1450:4001::1',
    '2400:cb00::1',
  ]) {
    t.equal(await judged(`https://[${address}]/`), 'public', address)
    t.equal(await judgedName(address), 'public', `${address}, by name`)
  }
})

t.test('127.0.0.1 is refused in every notation that a URL can have', async (t) => {
  const hosts = [
    '127.0.0.1',
    '127.0.0.1.',
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0X7F000001',
    '0x7f.1',
    '127.1',
    '127.0.1',
    '0177.0.0.1',
    '0177.0.0.01',
    '00000177.0.0.1',
    '0x7f.0x0.0x0.0x1',
    '0x7f.0.0.1',
    '127.0x0.000.1',
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    '１２７.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '127．0．0．1',
    '127\u00ad.0.0.1',
    '12\t7.0.0.1',
    '12\n7.0.0.1',
  ]
  for (const host of hosts) {
    for (const url of [
      `https://${host}/`,
      `http://${host}:8080/x`,
      `HTTPS:${host}`,
      ` https:\\\\${host}\\`,
    ]) {
      t.equal(await judged(url), 'blocked_address 127.0.0.1', JSON.stringify(url))
    }
  }
  for (const host of ['[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]']) {
    t.equal(await judged(`https://${host}/`), 'blocked_address ::1', host)
  }
  for (const host of ['[::ffff:127.0.0.1]', '[::FFFF:7F00:0001]', '[0:0:0:0:0:ffff:127.0.0.1]']) {
    t.equal(await judged(`https://${host}/`), 'blocked_address ::ffff:7f00:1', host)
  }
  for (const host of ['0', '00', '0x0', '0x', '0.0', '0.0.0.0', '0.']) {
    t.equal(await judged(`https://${host}/`), 'blocked_address 0.0.0.0', host)
  }
})

t.test('a host that is not an address in any notation is not read as one', async (t) => {
  t.equal(await judged('https://[fe80::1%25eth0]/'), 'bad_url unreadable', 'a zone')
  t.equal(await judged('https://[fe80::1%eth0]/'), 'bad_url unreadable')
  t.equal(await judged('https://[::1/'), 'bad_url unreadable', 'half a bracket')
  t.equal(await judged('https://::1/'), 'bad_url unreadable', 'no brackets')
  t.equal(await judged('https://[127.0.0.1]/'), 'bad_url unreadable', 'IPv4 in brackets')
  t.equal(await judged('https://127.0.0.1.1/'), 'bad_url unreadable', 'five parts')
  t.equal(await judged('https://256.0.0.1/'), 'bad_url unreadable', 'a part too large')
  t.equal(await judged('https://4294967296/'), 'bad_url unreadable', 'a number too large')
  t.equal(await judged('https://0x7g/', async () => ['8.8.8.8']), 'public', 'a name, not a number')
})

t.test('a URL that is not a web address is refused', async (t) => {
  for (const url of [
    '',
    'agent.example',
    '/hook',
    '//agent.example',
    'https://',
    'https:// a/',
    'https://a b/',
  ]) {
    t.equal(await judged(url), 'bad_url unreadable', JSON.stringify(url))
  }
  for (const url of ['https://./', 'https://unix/run/docker.sock:/info', 'https://agent.example:65536/']) {
    t.equal(await judged(url), 'bad_url unreadable', url)
  }
  const schemes = ['ftp', 'file', 'ws', 'wss', 'gopher', 'data', 'javascript', 'unix', 'localhost', 'ldap']
  for (const scheme of schemes) t.equal(await judged(`${scheme}://agent.example/`), 'bad_url scheme', scheme)
  for (const user of ['ada@', 'ada:secret@', ':secret@', 'agent.example:80@', '%61@']) {
    t.equal(await judged(`https://${user}127.0.0.1/`), 'bad_url credentials', user)
  }
})

t.test('a name is resolved once, in the form that name servers know', async (t) => {
  const asked: string[] = []
  const resolve: Resolve = async (name) => {
    asked.push(name)
    return ['93.184.215.14']
  }
  for (const host of [
    'agent.example',
    'AGENT.Example.',
    'bücher.example',
    'xn--bcher-kva.example',
    'ａ.example',
  ]) {
    t.equal(await judged(`https://${host}:8443/hook?a#b`, resolve), 'public', host)
  }
  t.same(asked, [
    'agent.example',
    'agent.example',
    'xn--bcher-kva.example',
    'xn--bcher-kva.example',
    'a.example',
  ])
})

t.test('every one of several addresses must be public', async (t) => {
  t.equal(await judgedName('93.184.215.14', '2606:2800:21f::1'), 'public')
  t.equal(await judgedName('93.184.215.14', '10.0.0.1'), 'blocked_address 10.0.0.1')
  t.equal(await judgedName('10.0.0.1', '93.184.215.14'), 'blocked_address 10.0.0.1')
  t.equal(await judgedName('93.184.215.14', '::1'), 'blocked_address ::1')
  t.equal(
    await judgedName(...Array(50).fill('93.184.215.14'), '169.254.169.254'),
    'blocked_address 169.254.169.254',
  )
})

t.test('a name without a usable address is a DNS failure', async (t) => {
  const failing =
    (code: string): Resolve =>
    async () =>
      Promise.reject(Object.assign(new Error(), { code }))
  t.equal(await judged('https://name.example/', failing('ENOTFOUND')), 'dns ENOTFOUND')
  t.equal(await judged('https://name.example/', failing('ETIMEOUT')), 'dns ETIMEOUT')
  t.equal(await judgedName(), 'dns ENODATA')
  for (const answer of ['', '127.1', '0x7f000001', '010.0.0.1', 'localhost', '8.8.8.8/32', '[::1]']) {
    t.equal(await judgedName(answer), 'dns EBADRESP', `${answer} is no address`)
  }
})

t.test('plain HTTP to the internet is refused', async (t) => {
  t.equal(await judged('http://8.8.8.8/'), 'bad_url plain_http')
  t.equal(await judged('http://name.example/', async () => ['8.8.8.8']), 'bad_url plain_http')
  t.equal(await judged('http://name.example/', async () => ['10.0.0.1']), 'blocked_address 10.0.0.1')
})

const toNumber = (address: string) =>
  address.split('.').reduce((number, part) => number * 256 + Number(part), 0)
const toDotted = (number: number) => [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.')
const hexOf = (number: number) => `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`

/** A random address of a refused range. */
const refusedNumbers = fc
  .constantFrom(...ranges)
  .chain(([first, last]) => fc.integer({ min: toNumber(first), max: toNumber(last) }))

/** One part of an IPv4 address in any notation. */
const parts: ((value: number) => string)[] = [
  (value) => `${value}`,
  (value) => `0${value.toString(8)}`,
  (value) => `000${value.toString(8)}`,
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase()}`,
  (value) => `0x000${value.toString(16)}`,
]
const part = fc.constantFrom(...parts)

/** Ways to write the characters of a host that mean the same. */
const disguises: ((host: string) => string)[] = [
  (host) => host,
  (host) => `${host}.`,
  (host) => host.replaceAll('.', '。'),
  (host) => host.replace(/[0-9a-z]/gi, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)),
  (host) => host.replace(/./g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  (host) => host.replace(/^./, '$&\t'),
]

/** A host in one to four parts, the last of which holds the rest. */
const notations = fc
  .tuple(fc.integer({ min: 0, max: 3 }), part, part, part, part, fc.constantFrom(...disguises))
  .map(([leading, ...rest]) => {
    const disguise = rest[4]
    const writers = rest.slice(0, 4) as typeof parts
    return (number: number) => {
      const bytes = toDotted(number).split('.').map(Number)
      const last = number % 256 ** (4 - leading)
      const written = bytes.slice(0, leading).map((byte, at) => writers[at]!(byte))
      return disguise([...written, writers[3]!(last)].join('.'))
    }
  })

t.test('an IPv4 address of a refused range is refused in every notation', async (t) => {
  let judgements = 0
  await fc.assert(
    fc.asyncProperty(refusedNumbers, notations, async (number, write) => {
      judgements += 1
      const url = `https://${write(number)}/`
      return (await judged(url)) === `blocked_address ${toDotted(number)}`
    }),
    { numRuns: 3000, seed: 1 },
  )
  t.ok(judgements >= 3000)
})

t.test('an IPv4 address of a refused range is refused within IPv6', async (t) => {
  let judgements = 0
  const carriers: ((number: number) => string)[] = [
    (number) => `::ffff:${toDotted(number)}`,
    (number) => `::ffff:${hexOf(number)}`,
    (number) => `0:0:0:0:0:FFFF:${hexOf(number)}`,
    (number) => `::ffff:0:${toDotted(number)}`,
    (number) => `::${hexOf(number)}`,
    (number) => `64:ff9b::${toDotted(number)}`,
    (number) => `64:ff9b:1::${hexOf(number)}`,
    (number) => `2002:${hexOf(number)}::1`,
    (number) => `2001:0:808:808::${hexOf(~number >>> 0)}`,
    (number) => `2001:0:${hexOf(number)}::1`,
  ]
  await fc.assert(
    fc.asyncProperty(refusedNumbers, fc.constantFrom(...carriers), async (number, carry) => {
      judgements += 1
      const address = carry(number)
      const found = [await judged(`https://[${address}]/`), await judgedName(address)]
      return found.every((judgement) => judgement.startsWith('blocked_address '))
    }),
    { numRuns: 2000, seed: 2 },
  )
  t.ok(judgements >= 2000)
})

t.test('every other IPv4 address is accepted in every notation', async (t) => {
  const isRefused = (number: number) =>
    ranges.some(([first, last]) => number >= toNumber(first) && number <= toNumber(last))
  // Public addresses for special purposes, which are left out here.
  const special = /^(192\.175\.48|192\.31\.196|192\.52\.193)\./
  const others = fc
    .integer({ min: 0, max: 2 ** 32 - 1 })
    .filter((number) => !isRefused(number) && !special.test(toDotted(number)))
  let passed = 0
  await fc.assert(
    fc.asyncProperty(others, notations, async (number, write) => {
      passed += 1
      return (await judged(`https://${write(number)}/`)) === 'public'
    }),
    { numRuns: 1000, seed: 3 },
  )
  t.ok(passed >= 1000)
})
