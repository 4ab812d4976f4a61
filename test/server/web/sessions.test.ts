import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const days = 24 * 60 * 60 * 1000
const page = '/account/sessions'

const workroom = await startWorkroom(t)
const { clock, home, owner, addMember, eventually } = workroom
const signedIn = (key = owner.key, userAgent?: string) =>
  new ScriptlessBrowser(workroom, userAgent).signIn(key)
const isSignedIn = async (browser: ScriptlessBrowser) => (await browser.open(page)).status === 200
const json = { 'Content-Type': 'application/json' }
const ours = { Origin: workroom.url, 'Sec-Fetch-Site': 'same-origin' }

t.test('a browser’s session reads /api and /v1 as its member, with every scope of their type', async (t) => {
  const bot = await addMember({ name: 'Bot', type: 'agent' })
  const person = await signedIn()
  const agent = await signedIn(bot.key)
  for (const [browser, expected] of [
    [person, /^memberId: mem_\w+\nname: Ada\n[\s\S]*scopes: \*\n$/],
    [agent, /\nname: Bot\n[\s\S]*scopes: rooms:read rooms:write [\s\S]* webhooks:write\n$/],
  ] as const) {
    t.match((await browser.send('GET', '/v1/fs/me/api-key')).text, expected)
  }
  t.equal((await person.send('HEAD', '/api/rooms')).status, 200)
  t.equal((await person.send('GET', '/metrics')).status, 200)
})

t.test('a session can change something only from our own pages and with its CSRF token', async (t) => {
  const browser = await signedIn()
  const other = await signedIn()
  const token = { 'X-CSRF-Token': await browser.csrf() }
  const post = (headers: Record<string, string>) =>
    browser.send('POST', '/api/rooms/general/messages', { ...json, ...headers }, '{"body":"Hello"}')
  const refused = [
    {},
    ours,
    token,
    { ...ours, 'X-CSRF-Token': '' },
    { ...ours, 'X-CSRF-Token': await other.csrf() },
    { ...token, Origin: 'https://evil.example' },
    { ...token, ...ours, 'Sec-Fetch-Site': 'cross-site' },
  ]
  for (const headers of refused) {
    const response = await post(headers)
    t.match([response.status, response.json], [403, { error: String, requestId: String }])
  }
  t.equal((await post({ ...ours, ...token })).status, 201)
  const put = await browser.send('PUT', '/v1/fs/projects/general/docs/x.md', ours, '# X\n')
  t.match([put.status, put.json], [403, { error: 'forbidden', message: /CSRF token/ }])
})

t.test('a request with a key acts as the key’s member, whatever its cookie', async (t) => {
  const bot = await addMember({ name: 'Keyed', type: 'agent' })
  const browser = await signedIn()
  const read = (Authorization: string) => browser.send('GET', '/v1/fs/me/api-key', { Authorization })
  t.match((await read(`Bearer ${bot.key}`)).text, /\nname: Keyed\n/)
  t.match([(await read('Bearer wr_unknown')).status, (await read('Basic x')).status], [401, 401])
  const Authorization = `Bearer ${bot.key}`
  const post = await browser.send('POST', '/api/presence', { ...json, Authorization }, '{}')
  t.equal(post.status, 200, 'a key needs no CSRF token')
})

t.test('an invalid session cookie counts as no cookie, not as an invalid key', async (t) => {
  const browser = new ScriptlessBrowser(workroom)
  for (let n = 0; n < 12; n++) {
    browser.cookie = `workroom_session=${n % 2 === 0 ? 'x' : 'A'.repeat(43)}`
    const response = await browser.send(n % 3 === 0 ? 'POST' : 'GET', '/api/rooms')
    t.match([response.status, response.headers['www-authenticate']], [401, 'Bearer'])
  }
  t.equal((await workroom.request('GET', '/api/rooms')).status, 200)
})

