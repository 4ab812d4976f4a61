import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { defaultConfig } from '../../../core/config.ts'
import { makeRepository } from '../../support/code-repository.ts'
import { startWorkroom } from '../../support/workroom.ts'

const roots = join(t.testdirName, 'code')
const code = (name: string) => join(roots, name)
const workroom = await startWorkroom(t, {
  config: { ...defaultConfig, repositories: { roots: [roots] } },
  prepare: () => void mkdirSync(roots),
})
const { clock, eventually, home, request, workspace } = workroom
const project = '/v1/fs/projects/general'
const tree = `${project}/library/repositories`
const links = '/v1/projects/general/repositories'
const mirrors = join(home, '.workroom', 'repositories')

const guest = await workroom.addMember({ name: 'Grace', type: 'human' })
const member = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
const lead = await workroom.addMember({ name: 'Lead', type: 'agent' })
await workspace.stores.projects.join(workspace.stores.projects.find('general')!, lead.member, 'lead')

const link = (body: unknown, key = lead.key) => request('POST', links, { key, body })
const get = (path: string, key = member.key) => request('GET', path, { key })

const app = makeRepository(code('app.git'), {
  'README.md': '# App\n',
  'src/größe 1.ts': 'export {}\n',
  'src/deep/a.ts': 'a',
  'page.html': '<script>alert(1)</script>',
  'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]),
  'nul.txt': 'a\0b',
  '--output=x': 'option',
  ':(top)x': 'pattern',
  'new\nline': 'line',
  empty: '',
  link: { link: '/etc/passwd' },
  module: { submodule: '1'.repeat(40) },
  'back\\slash': 'x',
})
const large = makeRepository(code('large'), { huge: Buffer.alloc(20 * 1024 * 1024 + 1) }, [])

t.test('a lead links a repository, which is answered once it is cloned', async (t) => {
  t.strictSame((await get(links)).json, { repositories: [] })
  t.strictSame((await get(tree)).json, { project: 'general', repositories: [] })
  const { status, json } = await link({ dir: 'app', source: app.path })
  t.equal(status, 201)
  const now = clock.now()
  t.match(json.repository._id, /^rep_\w{26}$/)
  t.strictSame(json.repository, {
    _id: json.repository._id,
    dir: 'app',
    name: 'app',
    source: app.path,
    defaultBranch: 'main',
    commit: app.git(['rev-parse', 'main']),
    linkedBy: lead.member.id,
    linkedAt: now,
    refreshedAt: now,
    problem: null,
    forge: null,
    path: `${tree}/app`,
  })
  t.strictSame((await get(links)).json, { repositories: [json.repository] })
  t.strictSame((await get(tree)).json, {
    project: 'general',
    repositories: [
      {
        dir: 'app',
        name: 'app',
        defaultBranch: 'main',
        refreshedAt: now,
        problem: null,
        path: `${tree}/app`,
      },
    ],
  })
  const { folders } = (await get(`${project}/library`)).json
  t.match(
    folders.find(({ name }: { name: string }) => name === 'repositories'),
    { count: 1, path: tree },
  )
  t.match((await get(project)).text, `\`${tree}\`: linked code repositories (1)`)
})

t.test('a repository is the tree of its files, and each path can be requested as it is', async (t) => {
  const { json, headers } = await get(`${tree}/app`)
  t.equal(headers['cache-control'], 'private, no-cache')
  t.match(json, { project: 'general', repository: 'app', ref: 'main', truncated: false, skipped: 1 })
  t.equal(json.commit, app.git(['rev-parse', 'main']))
  const rows = new Map<string, { type: string; size: number | null; path: string }>(
    json.entries.map(({ name, ...row }: { name: string }) => [name, row]),
  )
  t.equal(rows.size, 12)
  const odd = `${tree}/app/src/gr%C3%B6%C3%9Fe%201.ts`
  t.strictSame(rows.get('src/größe 1.ts'), { type: 'file', size: 10, path: odd })
  t.match(rows.get('link'), { type: 'symlink', size: 11 })
  t.match(rows.get('module'), { type: 'submodule', size: null })
  for (const [name, { path, type }] of rows) {
    t.equal((await get(path)).status, type === 'submodule' ? 404 : 200, JSON.stringify(name))
  }
  const texts = { '--output=x': 'option', ':(top)x': 'pattern', 'new\nline': 'line', empty: '' }
  for (const [name, text] of Object.entries(texts)) t.equal((await get(rows.get(name)!.path)).text, text)
  for (const path of ['src', 'src/']) {
    const folder = (await get(`${tree}/app/${path}`)).json
    t.strictSame(
      folder.entries.map(({ name }: { name: string }) => name),
      ['src/deep/a.ts', 'src/größe 1.ts'],
    )
  }
})

