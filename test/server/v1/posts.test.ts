import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { defaultConfig } from '../../../core/config.ts'
import { mention } from '../../support/chat.ts'
import { fetchEvents, fetchNewestCursor } from '../../support/live-events.ts'
import { startWorkroom } from '../../support/workroom.ts'

const limits = { ...defaultConfig.limits, markdownBytes: 600_000 }
const workroom = await startWorkroom(t, { config: { limits } })
const { request, addMember, clock, home, owner, workspace } = workroom
const general = workspace.stores.projects.find('general')!
const tree = '/v1/fs/projects/general'
const grace = await addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const bot = await addMember({ name: 'Bot', type: 'agent' }, 'general')
const eve = await addMember({ name: 'Eve', type: 'human' })

type Actor = Pick<typeof grace, 'key'>
const call = (actor: Actor, method: string, path: string, body?: unknown) =>
  request(method, `/v1${path}`, { key: actor.key, ...(body !== undefined && { body }) })
const refusal = async (...args: Parameters<typeof call>): Promise<[number, string]> => {
  const { status, json } = await call(...args)
  return [status, json.error]
}
const post = async (title: string, body = 'Text.', more: object = {}, actor: Actor = grace) => {
  const response = await call(actor, 'POST', '/posts', { projectId: 'general', title, body, ...more })
  if (response.status !== 201) throw new Error(response.text)
  return response.json.post
}
const get = async (id: string, actor: Actor = grace) => (await call(actor, 'GET', `/posts/${id}`)).json.post
/** Creates a project, so that its pages hold only what its test posts. */
const freshProject = async (name: string) =>
  (await call(owner, 'POST', '/projects', { name })).json.project as { _id: string; slug: string }
const keyWith = async (...scopes: string[]): Promise<Actor> =>
  workspace.stores.members.addKey(bot.member.id, { scopes })

t.test('a created post is a file, an event and a mention like any other', async (t) => {
  const since = await fetchNewestCursor(workroom)
  const body = `Dear ${mention(owner)} and @Bot,\n\nwe have *moved* in.`
  const { status, json } = await call(grace, 'POST', '/posts', {
    projectId: 'general',
    title: 'Hello!',
    body,
  })
  t.equal(status, 201)
  const { _id, filename, ...rest } = json.post
  const day = new Date(clock.now()).toISOString().slice(0, 10)
  t.equal(filename, `${day}-hello.md`)
  t.strictSame(rest, {
    projectId: general.id,
    title: 'Hello!',
    body: `Dear ${mention(owner)} and ${mention(bot)},\n\nwe have *moved* in.`,
    author: { _id: grace.member.id, name: 'Grace Hopper', type: 'human' },
    publishedAt: clock.now(),
    editedAt: null,
    isDraft: false,
    isPinned: false,
    scheduledFor: null,
    commentCount: 0,
    lastActivityAt: clock.now(),
    path: `${tree}/posts/${filename}`,
    url: `${workroom.url}/projects/general/posts/${filename.replace('.md', '')}`,
  })
  t.strictSame(await get(_id, bot), json.post, 'a later read is the same')
  const file = readFileSync(join(home, 'projects/general/posts', filename), 'utf8')
  t.equal(file, `# Hello!\n\n${json.post.body}`)
  t.match((await request('GET', rest.path)).text, 'Dear @Ada and @Bot,')
  t.match((await fetchEvents(workroom, owner, since)).events, [
    { type: 'doc.write', docId: _id, title: 'Hello!' },
  ])
  t.match((await request('GET', '/v1/fs/inbox/mentions.md', { key: bot.key })).text, 'Hello')
})

t.test('the project may be in the path, by its id or its slug', async (t) => {
  for (const project of [general.id, 'general']) {
    const { status, json } = await call(grace, 'POST', `/projects/${project}/posts`, { title: 'P', body: '' })
    t.match([status, json.post.projectId], [201, general.id])
    t.equal((await post('P', '', { projectId: project })).projectId, general.id)
  }
})

t.test('a title is the same in the file, whatever characters it has', async (t) => {
  const titles = [
    'snake_case & C#',
    '*Stars*, `code`, [links](x) and <b>tags</b>',
    '# not a level #',
    '#',
    '1. A list? - no',
    'back\\slash &amp; &#35;',
    '_edges_ ~gone~ ![x](y)',
    'see https://example.org/_a_*b*',
    '한글 — émoji 🎉',
    'x'.repeat(200),
  ]
  for (const title of titles) {
    const created = await post(`  ${title} `)
    t.strictSame([created.title, created.body], [title, 'Text.'], title)
  }
  const named = await post(`For ${mention(bot)} and @Ada`)
  t.equal(named.title, 'For @Bot and @Ada')
})

