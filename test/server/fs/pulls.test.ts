import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import nock from 'nock'
import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { defaultConfig } from '../../../core/config.ts'
import { cardsNamedIn } from '../../../core/pulls/linked-cards.ts'
import { openOutbound } from '../../../data/outbound/http.ts'
import { makeRepository } from '../../support/code-repository.ts'
import { startWorkroom } from '../../support/workroom.ts'

const addresses: Record<string, string> = { 'inside.example': '10.0.0.1' }
const roots = join(t.testdirName, 'code')
const room = await startWorkroom(t, {
  config: { ...defaultConfig, repositories: { roots: [roots] } },
  prepare: () => void mkdirSync(roots),
  faults: {
    outbound: openOutbound({ allow: [], resolve: async (name) => [addresses[name] ?? '93.184.216.34'] }),
  },
})
const { clock, request, workspace } = room
const { path: source } = makeRepository(join(roots, 'app.git'), { a: '1' })
const bot = await room.addMember({ name: 'Bot', type: 'agent' }, 'general')
const guest = await room.addMember({ name: 'Grace', type: 'human' })
const project = '/v1/fs/projects/general'

nock.disableNetConnect()
nock.enableNetConnect('127.0.0.1')
t.teardown(() => nock.restore())
t.afterEach(() => {
  const missed = nock.pendingMocks()
  nock.cleanAll()
  if (missed.length > 0) throw new Error(`Nobody asked for ${missed}.`)
})

const token = 'ghp_hunter2'
const api = 'https://forge.example/api/v1'
const links = (slug: string) => `/v1/projects/${slug}/repositories`
const link = (body: object, slug = 'general') => request('POST', links(slug), { body })
const get = (path: string, key = bot.key) => request('GET', path, { key })
/** Advances the clock past the time for which the known state counts as fresh. */
const later = () => clock.advance(30_000)

/** A pull request as a forge sends it. */
const pull = (number: number, fields: object = {}) => ({
  number,
  title: `Pull ${number}`,
  state: 'open',
  draft: false,
  merged_at: null,
  head: { ref: `branch-${number}`, sha: String(number).padStart(40, 'a') },
  base: { ref: 'main', sha: 'b'.repeat(40) },
  user: { login: 'grace' },
  body: null,
  html_url: `https://forge.example/team/app/pulls/${number}`,
  updated_at: new Date(1_750_000_000_000 + number * 1000).toISOString(),
  ...fields,
})
const at = (number: number) => 1_750_000_000_000 + number * 1000

/** A repository at the forge: the fields of its link, and the expected requests. Each project has another. */
function forgeOf(name: string) {
  const base = `/api/v1/repos/team/${name}/pulls`
  const asked = (accept: string) => nock('https://forge.example', { reqheaders: { accept } })
  return {
    forge: { api: `${api}/`, owner: 'team', name, token },
    list: (page = 1) =>
      asked('application/vnd.github+json')
        .get(base)
        .query({
          state: 'all',
          sort: 'updated',
          direction: 'desc',
          per_page: '50',
          limit: '50',
          page: String(page),
        }),
    one: (number: number) => asked('application/vnd.github+json').get(`${base}/${number}`),
    diff: (number: number) => asked('application/vnd.github.diff').get(`${base}/${number}`),
    diffByName: (number: number) => nock('https://forge.example').get(`${base}/${number}.diff`),
  }
}
const app = forgeOf('app')
const diffType = { 'Content-Type': 'application/vnd.github.diff; charset=utf-8' }

/** Creates a project with a repository at this forge, which has sent these pull requests. */
async function newProject(name: string, pulls: object[]) {
  const { slug } = (await request('POST', '/v1/fs/projects', { body: { name } })).json
  const theirs = forgeOf(slug)
  theirs.list().reply(200, pulls)
  const { status, text } = await link({ dir: 'app', source, forge: theirs.forge }, slug)
  if (status !== 201) throw new Error(text)
  await workspace.stores.projects.join(workspace.stores.projects.find(slug)!, bot.member, 'member')
  const path = `/v1/fs/projects/${slug}/pulls`
  return { ...theirs, slug, path, read: async () => (await get(path)).json }
}

t.test('a project has pull requests only if a repository is linked', async (t) => {
  for (const path of [`${project}/pulls`, `${project}/pulls/7`]) {
    const { status, json } = await get(path)
    t.match([status, json], [404, { error: 'not_found', message: /No code repository is linked/ }], path)
  }
  t.equal((await link({ dir: 'plain', source })).status, 201)
  t.strictSame((await get(`${project}/pulls`)).json, {
    project: 'general',
    pulls: [],
    refreshedAt: null,
    stale: false,
    problem: null,
  })
  t.equal((await get(`${project}/pulls/7`)).status, 404)
})