t.test('members see where they are signed in, and can end any of their sessions', async (t) => {
  const { key } = await addMember({ name: 'Grace', type: 'human' })
  const agents = [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1 (KHTML, like Gecko) Version/17.5 Safari/605.1',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605 CriOS/126 Mobile Safari/604.1',
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36',
    'curl/8.5.0',
    '',
  ]
  const browsers = []
  for (const userAgent of agents) browsers.push(await signedIn(key, userAgent))
  const phone = browsers[2]!
  const { text } = await phone.open(page)
  t.same(
    [...text.matchAll(/<strong>(.+?)<\/strong>/g)].map(([, device]) => device),
    [
      'An unknown browser',
      'curl/8.5.0',
      'Chrome on Android',
      'Chrome on iPhone',
      'Edge on Windows',
      'Safari on Mac',
    ],
  )
  t.match(text, /Chrome on iPhone<\/strong> <span class="tag">this browser/)
  t.match(text, /<time datetime="\d{4}-\d\d-\d\dT[\d:.]+Z">\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/)

  const csrf = await phone.csrf()
  const [, ending] = /Safari on Mac[\s\S]*?action="([^"]+)"/.exec(text)!
  t.equal((await phone.submit(ending!, {})).status, 403)
  t.equal((await phone.submit(ending!, { csrf }, { 'Sec-Fetch-Site': 'cross-site' })).status, 403)
  t.ok(await isSignedIn(browsers[0]!))
  t.equal((await phone.submit(ending!, { csrf })).headers.location, page)
  t.notOk(await isSignedIn(browsers[0]!))
  t.ok(await isSignedIn(phone))
  const again = await phone.submit(ending!, { csrf })
  t.match([again.status, again.text], [404, /has already ended/])

  const [foreign] = workroom.workspace.signin.sessions.list(owner.member)
  t.equal((await phone.submit(`${page}/${foreign!.id}/end`, { csrf })).status, 404)
  t.equal(workroom.workspace.signin.sessions.list(owner.member)[0]!.id, foreign!.id, "nobody ends another's")
})

t.test('signing out ends the session and removes the cookie', async (t) => {
  const browser = await signedIn()
  const { cookie } = browser
  const csrf = await browser.csrf()
  t.equal((await browser.submit('/signout', { csrf: 'x' })).status, 403)
  t.equal((await browser.open('/signout')).status, 405, 'a link cannot sign anyone out')
  const response = await browser.submit('/signout', { csrf })
  t.match([response.status, response.headers.location], [303, '/signin'])
  t.equal(response.headers['clear-site-data'], '"cache"', 'Back shows no page of the session')
  t.equal(browser.cookie, null)
  browser.cookie = cookie
  t.notOk(await isSignedIn(browser))
  t.equal((await browser.submit('/signout', { csrf })).headers.location, '/signin', 'repeating it is safe')
})

t.test('signing in again ends the browser’s previous session', async (t) => {
  const browser = await signedIn()
  const former = browser.cookie
  await browser.signIn(owner.key)
  t.not(browser.cookie, former)
  t.ok(await isSignedIn(browser))
  browser.cookie = former
  t.notOk(await isSignedIn(browser))
})

t.test('signing out everywhere ends sessions and sign-in links, but no key', async (t) => {
  const browsers = [await signedIn(), await signedIn()]
  const { sessions } = workroom.workspace.signin
  const { signinLinks } = workroom.workspace.stores
  const { path } = await signinLinks.issue(owner.member)
  const { cursor } = (await browsers[1]!.send('GET', '/v1/events?wait=0')).json
  const held = browsers[1]!.send('GET', `/v1/events?wait=40&since=${cursor}`)
  await eventually(() => workroom.workspace.events.live.waiterCount === 1)
  const response = await browsers[0]!.submit(`${page}/end`, { csrf: await browsers[0]!.csrf() })
  t.equal(response.headers.location, '/signin')
  t.match(await held, { status: 401, json: { error: /no longer valid/ } }, 'so do held requests')
  for (const browser of browsers) t.notOk(await isSignedIn(browser))
  t.same(sessions.list(owner.member), [])
  t.equal((await new ScriptlessBrowser(workroom).submit(path, {})).status, 404)
  t.equal((await workroom.request('GET', '/api/rooms')).status, 200)
})

