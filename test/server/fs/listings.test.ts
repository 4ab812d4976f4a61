import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, home } = workroom

async function newProject(name: string): Promise<string> {
  const { json } = await request('POST', '/v1/fs/projects', { body: { name } })
  return `/v1/fs/projects/${json.slug}`
}
const put = (path: string, body: string) => request('PUT', path, { body })
const get = async (path: string) => (await request('GET', path)).json

t.test('documents are listed with their fields, the most recently edited first', async (t) => {
  const project = await newProject('Rows')
  const first = (await put(`${project}/docs/first.md`, '# First: 🚀\n')).json
  const made = clock.now()
  clock.advance(1000)
  const second = (await put(`${project}/docs/guides/second.md`, '# Second\n')).json
  t.strictSame(await get(`${project}/docs`), {
    project: 'rows',
    documents: [
      {
        filename: 'guides/second.md',
        id: second.id,
        title: 'Second',
        author: 'Ada',
        lastEditedAt: made + 1000,
        bytes: 9,
        path: second.path,
        url: second.url,
      },
      {
        filename: 'first.md',
        id: first.id,
        title: 'First: 🚀',
        author: 'Ada',
        lastEditedAt: made,
        bytes: 14,
        path: first.path,
        url: first.url,
      },
    ],
  })
  clock.advance(1000)
  await put(first.path, '# First: 🚀\n\nMore.\n')
  t.equal((await get(`${project}/docs`)).documents[0].id, first.id)
  clock.advance(1000)
  await put(second.path, '# Second\n')
  t.equal((await get(`${project}/docs`)).documents[0].id, first.id, 'without a change the order stays')
  t.strictSame(await get(`${project}/library/documents`), await get(`${project}/docs`))
  t.strictSame((await get(`${project}/library`)).folders, [
    { name: 'documents', count: 2, path: `${project}/library/documents` },
    { name: 'files', count: 0, path: `${project}/library/files` },
    { name: 'repositories', count: 0, path: `${project}/library/repositories` },
  ])
})

t.test('each path in a list can be requested as it is', async (t) => {
  const project = await newProject('Pfade & Wege')
  await put(
    `${project}/docs/a b/c#d?.md`.replace('#', '%23').replace('?', '%3F').replace(' ', '%20'),
    '# Ümläut 100%\n',
  )
  await put(`${project}/posts/x.md`, '# 漢字\n')
  await put(`${project}/drafts/x.md`, '# Draft\n')
  await put(`${project}/board/todo/x.md`, '# Card\n')
  const folder = join(home, 'projects', 'pfade-wege', 'documents')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '100% “odd” name #1?.md'), '# Odd\n')
  await workroom.eventually(async () => (await get(`${project}/docs`)).documents.length === 2)
  const rows = [
    ...(await get('/v1/fs/projects')).projects,
    ...(await get(`${project}/library`)).folders,
    ...(await get(`${project}/docs`)).documents,
    ...(await get(`${project}/posts`)).posts,
    ...(await get(`${project}/drafts`)).posts,
    ...(await get(`${project}/board`)).columns,
    ...(await get(`${project}/board/todo`)).cards,
  ]
  for (const { path } of rows) t.equal((await request('GET', path)).status, 200, path)
})

t.test('projects are listed to their members', async (t) => {
  await newProject('Hidden')
  const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
  const admin = await workroom.addMember({ name: 'Linus', type: 'human', role: 'admin' })
  const slugs = async (key: string) =>
    (await request('GET', '/v1/fs/projects', { key })).json.projects.map(({ slug }: { slug: string }) => slug)
  t.strictSame(await slugs(bot.key), ['general'])
  t.strictSame(await slugs(admin.key), [], 'whatever their role')
  await put('/v1/fs/projects/general/posts/x.md', '# One\n')
  await put('/v1/fs/projects/general/drafts/x.md', '# Two\n')
  t.strictSame((await request('GET', '/v1/fs/projects', { key: bot.key })).json.projects, [
    {
      slug: 'general',
      name: 'General',
      postCount: 1,
      url: `${workroom.url}/projects/general`,
      path: '/v1/fs/projects/general',
    },
  ])
})

t.test('the creator of a project leads it, and its folders exist at once', async (t) => {
  const bot = await workroom.addMember({ name: 'Maker', type: 'agent' })
  const { status, json } = await request('POST', '/v1/fs/projects', {
    key: bot.key,
    body: { name: 'Ärzte & Ähnliches' },
  })
  t.strictSame([status, json], [201, { slug: 'arzte-ahnliches', name: 'Ärzte & Ähnliches' }])
  const {
    stores: { projects },
  } = workroom.workspace
  t.equal(projects.roleOf(projects.find(json.slug)!, bot.member), 'lead')
  const project = `/v1/fs/projects/${json.slug}`
  for (const path of ['', '/posts', '/drafts', '/docs', '/library', '/board', '/board/01-triage', '/trash'])
    t.equal((await request('GET', project + path, { key: bot.key })).status, 200, path)
  t.equal((await request('PUT', `${project}/docs/x.md`, { key: bot.key, body: '# X\n' })).status, 201)
})