t.test('a text that begins with its title gets no second title', async (t) => {
  const cases: [title: string, body: string, shown: string, file: string][] = [
    ['Plan', '# Plan\n\nText.', 'Text.', '# Plan\n\nText.'],
    ['Plan', '\n\n#  Plan ##\r\nText.\r\n', 'Text.\r\n', '#  Plan ##\r\nText.\r\n'],
    ['A*b', '# A\\*b', '', '# A\\*b'],
    ['Plan', '# Other\n\nText.', '# Other\n\nText.', '# Plan\n\n# Other\n\nText.'],
    ['Plan', '## Plan\n', '## Plan\n', '# Plan\n\n## Plan\n'],
    ['Plan', '---\na: b\n---\n', '---\na: b\n---\n', '# Plan\n\n---\na: b\n---\n'],
    ['Plan', ' \n', '', '# Plan\n'],
  ]
  for (const [title, body, shown, file] of cases) {
    const created = await post(title, body)
    t.strictSame([created.title, created.body], [title, shown], JSON.stringify(body))
    t.equal(readFileSync(join(home, 'projects/general/posts', created.filename), 'utf8'), file)
  }
  const setext = await request('PUT', `${tree}/posts/setext.md`, { body: 'Under\n=====\n\nText.\n' })
  t.equal((await get(setext.json.id)).body, 'Text.\n')
  const below = await request('PUT', `${tree}/posts/below.md`, { body: 'First.\n\n# Below\n' })
  t.match(await get(below.json.id), { title: 'Below', body: 'First.\n\n# Below\n' })
})

t.test('every request creates a new post, even with the same title', async (t) => {
  const [one, other] = await Promise.all([post('Twice'), post('Twice', 'Other.')])
  t.not(one._id, other._id)
  t.not(one.filename, other.filename)
})

t.test('a draft is its author’s alone, and a scheduled draft is published at its time', async (t) => {
  const draft = await post('Soon', 'Text.', { isDraft: true })
  t.match(draft, { isDraft: true, scheduledFor: null, path: new RegExp(`^${tree}/drafts/`) })
  t.match(await get(draft._id), { _id: draft._id, body: 'Text.' })
  t.match(await refusal(owner, 'GET', `/posts/${draft._id}`), [404, /no post/])

  const at = clock.now() + 60_000
  const timed = await post('Timed', 'Text.', { scheduledFor: at })
  t.match(timed, { isDraft: true, scheduledFor: at, body: 'Text.' })
  t.match(
    (await request('GET', timed.path, { key: grace.key })).text,
    `scheduledFor: ${new Date(at).toISOString()}`,
  )
  const iso = await post('Iso', '', { isDraft: true, scheduledFor: '2100-01-01T00:00:00Z' })
  t.equal(iso.scheduledFor, Date.UTC(2100, 0, 1))
  clock.advance(60_000)
  const published = await workroom.eventually(async () => {
    const now = await get(timed._id, bot)
    return now?.isDraft === false && now
  })
  t.match(published, { publishedAt: at, scheduledFor: null, lastActivityAt: at, body: 'Text.' })

  const name = draft.filename
  renameSync(
    join(home, 'projects/general/drafts/grace-hopper', name),
    join(home, 'projects/general/posts', name),
  )
  t.match(await get(draft._id, bot), { isDraft: false, body: 'Text.' }, 'a move by hand shows at once')
})

