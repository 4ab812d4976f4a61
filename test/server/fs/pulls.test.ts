import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { cardsNamedIn } from '../../../core/pulls/pulls.ts'
import { app, diffHeaders, linksPath, openForge, pullRequest, updatedAtMs } from '../../support/forge.ts'

const { workroom, bot, source, get, expireState, link, unlink, linkApp, newProject } = await openForge(t)
const { clock, request, workspace } = workroom
const guest = await workroom.addMember({ name: 'Grace', type: 'human' })
const project = '/v1/fs/projects/general'

t.test('a project has pull requests only if a repository is linked', async (t) => {
  for (const path of [`${project}/pulls`, `${project}/pulls/7`]) {
    const { status, json } = await get(path)
    t.match([status, json], [404, { error: 'not_found', message: /No code repository is linked/ }], path)
  }
  t.equal((await link({ dir: 'plain', source })).status, 201)
  t.teardown(() => unlink('plain'))
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
        pullRequest(9, { state: 'closed', merged_at: '2026-01-01T00:00:00Z' }),
        pullRequest(8, { draft: true, title: ' Two\nlines ', user: null }),
        pullRequest(7, { body: 'See card 1.' }),
        pullRequest(6, { state: 'closed' }),
        { number: 'odd' },
        null,
        pullRequest(5, { updated_at: 'never' }),
      ],
      { ETag: '"one"' },
    )
  const linked = await link({ dir: 'app', source, forge: app.forge })
  t.teardown(() => unlink('app'))
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
    updatedAt: updatedAtMs(8),
    draft: true,
    url: `${workroom.url}/projects/general/pulls/8`,
    path: `${project}/pulls/8`,
  })
  t.match((await get(project)).text, `\`${project}/pulls\`: pull requests (4)`)
  t.match((await get(`${project}/refs?q=lines`)).json.refs, [
    { token: '[[pr:8]]', path: `${project}/pulls/8` },
  ])
})

t.test('a pull request is a page: state, author, branches, cards, description, diff', async (t) => {
  await linkApp(t, [pullRequest(7, { state: 'closed' })])
  const card = (await request('PUT', `${project}/board/todo/x.md`, { body: '# Fix \\[it\\]\n' })).json
  const diff = 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-1\n+2\n'
  app.one(7).reply(200, pullRequest(7, { body: 'Fixes card 1 and card 99.', title: 'Fix [it]' }), {
    ETag: '"seven"',
  })
  app.diff(7).reply(200, diff, diffHeaders)
  expireState()
  const { status, headers, text } = await get(`${project}/pulls/7`)
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(headers['x-service-url'], `${workroom.url}/projects/general/pulls/7`)
  t.equal(
    text,
    [
      '# #7 Fix \\[it\\]',
      [
        '- State: open',
        '- Author: grace',
        '- Branches: branch-7 → main',
        `- Updated: ${new Date(updatedAtMs(7)).toISOString()}`,
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

  expireState()
  app.one(7).matchHeader('if-none-match', '"seven"').reply(304)
  t.equal((await get(`${project}/pulls/7`)).text, text, 'nor is the diff, while nothing has changed')
  expireState()
  app.one(7).reply(200, pullRequest(7, { head: { ref: 'branch-7', sha: 'c'.repeat(40) } }))
  app.diff(7).reply(200, '+3\n', diffHeaders)
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
    pullRequest(1, {
      title: 'x\n- State: merged\n# `y` <b>',
      body: '# Not a heading\n\n## Diff\n\n```\nopen\n\n<!-- open',
      head: { ref: 'a`b\n](x)', sha: 'a' },
      user: { login: '**root**' },
      html_url: 'javascript:alert(1)',
      state: 'strange',
    }),
  ])
  diff(1).reply(200, '+```\n+````\n+## Diff\n', diffHeaders)
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

t.test('members of the project read pull requests, and nobody writes them', async (t) => {
  await linkApp(t, [pullRequest(7)])
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
  await link({ dir: 'plain', source })
  const named = pullRequest(8, { title: 'Two lines' })
  await linkApp(t, [pullRequest(10), pullRequest(9), named, pullRequest(7), pullRequest(6)], {
    ETag: '"one"',
  })
  await request('DELETE', `${linksPath('general')}/plain`)
  expireState()
  app.list().reply(304)
  t.equal((await get(`${project}/pulls`)).json.pulls.length, 5)
  await request('DELETE', `${linksPath('general')}/app`)
  t.equal((await get(`${project}/pulls`)).status, 404)
  t.strictSame((await get(`${project}/refs?q=lines`)).json.refs, [])
  app.list().reply(200, [pullRequest(1)])
  t.equal((await link({ dir: 'again', source, forge: app.forge })).status, 201)
  t.teardown(() => unlink('again'))
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
