import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, clock, owner, home } = workroom
const project = '/v1/fs/projects/general'
const posts = `${project}/posts`

const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const admin = await workroom.addMember({ name: 'Linus', type: 'human', role: 'admin' }, 'general')

const put = (path: string, body: string, key = owner.key) => request('PUT', path, { body, key })
const listed = async () => (await request('GET', posts)).json.posts

t.test('a PUT under posts/ publishes, with today’s date', async (t) => {
  const { status, json } = await put(`${posts}/hello.md`, '# Hello\n\nText.\n')
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  t.match([status, json], [201, { filename: `${day}-hello.md`, created: true }])
  t.equal(json.url, `${workroom.url}/projects/general/posts/${day}-hello`)
  t.strictSame(await listed(), [
    {
      filename: json.filename,
      id: json.id,
      title: 'Hello',
      publishedAt: clock.now(),
      isDraft: false,
      path: json.path,
      url: json.url,
    },
  ])
  t.equal((await request('GET', json.path, { key: grace.key })).status, 200)
})

t.test('a PUT to a published post is 409 for its author and 403 for anyone else, also admins', async (t) => {
  const { json } = await put(`${posts}/fixed.md`, '# Fixed\n\nText.\n', grace.key)
  const read = (await request('GET', json.path)).text
  for (const name of [json.filename, 'fixed', 'fixed.md', json.id]) {
    for (const body of ['# Fixed\n\nOther.\n', '# New title\n', read]) {
      const own = await put(`${posts}/${name}`, body, grace.key)
      t.match([own.status, own.json], [409, { error: 'conflict', message: /Published posts are immutable/ }])
      t.notOk('currentRevision' in own.json, 'no revision would make it possible')
      for (const key of [admin.key, owner.key]) {
        const other = await put(`${posts}/${name}`, body, key)
        t.match([other.status, other.json], [403, { error: 'forbidden' }])
      }
    }
  }
  t.equal((await request('GET', json.path)).text, read)
  t.equal((await request('GET', `${json.path}/_revisions`)).json.revisions.length, 1)
})

t.test('a post cannot be restored to an older revision, nor written with any condition', async (t) => {
  const { json, headers } = await put(`${posts}/condition.md`, '# Condition\n')
  const body = { revision: headers['x-service-revision'] }
  t.equal((await request('POST', `${json.path}/_restore`, { body })).status, 409)
  const write = (headers: Record<string, string>) =>
    request('PUT', json.path, { body: '# Condition\n\nx\n', headers })
  t.match((await write({ 'If-Match': headers.etag! })).json.message, /immutable/)
  t.equal((await write({ 'If-None-Match': '*' })).status, 409)
})

t.test('a PUT to an address without a post publishes, also if the title is taken', async (t) => {
  await put(`${posts}/a.md`, '# Twice\n')
  const { json } = await put(`${posts}/b.md`, '# Twice\n')
  t.match(json, { filename: /-twice-2\.md$/, created: true })
})

t.test('a post without a title is not published, and nobody is notified', async (t) => {
  const before = (await listed()).length
  t.equal((await put(`${posts}/none.md`, 'Dear @Grace\n')).status, 422)
  t.equal((await listed()).length, before)
  t.notMatch((await request('GET', '/v1/fs/inbox/mentions.md', { key: grace.key })).text, /none/)
})

t.test('posts are listed with the most recent activity first', async (t) => {
  clock.advance(60_000)
  await put(`${posts}/x.md`, '# Older\n')
  clock.advance(60_000)
  await put(`${posts}/y.md`, '# Newer\n')
  t.strictSame(
    (await listed()).slice(0, 2).map(({ title }: { title: string }) => title),
    ['Newer', 'Older'],
  )
})

t.test('a post is deleted by its author, an owner or an admin, and is removed from every list', async (t) => {
  const publish = async (n: number) => (await put(`${posts}/gone.md`, `# Gone ${n}\n`, grace.key)).json
  const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
  const kept = await publish(0)
  const refused = await request('DELETE', kept.path, { key: bot.key })
  t.match([refused.status, refused.json], [403, { error: 'forbidden', message: /author/ }])
  for (const [n, key] of [grace.key, owner.key, admin.key].entries()) {
    const { id, filename, path } = await publish(n + 1)
    const file = join(home, 'projects/general/posts', filename)
    t.ok(existsSync(file))
    const deleted = await request('DELETE', path, { key })
    t.strictSame([deleted.status, deleted.json], [200, { id, filename, deleted: true }])
    t.notOk(existsSync(file))
    t.equal((await request('GET', path)).status, 404)
    t.equal((await request('DELETE', path)).status, 404)
    t.notOk((await listed()).some((row: { id: string }) => row.id === id))
    t.notOk(
      (await request('GET', `${project}/trash`)).json.trash.some((row: { id: string }) => row.id === id),
    )
  }
  t.equal((await request('GET', kept.path)).status, 200)
})

t.test('after the newest post of a slug was deleted, the slug answers the previous one', async (t) => {
  const older = (await put(`${posts}/o.md`, '# Echo\n\n1\n')).json
  clock.advance(1000)
  const newer = (await put(`${posts}/n.md`, '# Echo\n\n2\n')).json
  await request('DELETE', newer.path)
  t.match((await request('GET', `${posts}/echo`)).text, `id: ${older.id}\n`)
})