t.test('an invalid post is refused with a message', async (t) => {
  const good = { projectId: 'general', title: 'T', body: 'B' }
  const cases: [body: object, status: number, message: RegExp][] = [
    [{ projectId: undefined }, 400, /field projectId/],
    [{ title: undefined }, 400, /field title/],
    [{ body: undefined }, 400, /field body/],
    [{ title: ' ' }, 400, /one line of 1 to 200/],
    [{ title: 'a\nb' }, 400, /one line of 1 to 200/],
    [{ title: 'x'.repeat(201) }, 400, /one line of 1 to 200/],
    [{ body: 'a\0b' }, 400, /an invalid character/],
    [{ body: 'a\ud800b' }, 400, /an invalid character/],
    [{ body: 'x'.repeat(600_001) }, 413, /at most 600000 bytes/],
    [{ isDraft: 'yes' }, 400, /isDraft must be true or false/],
    [{ scheduledFor: true }, 400, /scheduledFor must be a time/],
    [{ scheduledFor: 'tomorrow' }, 400, /scheduledFor must be a time/],
    [{ scheduledFor: '2026-02-30T00:00:00Z' }, 400, /scheduledFor must be a time/],
    [{ scheduledFor: '2030-02-01T09:00:00' }, 400, /with its zone/],
    [{ scheduledFor: '' }, 400, /scheduledFor must be a time/],
    [{ scheduledFor: -1 }, 400, /scheduledFor must be a time/],
    [{ scheduledFor: 1e15 }, 400, /scheduledFor must be a time/],
    [{ scheduledFor: 1, isDraft: false }, 400, /is a draft until then/],
    [{ projectId: 'nothing' }, 404, /no project nothing/],
  ]
  const { length } = (await call(grace, 'GET', '/projects/general/posts?limit=100')).json.posts
  for (const [change, status, message] of cases) {
    const body = { ...good, ...change }
    t.match(
      await refusal(grace, 'POST', '/posts', body),
      [status, message],
      JSON.stringify(change).slice(0, 60),
    )
  }
  t.match(await refusal(eve, 'POST', '/posts', good), [403, /not a member/])
  t.match(await refusal(eve, 'POST', '/projects/general/posts', good), [403, /not a member/])
  t.equal((await call(grace, 'GET', '/projects/general/posts?limit=100')).json.posts.length, length)
})

t.test('posts are paged, most recent activity first, and no page repeats one', async (t) => {
  const { slug } = await freshProject('Paged')
  const titles: string[] = []
  for (let n = 1; n <= 25; n++) {
    await post(`Post ${n}`, 'Text.', { projectId: slug }, owner)
    titles.unshift(`Post ${n}`)
    if (n % 5 === 0) clock.advance(1000)
  }
  await post('Draft', 'Text.', { projectId: slug, isDraft: true }, owner)
  const page = async (query: string) => {
    const { json } = await call(owner, 'GET', `/projects/${slug}/posts?${query}`)
    return { ...json, titles: json.posts.map(({ title }: { title: string }) => title) }
  }
  const first = await page('')
  t.strictSame(first.titles, titles.slice(0, 20), '20 is the default')
  const edited = first.posts.at(-1)
  writeFileSync(join(home, 'projects', slug, 'posts', edited.filename), '# Post 6\n\nBy hand.\n')
  t.equal((await get(edited._id, owner)).body, 'By hand.\n')
  await request('DELETE', first.posts[19].path)
  const rest = await page(`cursor=${first.nextCursor}`)
  t.strictSame(
    [rest.titles, rest.nextCursor],
    [titles.slice(20), null],
    'even if the last one shown is deleted',
  )
  t.equal((await page('limit=500')).titles.length, 24)

  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { titles: some, nextCursor } = await page(`limit=7&cursor=${cursor}`)
    seen.push(...some)
    if (nextCursor === null) break
    cursor = nextCursor
  }
  t.strictSame(seen.toSorted(), titles.filter((title) => title !== 'Post 6').toSorted())
})

t.test('a page ends early if its posts are long', async (t) => {
  const { slug } = await freshProject('Long')
  const body = `\`\`\`\n${'x'.repeat(530_000)}\n\`\`\`\n`
  for (const title of ['Long', 'Longer']) await post(title, body, { projectId: slug }, owner)
  const first = (await call(owner, 'GET', `/projects/${slug}/posts?limit=100`)).json
  t.strictSame([first.posts.length, first.posts[0].title], [1, 'Longer'], 'it holds 1 MB')
  const second = (await call(owner, 'GET', `/projects/${slug}/posts?cursor=${first.nextCursor}`)).json
  t.strictSame([second.posts.length, second.posts[0].title, second.nextCursor], [1, 'Long', null])
})