t.test('deactivating a member ends their sessions for good; revoking the key does not', async (t) => {
  const { key, member } = await addMember({ name: 'Brief', type: 'human' })
  const browser = await signedIn(key)
  const beside = openForCommandLine(home)
  t.teardown(() => beside.close())
  await beside.members.revokeKey(beside.members.keys(member.id)[0]!.id)
  t.ok(await isSignedIn(browser))
  await beside.members.change(member.id, { name: 'Renamed' })
  t.match((await browser.open(page)).text, 'Renamed')
  await beside.members.setStatus(member.id, 'deactivated')
  t.notOk(await isSignedIn(browser))
  t.equal((await browser.send('GET', '/api/rooms')).status, 401)
  await beside.members.setStatus(member.id, 'active')
  t.notOk(await isSignedIn(browser))
})

t.test('a session lasts for 30 days after its last use, and survives a restart', async (t) => {
  const browser = await signedIn()
  const unused = await signedIn()
  clock.advance(20 * days)
  t.ok(await isSignedIn(browser))
  await workroom.restart()
  clock.advance(20 * days)
  t.ok(await isSignedIn(browser))
  t.notOk(await isSignedIn(unused))
  t.equal(workroom.workspace.signin.sessions.list(owner.member).length, 1)
  clock.advance(30 * days)
  t.notOk(await isSignedIn(browser))
})

t.test('a member has at most 50 sessions; one more ends the least recently used', async (t) => {
  const { sessions } = workroom.workspace.signin
  const { key, member } = await addMember({ name: 'Keen', type: 'human' })
  const first = await signedIn(key)
  const signIn = () => sessions.signInByKey(key, { userAgent: '', formerToken: null })
  await Promise.all(Array.from({ length: 49 }, signIn))
  t.ok(await isSignedIn(first))
  await signIn()
  t.equal(sessions.list(member).length, 50)
  t.notOk(await isSignedIn(first))
})

t.test('a browser gets errors as pages, a program as JSON', async (t) => {
  const browser = new ScriptlessBrowser(workroom)
  const led = await browser.open('/projects/general/docs/x?tab=1')
  t.match(
    [led.status, led.headers.location],
    [303, '/signin?next=%2Fprojects%2Fgeneral%2Fdocs%2Fx%3Ftab%3D1'],
  )
  t.equal((await browser.open('/')).headers.location, '/signin', 'the home page needs no `next`')
  await browser.signIn(owner.key)
  const missing = await browser.open('/projects/nothing/here')
  t.match([missing.status, missing.headers['content-type']], [404, 'text/html; charset=utf-8'])
  t.match(missing.headers['content-security-policy'], /default-src 'none'/)
  t.match(missing.text, /<h1>Not found<\/h1>[\s\S]*<small>req_/)
  t.equal((await browser.open('/download/x/y')).headers['content-type'], 'text/html; charset=utf-8')
  for (const path of ['/api/nothing', '/v1/fs/nothing']) {
    t.match(await browser.open(path), { status: 404, json: { requestId: String } })
  }
  t.match(await browser.send('GET', '/nothing', { Accept: '*/*' }), { status: 404, json: { error: String } })
  const anonymous = new ScriptlessBrowser(workroom)
  t.match(await anonymous.send('GET', '/', { Accept: '*/*' }), {
    status: 401,
    json: { error: /use \/v1\/fs/ },
  })
  t.match(await anonymous.send('POST', '/', { Accept: 'text/html' }), { status: 405 })
  t.match(await anonymous.open('/api/rooms'), { status: 401, headers: { 'www-authenticate': 'Bearer' } })
})

t.test('with HTTPS at the proxy, the session cookie is secure', async (t) => {
  const limits = { ...defaultConfig.limits, requestsPerMinute: 3 }
  const behind = await startWorkroom(t, { config: { trustProxy: true, limits } })
  const browser = new ScriptlessBrowser(behind)
  const response = await browser.submit(
    '/signin',
    { key: behind.owner.key },
    { 'X-Forwarded-Proto': 'https', Host: 'work.example', Origin: 'https://work.example' },
  )
  t.match([response.status, response.headers['set-cookie']], [303, [/; secure; httponly$/]])

  await t.test('the rate limit applies to a session, apart from that of a key', async (t) => {
    for (let n = 0; n < 3; n++) t.equal((await browser.send('GET', '/api/rooms')).status, 200)
    t.equal((await browser.send('GET', '/api/rooms')).status, 429)
    t.equal((await behind.request('GET', '/api/rooms')).status, 200)
  })
})
