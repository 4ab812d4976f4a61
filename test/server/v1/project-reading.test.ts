import t from 'tap'
import { davClient } from '../../support/dav-client.ts'
import { fetchEvents, fetchNewestCursor, holdRequest } from '../../support/live-events.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, addMember, owner, workspace, clock } = workroom
clock.advance(1000)
const lead = await addMember({ name: 'Lea', type: 'human' })
const admin = await addMember({ name: 'Max', type: 'human', role: 'admin' })

type Actor = typeof lead
const send = async (actor: Actor, method: string, path: string, body?: unknown) => {
  const response = await request(method, path, { key: actor.key, ...(body !== undefined && { body }) })
  return response
}

/** A project that only Lea is in, with something of every kind; every text has the word zircon. */
const { project } = (await send(lead, 'POST', '/v1/projects', { name: 'Sealed' })).json
const tree = '/v1/fs/projects/sealed'
const put = async (path: string, body: string) => (await send(lead, 'PUT', `${tree}/${path}`, body)).json
const target = (await send(owner, 'PUT', '/v1/fs/projects/general/docs/x.md', '# Known\n')).json
const document = await put('docs/x.md', `# Zircon\n\n[[n:${target.id}]]\n`)
const post = await put('posts/x.md', '# Zircon post\n')
const card = await put('board/todo/x.md', '# Zircon card\n')
const deleted = await put('docs/gone.md', '# Zircon gone\n')
await send(lead, 'DELETE', deleted.path)
const { comment } = (await send(lead, 'POST', `/v1/posts/${post.id}/comments`, { body: 'zircon' })).json
const { _id: roomId } = (
  await send(lead, 'POST', '/api/rooms', { name: 'Sealed talk', type: 'open', projectId: project._id })
).json
await send(lead, 'POST', `/api/rooms/${roomId}/messages`, { body: 'zircon' })
const { askId } = (await send(lead, 'POST', '/api/asks', { project: 'sealed', title: 'zircon?' })).json
const file = (await send(lead, 'POST', `${tree}/posts/zircon-post.md/attachments?name=zircon.txt`, 'x')).json
await send(lead, 'POST', `${tree}/library/files?name=zircon.txt`, 'zircon')
await send(lead, 'POST', `${document.path}/_presence`)

const readings = [
  '/v1/projects/sealed',
  '/v1/projects/sealed/posts',
  `/v1/posts/${post.id}`,
  `/v1/posts/${post.id}/comments`,
  ...['', '/posts', '/drafts', '/library', '/library/documents', '/docs', '/board', '/board/02-todo'].map(
    (path) => tree + path,
  ),
  ...['/plan.md', '/map.md', '/asks.md', '/links.md', '/refs?q=zircon', '/skills', '/trash'].map(
    (path) => tree + path,
  ),
  ...['/library/files', '/library/files/zircon.txt', '/library/repositories'].map((path) => tree + path),
  ...[document, post, card].flatMap(({ path }) => [
    path,
    `${path}?view=blocks`,
    `${path}/_revisions`,
    `${path}/_backlinks`,
  ]),
  `${tree}/posts/zircon-post.md/attachments/${file.id}`,
  '/v1/events?wait=0&project=sealed',
  '/v1/search?q=zircon&project=sealed',
  '/api/asks?project=sealed',
  `/api/asks/${askId}`,
  `/api/rooms/${roomId}`,
  `/api/rooms/${roomId}/messages`,
  '/v1/fs/rooms/sealed-talk.md',
]
const writings: [method: string, path: string, body?: unknown][] = [
  ['PUT', `${tree}/docs/new.md`, '# New\n'],
  ['PUT', document.path, '# Zircon\n'],
  ['DELETE', document.path],
  ['POST', `${document.path}/_presence`],
  ['PUT', `${tree}/posts/new.md`, '# New\n'],
  ['DELETE', post.path],
  ['POST', `/v1/posts/${post.id}/pin`],
  ['POST', `/v1/posts/${post.id}/comments`, { body: 'x' }],
  ['DELETE', `/v1/posts/${post.id}/comments/${comment._id}`],
  ['POST', `${card.path}/_move`, { toColumn: 'done' }],
  ['POST', `${tree}/trash/${deleted.id}/_restore`],
  ['PUT', `${tree}/plan.md`, 'A goal.\n'],
  ['DELETE', `${tree}/library/files/zircon.txt`],
  ['POST', `/api/rooms/${roomId}/join`],
  ['POST', `/api/asks/${askId}/claim`],
]

t.test('owners and admins who are not in a project get 403 for everything in it', async (t) => {
  for (const actor of [owner, admin]) {
    for (const path of readings) {
      const { status, text } = await send(actor, 'GET', path)
      t.equal(status, 403, `${actor.member.name} GET ${path}`)
      t.notMatch(text, 'zircon post', path)
    }
    for (const [method, path, body] of writings) {
      t.equal((await send(actor, method, path, body)).status, 403, `${actor.member.name} ${method} ${path}`)
    }
  }
  const { status, json } = await send(admin, 'GET', document.path)
  t.equal(status, 403)
  t.match(json.message, `POST /v1/projects/${project._id}/members with {"memberId": "${admin.member.id}"}`)
  for (const path of readings) t.equal((await send(lead, 'GET', path)).status, 200, path)
})