t.test('a file is answered as its bytes, which no browser runs as a page of this server', async (t) => {
  const text = await get(`${tree}/app/README.md`)
  t.strictSame([text.status, text.text], [200, '# App\n'])
  const etag = `"${app.git(['rev-parse', 'main:README.md'])}"`
  t.match(text.headers, {
    'content-type': 'text/markdown; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    etag,
  })
  const cached = await request('GET', `${tree}/app/README.md`, { headers: { 'If-None-Match': etag } })
  t.strictSame([cached.status, cached.text, cached.headers.etag], [304, '', etag])
  const head = await request('HEAD', `${tree}/app/README.md`)
  t.match([head.status, head.text, head.headers['content-length']], [200, '', '6'])
  t.equal((await get(`${tree}/app/page.html`)).headers['content-type'], 'text/plain; charset=utf-8')
  for (const name of ['logo.png', 'nul.txt'])
    t.equal((await get(`${tree}/app/${name}`)).headers['content-type'], 'application/octet-stream')
  t.equal((await get(`${tree}/app/link`)).text, '/etc/passwd', 'a symbolic link is answered as its text')
})

t.test('a missing file is 404 with a message, and one that is too large is 413', async (t) => {
  const cases: [path: string, message: RegExp][] = [
    ['app/nothing', /no \\?"nothing\\?" on the branch main of app/],
    ['app/README.md/x', /no /],
    ['app/link/x', /no /],
    ['app/module', /submodule.*1{40}/],
    ['app/module/x', /no /],
    ['app/*', /no /],
    ['app/back%5Cslash', /Invalid path/i],
    ['app/..%2f..%2fx', /Invalid path/i],
    ['other', /no repository other/],
    ['other/x', /no repository other/],
  ]
  for (const [path, message] of cases) {
    const { status, json } = await get(`${tree}/${path}`)
    t.match([status, json], [404, { error: 'not_found', message }], path)
  }
  t.equal((await link({ dir: 'large', source: large.path })).status, 201)
  const { status, json } = await get(`${tree}/large/huge`)
  t.match([status, json], [413, { error: 'bad_request', message: /20 MB/, limitBytes: 20 * 1024 * 1024 }])
})

t.test('a repository is read-only', async (t) => {
  for (const path of [tree, `${tree}/app`, `${tree}/app/README.md`]) {
    for (const method of ['PUT', 'POST', 'DELETE']) {
      const { status, headers } = await request(method, path)
      t.match([status, headers.allow], [405, /^GET, HEAD$|^HEAD, GET$/], `${method} ${path}`)
    }
  }
  t.equal((await get(`${tree}/app/README.md?view=blocks`)).status, 422)
  t.equal((await get(`${tree}/app/README.md?view=nothing`)).status, 400)
  t.equal((await request('PUT', `${tree}/app/README.md?block=k1234567`)).status, 422)
})

t.test('members of the project read, and its leads, owners and admins link', async (t) => {
  const limited = (scopes: string[]) =>
    workspace.stores.members.addKey(lead.member.id, { scopes }).then(({ key }) => key)
  const without = await limited(agentScopes.filter((scope) => scope !== 'projects:read'))
  const within = await limited(['projects:read'])
  const paths = [links, tree, `${tree}/app`, `${tree}/app/README.md`]
  for (const path of paths) {
    t.equal((await get(path, guest.key)).status, 403, path)
    t.match((await get(path, without)).text, 'projects:read', path)
    t.equal((await get(path, within)).status, 200, path)
    t.equal((await request('GET', path, { key: undefined })).status, 401, path)
    t.equal((await request('GET', path)).status, 200, 'the owner')
  }
  const body = { dir: 'mine', source: app.path }
  for (const key of [guest.key, member.key, within]) {
    t.equal((await link(body, key)).status, 403)
    t.equal((await request('DELETE', `${links}/app`, { key })).status, 403)
  }
  t.equal((await get('/v1/projects/nothing/repositories')).status, 404)
})

t.test('a link that is not possible is refused with a message, and nothing is kept', async (t) => {
  const there = readdirSync(mirrors).sort()
  const source = app.path
  const cases: [status: number, body: Record<string, unknown>, message: RegExp][] = [
    [400, { source }, /dir/],
    [400, { dir: 'x' }, /source/],
    [400, { dir: 'x', source, branch: 'main' }, /no field branch/],
    [400, { dir: 'X/..', source }, /lower-case/],
    [400, { dir: '', source }, /lower-case/],
    [409, { dir: 'app', source }, /app is another repository/],
    [400, { dir: 'x', source: 'app.git' }, /absolute path/],
    [400, { dir: 'x', source: '--upload-pack=evil' }, /absolute path/],
    [400, { dir: 'x', source: 'ext::sh -c evil' }, /absolute path/],
    [400, { dir: 'x', source: 'git@example.org:a.git' }, /absolute path/],
    [400, { dir: 'x', source: 'ssh://example.org/a.git' }, /absolute path/],
    [400, { dir: 'x', source: `file://${source}` }, /absolute path/],
    [400, { dir: 'x', source: `${source}\0` }, /one line/],
    [400, { dir: 'x', source: `/${'x'.repeat(1000)}` }, /1000 characters/],
    [
      400,
      { dir: 'x', source: 'https://user:hunter2@example.org/a.git' },
      /not contain a user name or password/,
    ],
    [400, { dir: 'x', source: 'https://example.org/a.git?x' }, /contain \?/],
    [400, { dir: 'x', source: '/etc' }, /within those of the setting.*repositories\.roots/],
    [400, { dir: 'x', source: join(home, 'projects') }, /within those of the setting/],
    [400, { dir: 'x', source: roots }, /not a git repository/],
    [400, { dir: 'x', source: 'https://127.0.0.1/a.git' }, /not public.*outbound\.allow/],
    [400, { dir: 'x', source, forge: 'github' }, /forge must be an object/],
  ]
  for (const [status, body, message] of cases) {
    const response = await link(body)
    t.match([response.status, response.json.error], [status, message], JSON.stringify(body))
    t.notMatch(response.text, /hunter2/)
  }
  t.strictSame(readdirSync(mirrors).sort(), there)
  t.notMatch(workroom.log.text(), /hunter2/)
  const both = await Promise.all([link({ dir: 'twice', source }), link({ dir: 'twice', source })])
  t.strictSame(both.map(({ status }) => status).sort(), [201, 409])
})