t.test('pull requests come from a forge, open ones first, then by most recent activity', async (t) => {
  app
    .list()
    .reply(
      200,
      [
        pull(9, { state: 'closed', merged_at: '2026-01-01T00:00:00Z' }),
        pull(8, { draft: true, title: ' Two\nlines ', user: null }),
        pull(7, { body: 'See card 1.' }),
        pull(6, { state: 'closed' }),
        { number: 'odd' },
        null,
        pull(5, { updated_at: 'never' }),
      ],
      { ETag: '"one"' },
    )
  const linked = await link({ dir: 'app', source, forge: app.forge })
  t.strictSame(linked.json.repository.forge, {
    api: 'https://forge.example/api/v1',
    owner: 'team',
    name: 'app',
  })
  const { status, json } = await get(`${project}/pulls`)
  t.equal(status, 200)
  t.match(json, { project: 'general', refreshedAt: clock.now(), stale: false, problem: null })
  t.strictSame(
    json.pulls.map(({ number, state }: { number: number; state: string }) => [number, state]),
    [
      [8, 'open'],
      [7, 'open'],
      [9, 'merged'],
      [6, 'closed'],
    ],
  )
  t.strictSame(json.pulls[0], {
    number: 8,
    title: 'Two lines',
    state: 'open',
    head: 'branch-8',
    base: 'main',
    author: 'ghost',
    updatedAt: at(8),
    draft: true,
    url: `${room.url}/projects/general/pulls/8`,
    path: `${project}/pulls/8`,
  })
  t.match((await get(project)).text, `\`${project}/pulls\`: pull requests (4)`)
  t.match((await get(`${project}/refs?q=lines`)).json.refs, [
    { token: '[[pr:8]]', path: `${project}/pulls/8` },
  ])
})

t.test('the forge is asked once in 30 seconds, only for changes', async (t) => {
  later()
  const asked = app
    .list()
    .matchHeader('if-none-match', '"one"')
    .matchHeader('authorization', `Bearer ${token}`)
  asked.reply(304)
  const answers = await Promise.all([1, 2, 3].map(() => get(`${project}/pulls`)))
  for (const { json } of answers)
    t.match(json, { stale: false, refreshedAt: clock.now(), pulls: { length: 4 } })
  clock.advance(29_999)
  t.match((await get(`${project}/pulls`)).json, { refreshedAt: clock.now() - 29_999, stale: false })
  clock.advance(1)
  app.list().reply(200, [pull(10), pull(7, { state: 'closed' })], { ETag: '"two"' })
  const { pulls } = (await get(`${project}/pulls`)).json
  t.strictSame(
    pulls.map(({ number }: { number: number }) => number),
    [10, 8, 9, 7, 6],
    'those that are known already are kept',
  )
})

t.test('a pull request is a page: state, author, branches, cards, description, diff', async (t) => {
  const card = (await request('PUT', `${project}/board/todo/x.md`, { body: '# Fix \\[it\\]\n' })).json
  const diff = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n'
  app.one(7).reply(200, pull(7, { body: 'Fixes card 1 and card 99.', title: 'Fix [it]' }), {
    ETag: '"seven"',
  })
  app.diff(7).reply(200, diff, diffType)
  later()
  const { status, headers, text } = await get(`${project}/pulls/7`)
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(headers['x-service-url'], `${room.url}/projects/general/pulls/7`)
  t.equal(
    text,
    [
      '# #7 Fix \\[it\\]',
      [
        '- State: open',
        '- Author: grace',
        '- Branches: branch-7 → main',
        `- Updated: ${new Date(at(7)).toISOString()}`,
        '- At the forge: <https://forge.example/team/app/pulls/7>',
        `- Linked cards: [1 Fix \\[it\\]](${card.path})`,
      ].join('\n'),
      '## Description',
      'Fixes card 1 and card 99.',
      '## Diff',
      `\`\`\`diff\n${diff}\`\`\`\n`,
    ].join('\n\n'),
  )
  t.equal((await get(`${project}/pulls/7.md`)).text, text, 'the forge is not asked again')

  later()
  app.one(7).matchHeader('if-none-match', '"seven"').reply(304)
  t.equal((await get(`${project}/pulls/7`)).text, text, 'nor is the diff, while nothing has changed')
  later()
  app.one(7).reply(200, pull(7, { head: { ref: 'branch-7', sha: 'c'.repeat(40) } }))
  app.diff(7).reply(200, '+3\n', diffType)
  t.match((await get(`${project}/pulls/7`)).text, '```diff\n+3\n```')

  const { key } = await workspace.stores.members.addKey(bot.member.id, { scopes: ['projects:read'] })
  t.notMatch(
    (await get(`${project}/pulls/7`, key)).text,
    /Linked cards/,
    'a key without cards:read sees none',
  )
})

