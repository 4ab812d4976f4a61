import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, home } = workroom
const project = '/v1/fs/projects/general'
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')

const put = (path: string, body: string, key = workroom.owner.key) => request('PUT', path, { body, key })
const revisionsOf = async (path: string) => (await request('GET', `${path}/_revisions`)).json.revisions
const restore = (path: string, revision: string) =>
  request('POST', `${path}/_restore`, { body: { revision } })
const onDisk = (path: string) => readFileSync(join(home, 'projects/general', path), 'utf8')

t.test('revisions are listed newest first, with time, author and interface', async (t) => {
  const path = `${project}/docs/history.md`
  await put(path, '# History\n')
  const first = clock.now()
  clock.advance(1000)
  await put(path, '# History\n\nText.\n', grace.key)
  const revisions = await revisionsOf(path)
  t.strictSame(
    revisions.map(({ revision, ...row }: { revision: string }) => row),
    [
      { at: clock.now(), author: 'Grace', via: 'api', bytes: 17 },
      { at: first, author: 'Ada', via: 'api', bytes: 10 },
    ],
  )
  t.equal(revisions[0].revision, (await request('GET', path)).headers['x-service-revision'])
})

t.test('an older revision is read as it was, with its own title', async (t) => {
  const path = `${project}/docs/older.md`
  const first = (await put(path, '---\ntitle: Older\n---\nOne.\n')).headers['x-service-revision']
  const { json } = await put(path, '---\ntitle: Renamed\n---\nTwo.\n')
  const { status, text, headers } = await request('GET', `${json.path}?revision=${first}`)
  t.match([status, headers['x-service-revision']], [200, first])
  t.match(text, /\n---\n# Older\n\nOne\.\n$/)
  for (const unknown of ['00000000000000000000', 'x', ''])
    t.equal((await request('GET', `${json.path}?revision=${unknown}`)).status, 404, unknown)
})

t.test('an older revision of a card shows the status that it had', async (t) => {
  const { path } = (await put(`${project}/board/todo/c.md`, '---\nstatus: drafted\n---\n# Card\n')).json
  const first = (await request('GET', path)).headers['x-service-revision']
  await put(path, '---\nstatus: active\n---\n# Card\n\nMore.\n')
  t.match((await request('GET', `${path}?revision=${first}`)).text, /^status: drafted$/m)
})

t.test('a restore writes the old bytes again, as a new revision, and renames with the title', async (t) => {
  const path = `${project}/docs/restored.md`
  const old = `---\ntags: [a]\n---\n# Restored\r\n\r\nOne @[Grace](${grace.member.id}).`
  const revision = (await put(path, old)).headers['x-service-revision'] as string
  const { json } = await put(path, '# Another title\n\nTwo.\n')
  const restored = await restore(json.path, revision)
  t.match(
    [restored.status, restored.json],
    [201, { id: json.id, filename: 'restored.md', created: false, changed: true }],
  )
  t.equal(onDisk('documents/restored.md'), old)
  t.equal((await revisionsOf(path)).length, 3)
  t.equal((await restore(path, revision)).json.changed, false)
})

t.test('a revision of another file is 404, and a body without a revision is 422', async (t) => {
  const path = `${project}/docs/this.md`
  await put(path, '# This\n')
  const other = (await put(`${project}/docs/that.md`, '# That\n')).headers['x-service-revision'] as string
  t.match((await restore(path, other)).json, { error: 'not_found' })
  for (const body of [{}, { revision: 1 }, { revision: null }])
    t.equal((await request('POST', `${path}/_restore`, { body })).status, 422)
  t.equal((await request('POST', `${path}/_restore`, { body: '{' })).status, 400)
  t.equal((await restore(`${project}/docs/nothing.md`, other)).status, 404)
})

t.test('drafts and cards have revisions too, and a post has those of its draft', async (t) => {
  for (const folder of ['drafts', 'board/02-todo']) {
    const { json, headers } = await put(`${project}/${folder}/r.md`, '# R\n\nOne.\n')
    await put(json.path, '# R\n\nTwo.\n')
    t.equal((await revisionsOf(json.path)).length, 2, folder)
    t.equal((await restore(json.path, headers['x-service-revision'] as string)).status, 201)
    t.match((await request('GET', json.path)).text, /One\.\n$/)
  }
  const draft = (await request('GET', `${project}/drafts`)).json.posts[0]
  const { path } = (await request('POST', `${draft.path}/_publish`)).json
  t.equal((await revisionsOf(path)).length, 3)
})

t.test('_revisions and _restore answer 405 with Allow to other methods', async (t) => {
  const path = `${project}/docs/this.md`
  for (const [method, call, allow] of [
    ['POST', '_revisions', 'GET, HEAD'],
    ['PUT', '_revisions', 'GET, HEAD'],
    ['GET', '_restore', 'POST'],
    ['DELETE', '_restore', 'POST'],
  ] as const) {
    const { status, headers } = await request(method, `${path}/${call}`, {
      body: method === 'GET' ? '' : '{}',
    })
    t.strictSame([status, headers.allow], [405, allow], `${method} ${call}`)
  }
})
