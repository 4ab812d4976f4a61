import nock from 'nock'
import t from 'tap'
import {
  app,
  diffHeaders,
  forgeRepository,
  linksPath,
  openForge,
  pullRequest,
  token,
} from '../../support/forge.ts'

const { workroom, source, get, expireState, link, linkApp, newProject } = await openForge(t)
const { clock, request } = workroom
const project = '/v1/fs/projects/general'

t.test('the forge is asked once in 30 seconds, only for changes', async (t) => {
  const closed = { state: 'closed' }
  await linkApp(t, [pullRequest(9, closed), pullRequest(8), pullRequest(7), pullRequest(6, closed)], {
    ETag: '"one"',
  })
  expireState()
  const asked = app
    .list()
    .matchHeader('if-none-match', '"one"')
    .matchHeader('authorization', `Bearer ${token}`)
  asked.reply(304)
  const responses = await Promise.all([1, 2, 3].map(() => get(`${project}/pulls`)))
  for (const { json } of responses)
    t.match(json, { stale: false, refreshedAt: clock.now(), pulls: { length: 4 } })
  clock.advance(29_999)
  t.match((await get(`${project}/pulls`)).json, { refreshedAt: clock.now() - 29_999, stale: false })
  clock.advance(1)
  app.list().reply(200, [pullRequest(10), pullRequest(7, { state: 'closed' })], { ETag: '"two"' })
  const { pulls } = (await get(`${project}/pulls`)).json
  t.strictSame(
    pulls.map(({ number }: { number: number }) => number),
    [10, 8, 9, 7, 6],
    'those that are known already are kept',
  )
})