t.test('text from a forge cannot pass for a part of the page', async (t) => {
  const { path, diff } = await newProject('Hostile', [
    pull(1, {
      title: 'x\n- State: merged\n# `y` <b>',
      body: '# Not a heading\n\n## Diff\n\n```\nopen\n\n<!-- open',
      head: { ref: 'a`b\n](x)', sha: 'a' },
      user: { login: '**root**' },
      html_url: 'javascript:alert(1)',
      state: 'strange',
    }),
  ])
  diff(1).reply(200, '+```\n+````\n+## Diff\n', diffType)
  const { text } = await get(`${path}/1`)
  t.match(
    text,
    /^# #1 x - State: merged \\# \\`y\\` \\<b\\>\n\n- State: closed\n- Author: \\\*\\\*root\\\*\\\*\n/,
  )
  t.match(text, '- Branches: a\\`b \\](x) → main\n')
  t.notMatch(text, /javascript|^# Not|\n# Not/)
  t.match(text, '\n\n`````diff\n+```\n+````\n+## Diff\n`````\n')
  t.equal(text.match(/^## Diff$/gm)?.length, 1)
})

t.test('a diff is requested by media type, else by name, and has a maximum length', async (t) => {
  const { path, diff, diffByName } = await newProject('Diffs', [pull(4), pull(3), pull(2), pull(1)])
  diff(1).reply(200, pull(1))
  diffByName(1).reply(200, '+by name\n', { 'Content-Type': 'text/plain' })
  t.match((await get(`${path}/1`)).text, '```diff\n+by name\n```')
  diff(2).reply(406, { message: 'too large' })
  t.match((await get(`${path}/2`)).text, /too large for the forge to show/)
  const line = `+${'x'.repeat(1022)}\n`
  diff(3).reply(200, line.repeat(1025), diffType)
  const { text } = await get(`${path}/3`)
  t.match(text, /Truncated: the diff is longer than 1 MB/)
  t.ok(text.endsWith(`${line}\`\`\`\n`) && text.length > 1024 * 1024)
  diff(4).reply(200, '<html>', { 'Content-Type': 'text/html' })
  diffByName(4).reply(500)
  t.match((await get(`${path}/4`)).text, /## Diff\n\n\(not known yet: the forge answered 500\)\n$/)
})

t.test('a pull request that is in no list is requested by its number', async (t) => {
  const { path, one, diff } = await newProject('Older', [pull(40), pull(39)])
  one(12).reply(200, pull(12))
  diff(12).reply(200, '', diffType)
  t.match((await get(`${path}/12`)).text, /^# #12 Pull 12\n/)
  one(13).reply(404)
  t.match((await get(`${path}/13`)).json, { error: 'not_found', message: /no pull request \\?"13/ })
  for (const name of ['41', '0', '-1', '1e1', '007', 'x', '9'.repeat(12)])
    t.equal((await get(`${path}/${name}`)).status, 404, `${name}, without a request`)
})

t.test('a long list is read page by page, until the known part', async (t) => {
  const numbers = (from: number, to: number) =>
    Array.from({ length: from - to + 1 }, (_, index) => pull(from - index))
  const { slug } = (await request('POST', '/v1/fs/projects', { body: { name: 'Long' } })).json
  const { forge, list } = forgeOf(slug)
  const count = async () => (await request('GET', `/v1/fs/projects/${slug}/pulls`)).json.pulls.length
  list(1).reply(200, numbers(300, 251))
  list(2).reply(500)
  const linked = await link({ dir: 'app', source, forge: forge }, slug)
  t.equal(linked.status, 201, 'the link is created although the forge fails')
  const unknown = await request('GET', `/v1/fs/projects/${slug}/pulls`)
  t.match([unknown.status, unknown.json.message], [503, /not known yet: the forge answered 500/])
  later()
  for (const page of [1, 2, 3, 4]) list(page).reply(200, numbers(350 - page * 50, 301 - page * 50))
  t.equal(await count(), 200, 'at most four pages')
  later()
  list(1).reply(200, numbers(310, 261), { ETag: '"x"' })
  t.equal(await count(), 210, 'pages older than the known ones are not requested')
})

t.test('a forge is checked when it is linked, and its token is never shown', async (t) => {
  const { slug } = (await request('POST', '/v1/fs/projects', { body: { name: 'Checks' } })).json
  const { forge, list } = forgeOf(slug)
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
  t.notMatch((await request('GET', links('general'))).text, token)
  t.notMatch(room.log.text(), token)
})

t.test('members of the project read pull requests, and nobody writes them', async (t) => {
  const { key } = await workspace.stores.members.addKey(bot.member.id, {
    scopes: agentScopes.filter((scope) => scope !== 'projects:read'),
  })
  for (const path of [`${project}/pulls`, `${project}/pulls/7`]) {
    t.equal((await get(path, guest.key)).status, 403)
    t.match((await get(path, key)).json, { error: 'forbidden', message: /projects:read/ })
    t.equal((await request('GET', path, { key: undefined })).status, 401)
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const { status, headers } = await request(method, path)
      t.match([status, headers.allow], [405, /^GET, HEAD$|^HEAD, GET$/], `${method} ${path}`)
    }
  }
  t.equal((await get(`${project}/pulls/7?view=outline`)).status, 422)
  t.equal((await request('PUT', `${project}/pulls/7?block=k1234567`)).status, 422)
})

t.test('pull requests are removed with the repository that names the forge, not with another', async (t) => {
  await request('DELETE', `${links('general')}/plain`)
  later()
  app.list().reply(304)
  t.equal((await get(`${project}/pulls`)).json.pulls.length, 5)
  await request('DELETE', `${links('general')}/app`)
  t.equal((await get(`${project}/pulls`)).status, 404)
  t.strictSame((await get(`${project}/refs?q=lines`)).json.refs, [])
  app.list().reply(200, [pull(1)])
  t.equal((await link({ dir: 'again', source, forge: app.forge })).status, 201)
  t.equal((await get(`${project}/pulls`)).json.pulls.length, 1)
})

t.test('cards are linked by title, text or branch', async (t) => {
  const named = (title: string, head = '', description = '') =>
    cardsNamedIn({ title, head, description }, (number) => number < 100)
  const texts: [text: string, cards: number[]][] = [
    ['[[c:12]] and ![[c:13#x|y]]', [12, 13]],
    ['c:12, Card 13, card #14, card-15, CARD/16, card: 17', [12, 13, 14, 15, 16]],
    ['see board/02-todo/0012-fix-login.md', [12]],
    ['card 12, card 12 and card 120', [12]],
    ['#12, 12, abc:12, postcard 12, card12, c:12x, v0012-x, 2026-06-18, 0012 x, cards 12', []],
  ]
  for (const [text, cards] of texts) {
    t.strictSame(named(text), cards, text)
    t.strictSame(named('', '', text), cards, text)
  }
  const branches: [branch: string, cards: number[]][] = [
    ['12-fix-login', [12]],
    ['feature/0012_fix', [12]],
    ['card/12', [12]],
    ['ada/card-12-x', [12]],
    ['12', [12]],
    ['release/1.2', []],
    ['revert-12-fix', []],
    ['fix-12', []],
  ]
  for (const [branch, cards] of branches) t.strictSame(named('', branch), cards, branch)
  const many = Array.from({ length: 50 }, (_, index) => `c:${index}`).join(' ')
  t.equal(named(many).length, 20)
})

t.test('when the forge does not answer, the last known state is shown with its age', async (t) => {
  const { path, read, list, one } = await newProject('Stale', [pull(1)])
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
    later()
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
  later()
  list().reply(200, [pull(1)])
  t.match(await read(), { stale: false, problem: null, refreshedAt: clock.now() })
  t.notMatch(room.log.text(), token)
})

t.test('a forge that asks to wait is not asked before that time', async (t) => {
  const { read, path, list } = await newProject('Peace', [pull(1)])
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
    list().reply(200, [pull(1)])
    t.match(await read(), { stale: false }, `after ${seconds} seconds`)
  }
})

t.test('the forge is asked every ten minutes, also if nobody reads', async (t) => {
  const { path, list } = await newProject('Unread', [pull(1)])
  const asked = list().reply(200, [pull(2)])
  clock.advance(10 * 60 * 1000)
  await room.eventually(() => asked.isDone())
  await room.eventually(async () => (await get(path)).json.pulls.length === 2)
  t.equal((await get(path)).json.refreshedAt, clock.now())
})
