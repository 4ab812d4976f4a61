import t from 'tap'
import { renameMember } from '../../support/rename-member.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const project = '/v1/fs/projects/general'

const put = (path: string, body: string) => request('PUT', path, { body })
/** The status of a read by a caller who has this revision already. */
const askedWith = async (etag: string | undefined, path: string) =>
  (await request('GET', path, { headers: { 'If-None-Match': etag! } })).status

t.test('a read answers its page and its revision, which is that of the bytes on the disk', async (t) => {
  const { createHash } = await import('node:crypto')
  for (const folder of ['docs', 'drafts', 'board/01-triage', 'posts']) {
    const body = `# In ${folder}\n\nText.\n`
    const { json } = await put(`${project}/${folder}/x.md`, body)
    const { headers } = await request('GET', json.path)
    const revision = createHash('sha256').update(body).digest('hex').slice(0, 20)
    t.match(headers, { etag: `"${revision}"`, 'x-service-revision': revision, 'x-service-url': json.url })
    t.equal(await askedWith(`"${revision}"`, json.path), 304)
  }
})

t.test('HEAD answers wherever GET does, with the same status and headers and no body', async (t) => {
  const { json } = await put(`${project}/docs/head.md`, '# Head\n')
  for (const path of [
    '/v1/fs',
    '/v1/fs/README.md',
    '/v1/fs/me/api-key',
    '/v1/fs/inbox/mentions.md',
    '/v1/fs/projects',
    project,
    ...['posts', 'drafts', 'library', 'library/documents', 'docs', 'board', 'board/02-todo', 'trash'].map(
      (folder) => `${project}/${folder}`,
    ),
    json.path,
    `${json.path}?view=blocks`,
    `${json.path}?view=outline`,
    `${json.path}/_revisions`,
    `${project}/docs/nothing`,
  ]) {
    const [get, head] = [await request('GET', path), await request('HEAD', path)]
    t.strictSame([head.status, head.text], [get.status, ''], path)
    for (const header of ['content-type', 'etag', 'x-service-url', 'x-service-revision'])
      t.equal(head.headers[header], get.headers[header], `${path} ${header}`)
    if (get.status === 200) t.equal(head.headers['content-length'], get.headers['content-length'], path)
  }
})

t.test('after a member was renamed, each file that shows the name is sent again', async (t) => {
  const bob = await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')
  const mentioning = await put(`${project}/docs/mentioning.md`, '# Mentioning\n\nAsk @Bob.\n')
  const written = await request('PUT', `${project}/docs/by-bob.md`, { key: bob.key, body: '# By Bob\n' })
  const other = await put(`${project}/docs/other.md`, '# Other\n')
  for (const { headers, json } of [mentioning, written, other])
    t.equal(await askedWith(headers.etag, json.path), 304)

  await renameMember(home, bob.member.id, 'Robert')
  t.equal(await askedWith(mentioning.headers.etag, mentioning.json.path), 200)
  t.equal(await askedWith(written.headers.etag, written.json.path), 200)
  t.equal(await askedWith(other.headers.etag, other.json.path), 304, 'this one does not show the name')
  t.match((await request('GET', mentioning.json.path)).text, /mentions: \["Robert"\][\s\S]*Ask @Robert\./)

  await renameMember(home, bob.member.id, 'Bob')
  t.equal(await askedWith(mentioning.headers.etag, mentioning.json.path), 304, 'as in that revision')
})

t.test('a card that moved is sent again, though its bytes are the same', async (t) => {
  const { json, headers } = await put(`${project}/board/02-todo/move.md`, '# Move me\n')
  t.equal(await askedWith(headers.etag, json.path), 304)
  const moved = (await request('POST', `${json.path}/_move`, { body: { toColumn: 'done' } })).json
  const read = await request('GET', moved.path, { headers: { 'If-None-Match': headers.etag! } })
  t.equal(read.status, 200)
  t.match(read.text, /^columnId: 04-done$/m)
  await put(moved.path, '# Move me\n\nText.\n')
  const etag = (await request('GET', moved.path)).headers.etag
  t.equal(await askedWith(etag, moved.path), 304)
})

t.test('a draft that was published is sent again, though its bytes are the same', async (t) => {
  const draft = await put(`${project}/drafts/soon.md`, '# Soon\n')
  workroom.clock.advance(60_000)
  const post = (await request('POST', `${draft.json.path}/_publish`)).json
  const read = await request('GET', post.path, { headers: { 'If-None-Match': draft.headers.etag! } })
  t.equal(read.status, 200)
  t.match(read.text, new RegExp(`^publishedAt: ${new Date(workroom.clock.now()).toISOString()}$`, 'm'))
})

t.test('a project’s briefing is 304 until something in it changes', async (t) => {
  const { etag } = (await request('GET', project)).headers
  t.equal(await askedWith(etag, project), 304)
  await put(`${project}/docs/one-more.md`, '# One more\n')
  t.equal(await askedWith(etag, project), 200)
})

t.test('the ETag of the current revision does not make a read of an older one 304', async (t) => {
  const path = `${project}/docs/older.md`
  const first = (await put(path, '# Older\n\nOne.\n')).headers
  await put(path, '# Older\n\nTwo.\n')
  const read = await request('GET', `${path}?revision=${first['x-service-revision']}`)
  t.match([read.status, read.headers.etag], [200, first.etag])
  t.match(read.text, /One\.\n$/)
})
