import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { startWorkroom } from '../../support/workroom.ts'

const bad = { key: 'wr_nobodys' }

t.test('without a valid key every path under /api and /v1 is 401, known or not', async (t) => {
  const { request } = await startWorkroom(t)
  const paths = [
    '/v1/fs',
    '/v1/fs/nothing',
    '/v1',
    '/v1/',
    '/v1/fs/%zz',
    '/api',
    '/api/rooms',
    '/api/nothing',
  ]
  for (const path of paths) {
    for (const method of ['GET', 'PATCH', 'OPTIONS', 'HEAD']) {
      const response = await request(method, path, { key: undefined })
      t.equal(response.status, 401, `${method} ${path}`)
      t.equal(response.headers['www-authenticate'], 'Bearer')
    }
  }
  t.match((await request('GET', '/v1/fs/x', { key: undefined })).json, {
    error: 'unauthorized',
    message: String,
  })
  t.match((await request('GET', '/api/x', { key: undefined })).json, { error: /Bearer/ })
  t.equal(
    (await request('GET', '/V1/fs', { key: undefined })).status,
    404,
    'another spelling is no way around it',
  )
})

t.test('a key is read after Bearer in any case, and any other form is 401', async (t) => {
  const { request, owner } = await startWorkroom(t)
  const ask = (authorization: string) =>
    request('GET', '/v1/fs/me/api-key', { key: undefined, headers: { Authorization: authorization } })
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
    t.equal((await ask(`${scheme} ${owner.key}`)).status, 200, scheme)
  }
  for (const header of [owner.key, `Basic ${owner.key}`, 'Bearer', 'Bearer ', `Bearer ${owner.key} x`]) {
    const response = await ask(header)
    t.strictSame([response.status, response.headers['www-authenticate']], [401, 'Bearer'], header)
  }
  const unknown = await ask('Bearer wr_unknown')
  t.strictSame([unknown.status, unknown.headers['www-authenticate']], [401, undefined])
  t.match(unknown.json.message, /Ask an owner or admin for a new one/, 'the message says how to get another')
})

t.test('a key shows whom it acts as, and never itself', async (t) => {
  const { request, addMember } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent', scopes: ['documents:read', 'cards:read'] })
  const response = await request('GET', '/v1/fs/me/api-key', { key: bot.key })
  t.match(response.headers['content-type'], /^text\/plain/)
  t.equal(
    response.text,
    `memberId: ${bot.member.id}\nname: Bot\ntype: agent\nrole: member\nworkspace: testers\nscopes: documents:read cards:read\n`,
  )
})

t.test('changes of keys and members on the command line take effect at the next request', async (t) => {
  const { request, home, addMember } = await startWorkroom(t)
  const bot = await addMember({ name: 'Bot', type: 'agent' })
  const status = async (key: string) => (await request('GET', '/v1/fs/me/api-key', { key })).status
  t.equal(await status(bot.key), 200)

  const beside = openForCommandLine(home)
  t.teardown(() => beside.close())
  const added = await beside.members.addKey(bot.member.id)
  t.equal(await status(added.key), 200)
  await beside.members.revokeKey(added.id)
  t.equal(await status(added.key), 401)
  await beside.members.setStatus(bot.member.id, 'deactivated')
  t.equal(await status(bot.key), 401)
})

t.test('after more than ten invalid keys every key from that address waits', async (t) => {
  const { request, clock, log, owner } = await startWorkroom(t)
  const read = (options = {}) => request('GET', '/v1/fs/me/api-key', options)
  for (let n = 0; n < 10; n++) {
    for (let again = 0; again < 3; again++) t.equal((await read({ key: `${bad.key}${n}` })).status, 401)
    t.equal((await read({ key: undefined })).status, 401, 'no key is no attempt')
    t.equal((await read()).status, 200, 'a valid key resets nothing')
  }
  t.equal((await read({ key: `${bad.key}3` })).status, 401, 'a key is counted once')
  for (const options of [bad, {}]) {
    const response = await read(options)
    t.equal(response.status, 429)
    t.equal(response.headers['retry-after'], '900')
    t.match(response.json, { error: 'bad_request', message: /900 seconds/ })
  }
  t.equal((await read({ key: undefined })).status, 401)
  t.equal((await request('GET', '/healthz', { key: undefined })).status, 200)
  clock.advance(15 * 60 * 1000)
  t.equal((await read()).status, 200, 'attempts meanwhile did not count')
  t.notMatch(log.text(), owner.key)
  t.notMatch(log.text(), bad.key)
})

t.test('X-Forwarded-For is ignored unless a proxy is trusted', async (t) => {
  const direct = await startWorkroom(t)
  let guesses = 0
  const from = (address: string) => {
    guesses += 1
    return { key: `wr_guess${guesses}`, headers: { 'X-Forwarded-For': address } }
  }
  for (let n = 0; n < 10; n++) await direct.request('GET', '/v1/fs', from(`192.0.2.${n}`))
  t.equal((await direct.request('GET', '/v1/fs', from('192.0.2.99'))).status, 429)

  await t.test('behind a proxy', async (t) => {
    const { request } = await startWorkroom(t, { config: { trustProxy: true } })
    for (let n = 0; n < 10; n++) await request('GET', '/v1/fs', from(`10.0.0.${n}, 2001:db8:0:1::${n}`))
    t.equal(
      (await request('GET', '/v1/fs', from('2001:db8:0:1:ffff::1'))).status,
      429,
      'one /64 is one address',
    )
    t.equal((await request('GET', '/v1/fs', from('2001:db8:0:2::1'))).status, 401)
  })
})

t.test('an operator can limit the requests of each key', async (t) => {
  const limits = { ...defaultConfig.limits, requestsPerMinute: 3 }
  const { request, clock, addMember } = await startWorkroom(t, { config: { limits } })
  const other = await addMember({ name: 'Bot', type: 'agent' })
  const read = (key?: string) => request('GET', '/v1/fs/me/api-key', key ? { key } : {})
  for (let n = 0; n < 3; n++) {
    t.equal((await read()).status, 200)
    clock.advance(1000)
  }
  const refused = await read()
  t.strictSame([refused.status, refused.headers['retry-after']], [429, '57'])
  t.match(refused.json.message, /57 seconds/)
  t.equal((await read(other.key)).status, 200)
  clock.advance(57_000)
  t.equal((await read()).status, 200)
})
