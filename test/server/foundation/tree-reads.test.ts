import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const docs = '/v1/fs/projects/general/docs'

t.test('a file is answered as markdown with its revision and page', async (t) => {
  const { request } = await startWorkroom(t)
  const written = await request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nText.\n' })
  const read = await request('GET', `${docs}/plan.md`)
  t.equal(read.status, 200)
  t.match(read.text, /^---\n[\s\S]*\n---\n# Plan\n\nText\.\n$/)
  t.match(read.headers, {
    'content-type': 'text/markdown; charset=utf-8',
    'x-service-url': written.json.url,
    'x-service-revision': /^[0-9a-f]{20}$/,
    'cache-control': 'private, no-cache',
    'content-length': String(Buffer.byteLength(read.text)),
  })
  t.equal(read.headers.etag, `"${read.headers['x-service-revision']}"`)

  const head = await request('HEAD', `${docs}/plan.md`)
  t.strictSame([head.status, head.text], [200, ''])
  for (const header of ['etag', 'content-length', 'content-type', 'x-service-url', 'x-service-revision']) {
    t.equal(head.headers[header], read.headers[header], header)
  }
})

t.test('a caller who has the current revision is answered 304', async (t) => {
  const { request } = await startWorkroom(t)
  await request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nText.\n' })
  const { etag } = (await request('GET', `${docs}/plan.md`)).headers
  const ask = (value: string) => request('GET', `${docs}/plan.md`, { headers: { 'If-None-Match': value } })
  for (const value of [etag!, `W/${etag}`, `"other", ${etag}`, '*']) {
    const response = await ask(value)
    t.strictSame([response.status, response.text, response.headers.etag], [304, '', etag], value)
    t.match(response.headers, { 'x-request-id': /^req_/, 'x-service-revision': String })
  }
  t.equal((await ask('"other"')).status, 200)
  await request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nOther text.\n' })
  t.equal((await ask(etag!)).status, 200)
})

t.test('a view is JSON, and its ETag cannot be taken for that of the file', async (t) => {
  const { request } = await startWorkroom(t)
  await request('PUT', `${docs}/plan.md`, { body: '# Plan\n\nText.\n' })
  for (const view of ['blocks', 'outline']) {
    const response = await request('GET', `${docs}/plan.md?view=${view}`)
    t.equal(response.status, 200)
    t.match(response.headers, {
      'content-type': 'application/json; charset=utf-8',
      'x-service-revision': String,
    })
    t.equal(response.json.canonical, '/v1/fs/projects/general/library/documents/plan.md')
  }
})

t.test('an unknown view is 400 and lists the two', async (t) => {
  const { request } = await startWorkroom(t)
  for (const view of ['', 'block', 'BLOCKS']) {
    const response = await request('GET', `${docs}/welcome.md?view=${view}`)
    t.equal(response.status, 400)
    t.match(response.json, { error: 'bad_request', message: /blocks, outline/ })
  }
  t.equal((await request('GET', `${docs}/welcome.md?view=blocks&view=outline`)).status, 400)
  t.equal((await request('GET', `${docs}/welcome.md?view=blocks&revision=x`)).status, 400)
})

t.test('older revisions can be listed, read and restored', async (t) => {
  const { request } = await startWorkroom(t)
  const path = `${docs}/plan.md`
  const first = (await request('PUT', path, { body: '# Plan\n\nOne.\n' })).headers['x-service-revision']
  await request('PUT', path, { body: '# Plan\n\nTwo.\n' })
  const { json } = await request('GET', `${path}/_revisions`)
  t.equal(json.revisions.length, 2)
  t.match(
    json.revisions.find(({ revision }: { revision: string }) => revision === first),
    { at: Number, author: 'Ada', via: String, bytes: 13 },
  )

  const older = await request('GET', `${path}?revision=${first}`)
  t.match(older.text, /One\.\n$/)
  t.equal(older.headers['x-service-revision'], first)
  t.equal((await request('GET', `${path}?revision=00000000000000000000`)).status, 404)

  const restored = await request('POST', `${path}/_restore`, { body: { revision: first } })
  t.match([restored.status, restored.json], [201, { filename: 'plan.md', created: false, changed: true }])
  t.match((await request('GET', path)).text, /One\.\n$/)
  t.equal((await request('POST', `${path}/_restore`, { body: {} })).status, 422)
})

t.test('documents in sub-folders are found under both paths and under encoded names', async (t) => {
  const { request } = await startWorkroom(t)
  const written = await request('PUT', `${docs}/guides/setup.md`, { body: '# Setup\n\nOn a c++ box.\n' })
  t.match(written.json, {
    filename: 'guides/setup.md',
    path: '/v1/fs/projects/general/library/documents/guides/setup.md',
  })
  for (const path of [
    written.json.path,
    `${docs}/guides/setup.md`,
    `${docs}/guides/setup`,
    `${docs}/g%75ides/setup.md`,
  ]) {
    t.equal((await request('GET', path)).status, 200, path)
  }
  t.equal((await request('GET', `${docs}/guides%2fsetup.md`)).status, 404)
  t.equal((await request('GET', `${docs}/guides/setup.md/_revisions`)).json.revisions.length, 1)
})

t.test('folders list their contents', async (t) => {
  const { request } = await startWorkroom(t)
  const project = '/v1/fs/projects/general'
  await request('PUT', `${project}/posts/hello.md`, { body: '# Hello\n' })
  await request('PUT', `${project}/drafts/next.md`, { body: '# Next\n' })
  await request('PUT', `${project}/board/todo/fix-login.md`, { body: '# Fix login\n' })
  const list = async (folder: string) => (await request('GET', `${project}/${folder}`)).json
  t.match(await list('posts'), { project: 'general', posts: [{ title: 'Hello', isDraft: false }] })
  t.match(await list('drafts'), { project: 'general', posts: [{ title: 'Next', isDraft: true }] })
  t.match(await list('docs'), { project: 'general', documents: [{ filename: 'welcome.md' }] })
  t.strictSame(await list('library/documents'), await list('docs/'))
  t.match(await list('library'), { folders: [{ name: 'documents', count: 1 }] })
  t.match((await list('board')).columns, [{ name: '01-triage' }, { name: '02-todo', count: 1 }, {}, {}])
  t.match(await list('board/02-todo'), { column: '02-todo', cards: [{ number: 1, title: 'Fix login' }] })
  t.match(await list('trash'), { project: 'general', trash: [] })
  const unknown = await request('GET', `${project}/board/05-later`)
  t.match([unknown.status, unknown.json.message], [400, /01-triage, 02-todo, 03-in-progress, 04-done/])
})

t.test('a project’s briefing is its home page', async (t) => {
  const { request } = await startWorkroom(t)
  const response = await request('GET', '/v1/fs/projects/general')
  t.match(response.headers, {
    'content-type': /^text\/markdown/,
    etag: String,
    'x-service-url': /\/projects\/general$/,
  })
  t.match(response.text, /# General/)
})