t.test('an invalid limit or cursor is refused', async (t) => {
  const { slug } = await freshProject('Cursors')
  await post('One', '', { projectId: slug }, owner)
  await post('Two', '', { projectId: slug }, owner)
  const { nextCursor } = (await call(owner, 'GET', `/projects/${slug}/posts?limit=1`)).json
  t.ok(nextCursor)
  for (const limit of ['0', '-1', '1.5', 'x', '']) {
    t.match(
      await refusal(owner, 'GET', `/projects/${slug}/posts?limit=${limit}`),
      [400, /whole number/],
      limit,
    )
  }
  for (const cursor of ['x', `${nextCursor}x`, `1-${general.id}`, nextCursor.replace(/.$/, '!')]) {
    t.match(await refusal(owner, 'GET', `/projects/${slug}/posts?cursor=${cursor}`), [
      400,
      /does not belong to this list/,
    ])
  }
  t.match(
    await refusal(grace, 'GET', `/projects/general/posts?cursor=${nextCursor}`),
    [400, /does not belong to this list/],
    'a cursor of another project',
  )
  t.match(await refusal(eve, 'GET', '/projects/general/posts'), [403, /not a member/])
  t.match(await refusal(eve, 'GET', '/projects/nothing/posts'), [404, /no project/])
})

t.test('leads, owners and admins can pin a post, which changes nothing else of it', async (t) => {
  const { slug } = await freshProject('Pinned')
  const created = await post('Pin me', 'Text.', { projectId: slug }, owner)
  const since = await fetchNewestCursor(workroom)
  await call(owner, 'POST', `/projects/${slug}/members`, { memberId: bot.member.id, role: 'lead' })
  await call(owner, 'POST', `/projects/${slug}/members`, { memberId: grace.member.id })
  const etag = (await request('GET', created.path)).headers.etag!
  const pinned = { ...created, isPinned: true }
  for (let n = 0; n < 2; n++) {
    const response = await call(bot, 'POST', `/posts/${created._id}/pin`)
    t.strictSame([response.status, response.json], [200, { post: pinned }], 'can be repeated')
  }
  const read = await request('GET', created.path, { headers: { 'If-None-Match': etag } })
  t.match([read.status, read.text, read.headers.etag], [200, '\nisPinned: true\n', etag])
  t.strictSame((await fetchEvents(workroom, owner, since, 'self=include')).events, [])
  t.match(await refusal(grace, 'POST', `/posts/${created._id}/unpin`), [403, /lead of the project/])
  t.match(await refusal(eve, 'POST', `/posts/${created._id}/pin`), [403, /not a member/])
  t.strictSame((await call(owner, 'POST', `/posts/${created._id}/unpin`)).json, { post: created })
  t.equal((await request('GET', created.path, { headers: { 'If-None-Match': etag } })).status, 304)

  const draft = await post('Draft', '', { projectId: slug, isDraft: true }, owner)
  t.match(await refusal(owner, 'POST', `/posts/${draft._id}/pin`), [400, /Publish it first/])
  t.match(await refusal(bot, 'POST', `/posts/${draft._id}/pin`), [404, /no post/])
  await request('DELETE', created.path)
  for (const [method, path] of [
    ['POST', '/pin'],
    ['POST', '/unpin'],
    ['GET', ''],
  ] as const) {
    t.match(await refusal(owner, method, `/posts/${created._id}${path}`), [404, /no post/], path)
  }
  t.match(await refusal(owner, 'GET', '/posts/doc_nothing'), [404, /no post/])
})

t.test('each request needs the scope of what it reads or writes', async (t) => {
  const { _id } = await post('Scoped', '', {}, bot)
  const draft = await post('Scoped draft', '', { isDraft: true }, bot)
  const fields = { projectId: 'general', title: 'X', body: '' }
  const cases: [scope: string, method: string, path: string, body?: object][] = [
    ['posts:read', 'GET', '/projects/general/posts'],
    ['posts:read', 'GET', `/posts/${_id}`],
    ['drafts:read', 'GET', `/posts/${draft._id}`],
    ['posts:write', 'POST', '/posts', fields],
    ['drafts:write', 'POST', '/posts', { ...fields, isDraft: true }],
    ['posts:write', 'POST', `/posts/${_id}/pin`],
  ]
  for (const [scope, method, path, body] of cases) {
    t.match(await refusal(await keyWith('rooms:read'), method, path, body), [403, new RegExp(scope)], path)
    const { status } = await call(await keyWith(scope), method, path, body)
    t.equal(status, path.endsWith('/pin') ? 403 : method === 'GET' ? 200 : 201, `${method} ${path}`)
  }
  const scheduled = { ...fields, scheduledFor: '2100-01-01T00:00:00Z' }
  t.match(await refusal(await keyWith('drafts:write'), 'POST', '/posts', scheduled), [403, /posts:write/])
  t.equal((await call(await keyWith('drafts:write', 'posts:write'), 'POST', '/posts', scheduled)).status, 201)
})
