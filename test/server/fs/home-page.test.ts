import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const project = '/v1/fs/projects/general'
const path = `${project}/README.md`
const file = join(home, 'projects/general/README.md')
const put = (body: string, headers: Record<string, string> = {}) => request('PUT', path, { body, headers })
const onDisk = () => readFileSync(file, 'utf8')

t.test('the home page is read and written like a document, and keeps its name', async (t) => {
  const first = await put('---\ntags: [a]\n---\n# Welcome aboard\n\nHello @Ada.\n')
  t.match([first.status, first.json], [201, { filename: 'README.md', path, changed: true }])
  const read = await request('GET', path)
  t.equal(read.headers.etag, first.headers.etag)
  t.match(read.text, /^---\nid: doc_[\s\S]*tags: \[a\]\n---\n# Welcome aboard\n\nHello @Ada\.\n$/)
  const renamed = await put(read.text.replace('# Welcome aboard', '# Ahoy'), {
    'If-Match': read.headers.etag!,
  })
  t.match([renamed.status, renamed.json], [201, { id: first.json.id, path, created: false }])
  t.match(onDisk(), /^---\ntags: \[a\]\n---\n# Ahoy\n\nHello @\[Ada\]\(mem_\w+\)\.\n$/)
  t.equal((await put('# Stale\n', { 'If-Match': read.headers.etag! })).status, 409)
  t.match((await request('GET', project)).text, /# Ahoy[\s\S]*## In this project/)
})

t.test('parts of the home page are edited, and older revisions are listed and restored', async (t) => {
  const { revision } = { revision: (await put('# Parts\n\nOne.\n')).headers['x-service-revision'] }
  const edits = [{ find: 'One.', replace: 'Two.' }, { append: '\nThree.\n' }]
  t.equal((await request('PATCH', path, { body: { edits } })).status, 201)
  t.equal(onDisk(), '# Parts\n\nTwo.\n\nThree.\n')
  const { blocks } = (await request('GET', `${path}?view=blocks`)).json
  const { id } = blocks.find(({ text }: { text: string }) => text === 'Three.')
  t.equal((await request('PUT', `${path}?block=${id}`, { body: 'Four.' })).status, 201)
  t.match((await request('GET', `${path}/_revisions`)).json.revisions[0], { author: 'Ada', via: 'api' })
  t.equal((await request('POST', `${path}/_restore`, { body: { revision } })).status, 201)
  t.equal(onDisk(), '# Parts\n\nOne.\n')
})

t.test('an edit of the home page on the disk is read at once, and a missing one is created', async (t) => {
  await put('# Disk\n')
  writeFileSync(file, '# Disk\n\nBy hand.\n')
  t.match((await request('GET', path)).text, 'By hand.')
  t.equal((await request('DELETE', path)).headers.allow, 'GET, HEAD, PATCH, PUT')
  rmSync(file)
  t.equal((await request('GET', path)).status, 404)
  t.equal((await put('# Anew\n')).status, 201)
  t.equal(onDisk(), '# Anew\n')
  rmSync(file)
  mkdirSync(file)
  t.match((await put('# Hidden\n')).json, { error: 'conflict' })
  rmSync(file, { recursive: true })
  await put('# Back\n')
})

t.test('the home page needs membership of the project, and the scopes of documents', async (t) => {
  const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
  const reader = await workroom.addMember(
    { name: 'Reader', type: 'agent', scopes: ['documents:read'] },
    'general',
  )
  t.equal((await request('GET', path, { key: stranger.key })).status, 403)
  t.equal((await request('GET', path, { key: reader.key })).status, 200)
  t.equal((await request('PUT', path, { key: reader.key, body: '# Mine\n' })).status, 403)
})

t.test('a change of the home page is an event with the path to read it at', async (t) => {
  await put('# Announced\n')
  const { json } = await request('GET', '/v1/events?since=0&wait=0&self=include')
  t.match(json.events.slice(-1), [{ type: 'doc.write', title: 'Announced', path }])
})