t.test('a repository is refreshed when it is read, and every ten minutes', async (t) => {
  const commit = async () => (await get(`${tree}/app`)).json.commit
  const first = await commit()
  const second = app.commit({ 'README.md': '# New\n' })
  t.equal(await commit(), first, 'no read waits')
  clock.advance(5_000)
  await get(`${tree}/app/README.md`)
  await eventually(async () => (await commit()) === second)
  t.equal((await get(`${tree}/app/README.md`)).text, '# New\n')
  const third = app.commit({ 'README.md': '# Newer\n' })
  clock.advance(10 * 60 * 1000)
  await eventually(async () => (await get(links)).json.repositories[0].commit === third)
  t.equal((await get(links)).json.repositories[0].refreshedAt, clock.now())
})

t.test('a source that is no longer available is reported, and its last state stays', async (t) => {
  const row = async () => (await get(tree)).json.repositories[0]
  const refreshedAt = (await row()).refreshedAt
  renameSync(app.path, code('moved.git'))
  clock.advance(10 * 60 * 1000)
  await eventually(async () => (await row()).problem !== null)
  t.match(await row(), { refreshedAt, problem: /no such folder/ })
  t.match((await get(`${tree}/app`)).json, { problem: /no such folder/, refreshedAt })
  t.equal((await get(`${tree}/app/README.md`)).text, '# Newer\n')
  renameSync(code('moved.git'), app.path)
  clock.advance(60_000)
  await eventually(async () => (await row()).problem === null)
})

t.test('everything is still there after a restart, and a missing mirror is fetched again', async (t) => {
  const [app, large] = (await get(links)).json.repositories.map(({ _id }: { _id: string }) => _id)
  await workroom.restart(() => {
    rmSync(join(mirrors, `${app}.git`), { recursive: true })
    mkdirSync(join(mirrors, 'rep_unfinished.git'))
  })
  await eventually(async () => (await get(`${tree}/app/README.md`)).status === 200)
  t.strictSame(
    readdirSync(mirrors).filter((name) => /unfinished/.test(name)),
    [],
  )
  rmSync(join(mirrors, `${large}.git`), { recursive: true })
  const gone = await get(`${tree}/large`)
  t.match(
    [gone.status, gone.headers['retry-after'], gone.json.message],
    [503, '5', /large cannot be read now/],
  )
  await eventually(async () => (await get(`${tree}/large`)).status === 200)
})

t.test('a repository is unlinked and its mirror is removed, and its source stays', async (t) => {
  const [{ _id }] = (await get(links)).json.repositories
  const { status, json } = await request('DELETE', `${links}/app`, { key: lead.key })
  t.strictSame([status, json], [200, { dir: 'app', deleted: true }])
  t.equal((await get(`${tree}/app`)).status, 404)
  t.equal((await request('DELETE', `${links}/app`)).status, 404)
  t.notOk(existsSync(join(mirrors, `${_id}.git`)))
  t.ok(existsSync(app.path))
  t.equal((await link({ dir: 'app', source: app.path })).status, 201, 'the name is free again')
})

t.test('an archived project can be read, and no repository can be linked', async (t) => {
  const archive = (archived: boolean) => request('PATCH', '/v1/projects/general', { body: { archived } })
  await archive(true)
  t.match((await link({ dir: 'x', source: app.path })).json, { error: /archived/ })
  t.equal((await request('DELETE', `${links}/app`)).status, 409)
  t.equal((await get(`${tree}/app`)).status, 200)
  await archive(false)
  const before = readdirSync(mirrors)
  const linking = link({ dir: 'x', source: app.path })
  await eventually(() => readdirSync(mirrors).length > before.length)
  await archive(true)
  t.equal((await linking).status, 409, 'also if it is archived while the repository is cloned')
  t.same(readdirSync(mirrors), before, 'and nothing of it is kept')
  await archive(false)
})