t.test('no list, search, page or mount shows owners a project that they are not in', async (t) => {
  for (const actor of [owner, admin]) {
    const lists = [
      '/v1/fs/projects',
      '/v1/fs',
      '/v1/projects',
      '/v1/events?since=0&wait=0',
      '/v1/presence',
      '/v1/search?q=zirc',
      '/api/asks',
      '/api/rooms?all=1',
      '/v1/fs/rooms',
      '/v1/fs/inbox/mentions.md',
    ]
    for (const path of lists) {
      const { status, text } = await send(actor, 'GET', path)
      t.equal(status, 200, path)
      t.notMatch(text, /zircon|sealed/i, `${actor.member.name} ${path}`)
    }
    const dav = davClient(workroom, actor.key)
    t.notOk((await dav.list('/projects')).includes('sealed'))
    t.equal((await dav.send('PROPFIND', '/projects/sealed', { headers: { Depth: '1' } })).status, 403)
    t.equal((await dav.send('GET', '/projects/sealed/documents/zircon.md')).status, 403)
    const browser = new ScriptlessBrowser(workroom)
    await browser.signIn(actor.key)
    for (const path of ['/', '/search?q=zirc', '/inbox', '/rooms']) {
      t.notMatch((await browser.open(path)).text, /zircon|sealed/i, path)
    }
    t.equal((await browser.open('/projects/sealed/docs/zircon')).status, 403)
    const page = await browser.open('/projects/sealed')
    t.match(page.text, 'Add yourself')
    t.notMatch(page.text, /zircon/i)
  }
  const { backlinks } = (await send(owner, 'GET', `${target.path}/_backlinks`)).json
  t.strictSame(backlinks, [], 'a link from there is hidden')
})

t.test('a document event reaches no owner outside of the project, held requests included', async (t) => {
  const since = await fetchNewestCursor(workroom)
  const held = await holdRequest(workroom, owner, since)
  await put('docs/y.md', '# Zircon two\n')
  await send(owner, 'PUT', '/v1/fs/projects/general/docs/y.md', '# Mine\n')
  const { json } = await request('POST', '/api/rooms/general/messages', {
    key: lead.key,
    body: { body: 'hi' },
  })
  const { events } = await held.response
  t.match(events, [{ type: 'message', messageId: json.messageId }])
  t.equal(events.length, 1)
  t.strictSame((await fetchEvents(workroom, owner, since, `doc=${document.id}`)).events, [])
})

t.test('owners and admins can list every project by name, and others their own', async (t) => {
  const listed = async (actor: Actor, query = '') =>
    (await send(actor, 'GET', `/v1/projects${query}`)).json.projects.map(
      ({ slug, role }: { slug: string; role: string | null }) => [slug, role],
    )
  t.strictSame(await listed(owner), [['general', 'lead']])
  t.strictSame(await listed(owner, '?all=1'), [
    ['general', 'lead'],
    ['sealed', null],
  ])
  t.strictSame(await listed(admin, '?all=1'), [
    ['general', null],
    ['sealed', null],
  ])
  t.strictSame(await listed(lead, '?all=1'), [['sealed', 'lead']])
})

t.test('owners and admins can rename, archive and manage a project that they are not in', async (t) => {
  const path = '/v1/projects/sealed'
  t.match((await send(admin, 'PATCH', path, { name: 'Sealed off' })).json.project, { role: null })
  t.equal((await send(admin, 'PATCH', path, { archived: true })).status, 200)
  t.equal((await send(owner, 'PATCH', path, { archived: false })).status, 200)
  t.match((await send(admin, 'GET', `${path}/members`)).json.members, [{ name: 'Lea', role: 'lead' }])
  t.match((await send(owner, 'GET', '/v1/fs/audit/usage.md')).text, /sealed/)
  const browser = new ScriptlessBrowser(workroom)
  await browser.signIn(admin.key)
  const page = await browser.open('/projects/sealed/settings')
  t.match(page, { status: 200, text: /Add yourself/ })
  t.match((await browser.open('/projects')).text, /Projects that you are not in/)
})

t.test(
  'members of a project learn whom an owner or admin outside of it adds, including themselves',
  async (t) => {
    const since = await fetchNewestCursor(workroom)
    const held = await holdRequest(workroom, lead, since)
    const path = '/v1/projects/sealed/members'
    t.equal((await send(admin, 'POST', path, { memberId: admin.member.id })).status, 201)
    const { events } = await held.response
    t.strictSame(events, [
      {
        type: 'project.join',
        ts: clock.now(),
        projectId: project._id,
        memberId: admin.member.id,
        memberName: 'Max',
        memberType: 'human',
        role: 'member',
        author: 'Max',
        authorId: admin.member.id,
        authorType: 'human',
      },
    ])
    t.equal((await send(admin, 'GET', document.path)).status, 200, 'the added admin reads it now')
    const bot = await addMember({ name: 'Bot', type: 'agent' })
    const next = await fetchNewestCursor(workroom)
    await send(owner, 'POST', path, { memberId: bot.member.id })
    await send(owner, 'POST', path, { memberId: bot.member.id })
    const expected = { memberId: bot.member.id, author: 'Ada', projectId: project._id }
    for (const actor of [lead, bot, admin]) {
      const response = await fetchEvents(workroom, actor, next)
      t.match(response.events, [expected], actor.member.name)
      t.equal(response.events.length, 1, 'adding again changes nothing')
    }
    t.strictSame((await fetchEvents(workroom, owner, next)).events, [], 'the owner is not in the project')
    const after = await fetchNewestCursor(workroom)
    await send(lead, 'POST', path, { memberId: bot.member.id, role: 'lead' })
    t.strictSame((await fetchEvents(workroom, bot, after)).events, [], 'a change by a lead is no such event')
    await workspace.stores.projects.leave(workspace.stores.projects.find('sealed')!, admin.member)
    t.equal((await send(admin, 'GET', document.path)).status, 403)
  },
)