t.test('a diff is requested by media type, else by name, and has a maximum length', async (t) => {
  const { path, diff, diffByName } = await newProject('Diffs', [
    pullRequest(4),
    pullRequest(3),
    pullRequest(2),
    pullRequest(1),
  ])
  diff(1).reply(200, pullRequest(1))
  diffByName(1).reply(200, '+by name\n', { 'Content-Type': 'text/plain' })
  t.match((await get(`${path}/1`)).text, '```diff\n+by name\n```')
  diff(2).reply(406, { message: 'too large' })
  t.match((await get(`${path}/2`)).text, /too large for the forge to show/)
  const line = `+${'x'.repeat(1022)}\n`
  diff(3).reply(200, line.repeat(1025), diffHeaders)
  const { text } = await get(`${path}/3`)
  t.match(text, /Truncated: the diff is longer than 1 MB/)
  t.ok(text.endsWith(`${line}\`\`\`\n`) && text.length > 1024 * 1024)
  diff(4).reply(200, '<html>', { 'Content-Type': 'text/html' })
  diffByName(4).reply(500)
  t.match((await get(`${path}/4`)).text, /## Diff\n\n\(not known yet: the forge answered 500\)\n$/)
})

t.test('a pull request that is in no list is requested by its number', async (t) => {
  const { path, one, diff } = await newProject('Older', [pullRequest(40), pullRequest(39)])
  one(12).reply(200, pullRequest(12))
  diff(12).reply(200, '', diffHeaders)
  t.match((await get(`${path}/12`)).text, /^# #12 Pull 12\n/)
  one(13).reply(404)
  t.match((await get(`${path}/13`)).json, { error: 'not_found', message: /no pull request \\?"13/ })
  for (const name of ['41', '0', '-1', '1e1', '007', 'x', '9'.repeat(12)])
    t.equal((await get(`${path}/${name}`)).status, 404, `${name}, without a request`)
})

t.test('a long list is read page by page, until the known part', async (t) => {
  const numbers = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => pullRequest(from - index))
  const { slug } = (await request('POST', '/v1/fs/projects', { body: { name: 'Long' } })).json
  const { forge, list } = forgeRepository(slug)
  const count = async () => (await request('GET', `/v1/fs/projects/${slug}/pulls`)).json.pulls.length
  list(1).reply(200, numbers(300, 251))
  list(2).reply(500)
  const linked = await link({ dir: 'app', source, forge: forge }, slug)
  t.equal(linked.status, 201, 'the link is created although the forge fails')
  const unknown = await request('GET', `/v1/fs/projects/${slug}/pulls`)
  t.match([unknown.status, unknown.json.message], [503, /not known yet: the forge answered 500/])
  expireState()
  for (const page of [1, 2, 3, 4]) list(page).reply(200, numbers(350 - page * 50, 301 - page * 50))
  t.equal(await count(), 200, 'at most four pages')
  expireState()
  list(1).reply(200, numbers(310, 261), { ETag: '"x"' })
  t.equal(await count(), 210, 'pages older than the known ones are not requested')
})

t.test('a forge is checked when it is linked, and its token is never shown', async (t) => {
  await linkApp(t, [pullRequest(1)])
  const { slug } = (await request('POST', '/v1/fs/projects', { body: { name: 'Checks' } })).json
  const { forge, list } = forgeRepository(slug)
  const cases: [fields: object, message: RegExp][] = [
    [{ api: undefined }, /forge's api/],
    [{ api: 'forge.example' }, /forge's api/],
    [{ api: 'file:///etc' }, /forge's api/],
    [{ api: `https://u:${token}@forge.example` }, /forge's api/],
    [{ api: `https://forge.example/${'x'.repeat(500)}` }, /forge's api/],
    [{ api: 'https://forge.example/?x' }, /forge's api/],
    [{ owner: '..' }, /forge's owner/],
    [{ owner: 'a/b' }, /forge's owner/],
    [{ name: '' }, /forge's name/],
    [{ token: `${token}\r\nX: y` }, /forge's token/],
    [{ token: 7 }, /forge's token/],
    [{ secret: token }, /fields are api, owner, name, token/],
    [{ api: 'http://forge.example' }, /begin with https/],
    [{ api: 'https://127.0.0.1' }, /not public.*outbound\.allow/],
    [{ api: 'https://inside.example' }, /not public/],
  ]
  for (const [fields, message] of cases) {
    const { status, json, text } = await link({ dir: 'x', source, forge: { ...forge, ...fields } }, slug)
    t.match([status, json.error], [400, message], JSON.stringify(fields))
    t.notMatch(text, token)
  }
  for (const [status, message] of [
    [401, /rejects the token/],
    [404, /does not have this/],
  ] as const) {
    list().reply(status)
    t.match((await link({ dir: 'x', source, forge }, slug)).json, { error: message })
  }
  nock('https://forge.example', { badheaders: ['authorization'] })
    .get(/pulls/)
    .reply(200, [])
  t.equal((await link({ dir: 'x', source, forge: { ...forge, token: null } }, slug)).status, 201)
  const second = await link({ dir: 'y', source, forge }, slug)
  t.match([second.status, second.json.error], [409, /has a forge already/])
  t.notMatch((await request('GET', linksPath('general'))).text, token)
  t.notMatch(workroom.log.text(), token)
})

t.test('when the forge does not answer, the last known state is shown with its age', async (t) => {
  const { path, read, list, one } = await newProject('Stale', [pullRequest(1)])
  const { refreshedAt } = await read()
  const failures: [answer: (at: nock.Interceptor) => void, problem: RegExp][] = [
    [(at) => at.reply(500), /answered 500/],
    [
      (at) => at.replyWithError(Object.assign(new Error(), { code: 'ECONNREFUSED' })),
      /cannot be reached \(refused\)/,
    ],
    [
      (at) => at.replyWithError(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
      /cannot be reached \(timeout\)/,
    ],
    [(at) => at.reply(301, '', { Location: 'https://forge.example/other' }), /redirects \(301\)/],
    [(at) => at.reply(401), /rejects the token/],
    [(at) => at.reply(403), /does not let the token/],
    [(at) => at.reply(404), /does not have this at team\/stale/],
    [(at) => at.reply(200, '<html>'), /not a list of pull requests/],
    [(at) => at.reply(200, ' '.repeat(8 * 1024 * 1024 + 1)), /response of the forge is too large/],
  ]
  for (const [answer, problem] of failures) {
    expireState()
    answer(list())
    t.match(await read(), { stale: true, refreshedAt, problem, pulls: [{ number: 1 }] }, String(problem))
    t.match(await read(), { stale: true }, 'the forge is not asked again at once')
  }
  clock.advance(5 * 60 * 1000)
  one(1).reply(502)
  const { status, text } = await get(`${path}/1`)
  t.equal(status, 200)
  const since = new Date(refreshedAt).toISOString()
  t.match(
    text,
    `\n\n> Stale: this is the state of ${since}, 10 minutes ago; the forge answered 502.\n\n- State: open`,
  )
  t.match((await get(`${path}/2`)).json, { message: /not known yet: the forge answered 502/ })
  expireState()
  list().reply(200, [pullRequest(1)])
  t.match(await read(), { stale: false, problem: null, refreshedAt: clock.now() })
  t.notMatch(workroom.log.text(), token)
})

t.test('a forge that asks to wait is not asked before that time', async (t) => {
  const { read, path, list } = await newProject('Peace', [pullRequest(1)])
  const reset = () => String(Math.floor(clock.now() / 1000) + 300)
  const limits: [status: number, headers: () => Record<string, string>, seconds: number][] = [
    [429, () => ({ 'Retry-After': '600' }), 600],
    [403, () => ({ 'Retry-After': new Date(clock.now() + 600_000).toUTCString() }), 600],
    [403, () => ({ 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset() }), 300],
    [503, () => ({ 'Retry-After': '999999999' }), 3600],
  ]
  for (const [status, headers, seconds] of limits) {
    clock.set(Math.ceil(clock.now() / 1000) * 1000 + 30_000)
    list().reply(status, '', headers())
    t.match(await read(), { stale: true })
    clock.advance(seconds * 1000 - 1000)
    t.match(await read(), { stale: true, pulls: [{ number: 1 }] }, 'no request')
    t.match((await get(`${path}/1`)).text, /Stale/)
    clock.advance(2000)
    list().reply(200, [pullRequest(1)])
    t.match(await read(), { stale: false }, `after ${seconds} seconds`)
  }
})

t.test('the forge is asked every ten minutes, also if nobody reads', async (t) => {
  const { path, list } = await newProject('Unread', [pullRequest(1)])
  const asked = list().reply(200, [pullRequest(2)])
  clock.advance(10 * 60 * 1000)
  await workroom.eventually(() => asked.isDone())
  await workroom.eventually(async () => (await get(path)).json.pulls.length === 2)
  t.equal((await get(path)).json.refreshedAt, clock.now())
})