t.test('projects of the same name have different slugs', async (t) => {
  const slugs = []
  for (let n = 0; n < 3; n++)
    slugs.push((await request('POST', '/v1/fs/projects', { body: { name: 'Moon!' } })).json.slug)
  t.strictSame(slugs, ['moon', 'moon-2', 'moon-3'])
})

t.test('a briefing is the project’s README followed by its folders', async (t) => {
  const project = await newProject('Brief')
  writeFileSync(join(home, 'projects/brief/README.md'), '---\ntags: [a]\n---\n# What we do\n\nBy hand.\n')
  await put(`${project}/docs/x.md`, '# X\n')
  const { text, headers } = await request('GET', project)
  t.equal(headers['content-type'], 'text/markdown; charset=utf-8')
  t.match(text, /\n# What we do\n\nBy hand\.\n\n## In this project\n/)
  t.match(text, `\`${project}/library/documents\`: documents (1)`)
  t.notOk(
    (await get(`${project}/docs`)).documents.some(({ title }: { title: string }) => title === 'What we do'),
  )
})

t.test('a folder of documents lists its content, at any depth, like every folder', async (t) => {
  const project = await newProject('Shelves')
  const deep = (await put(`${project}/docs/Guides/deep/er.md`, '# Er\n')).json
  const setup = (await put(`${project}/docs/Guides/setup.md`, '# Setup\n')).json
  await put(`${project}/docs/other.md`, '# Other\n')
  const all = (await get(`${project}/docs`)).documents
  const rows = (...ids: string[]) => all.filter(({ id }: { id: string }) => ids.includes(id))
  for (const path of ['docs/Guides', 'docs/Guides/', 'docs/guides', 'library/documents/Guides']) {
    const { status, headers, json } = await request('GET', `${project}/${path}`)
    t.match([status, headers['content-type']], [200, /^application\/json/], path)
    t.strictSame(json.documents, rows(deep.id, setup.id), path)
    t.match(json, { project: 'shelves', folder: /^guides$/i })
  }
  t.strictSame((await get(`${project}/docs/Guides/deep`)).documents, rows(deep.id))
  t.equal((await request('HEAD', `${project}/docs/Guides`)).status, 200)

  const twin = (await put(`${project}/docs/guides.md`, '# Guides\n')).json
  t.match((await request('GET', `${project}/docs/guides`)).text, `id: ${twin.id}`, 'a document comes first')
  t.equal((await get(`${project}/docs/guides/`)).documents.length, 2, 'and with a slash the folder')
  t.match((await request('GET', `${project}/docs/other/`)).text, '# Other')

  const disk = join(home, 'projects/shelves/documents')
  mkdirSync(join(disk, 'empty'))
  t.strictSame(await get(`${project}/docs/empty`), { project: 'shelves', folder: 'empty', documents: [] })
  mkdirSync(join(disk, '.git'))
  for (const name of ['nothing', 'nothing/', '.git', 'a:b', 'guid', 'Guides/nothing.md', '%0a'])
    t.equal((await request('GET', `${project}/docs/${name}`)).status, 404, name)
  t.equal((await request('GET', `${project}/docs/Guides/deep?view=blocks`)).status, 404)
})

t.test('a folder of uploaded files lists its content', async (t) => {
  const project = await newProject('Drawers')
  const upload = (name: string) => request('POST', `${project}/library/files?name=${name}`, { body: name })
  for (const name of ['Plans/a.txt', 'Plans/old/b.txt', 'c.txt']) t.equal((await upload(name)).status, 201)
  for (const path of ['library/files/Plans', 'library/files/Plans/', 'artifacts/plans']) {
    const { folder, files } = await get(`${project}/${path}`)
    t.strictSame(
      [folder, files.map(({ name }: { name: string }) => name)],
      ['Plans', ['Plans/a.txt', 'Plans/old/b.txt']],
      path,
    )
    for (const row of files) t.equal((await request('GET', row.path)).text, row.name)
  }
  t.equal((await get(`${project}/library/files/Plans/old`)).files.length, 1)
  for (const name of ['nothing', 'Plans/nothing', '.git', 'a:b'])
    t.equal((await request('GET', `${project}/library/files/${name}`)).status, 404, name)
})

t.test('the names of folders on the disk redirect to their names in the tree', async (t) => {
  const project = await newProject('Names')
  for (const [path, words] of [
    ['documents', `${project}/docs`],
    ['documents/a/b.md', `${project}/docs/a/b.md`],
    ['files', `${project}/library/files`],
    ['files/x.csv', `${project}/library/files/x.csv`],
    ['readme.md', `${project}/README.md`],
    ['attachments/doc_1/x.png', `${project}/posts/<file>/attachments`],
    ['elsewhere', 'GET /v1/fs '],
  ] as const) {
    const { status, json } = await request('GET', `${project}/${path}`)
    t.match([status, json.message], [404, words], path)
  }
})
