import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { fetchNewestCursor, holdRequest } from '../../support/live-events.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, addMember, clock, home, owner, workspace } = workroom
const [lead, grace, eve, bot] = [
  await addMember({ name: 'Lea', type: 'human' }),
  await addMember({ name: 'Grace Hopper', type: 'human' }),
  await addMember({ name: 'Eve', type: 'human' }),
  await addMember({ name: 'Bot', type: 'agent' }),
]
const admin = await addMember({ name: 'Max', type: 'human', role: 'admin' })

type Actor = typeof lead
const call = (actor: Actor, method: string, path = '', body?: unknown) =>
  request(method, `/v1/projects${path}`, { key: actor.key, ...(body !== undefined && { body }) })
const refusal = async (...args: Parameters<typeof call>): Promise<[number, string]> => {
  const { status, json } = await call(...args)
  return [status, json.error]
}
const enrol = async (slug: string, members: Actor[]) => {
  const project = workspace.stores.projects.find(slug)!
  for (const { member } of members) await workspace.stores.projects.join(project, member, 'member')
}
/** Creates a project that Lea leads, with its folders. */
const make = async (name: string, ...members: Actor[]) => {
  const { project } = (await call(lead, 'POST', '', { name })).json
  await enrol(project.slug, members)
  return project as { _id: string; slug: string }
}
/** Creates one for a test that needs no files. */
const register = async (name: string, ...members: Actor[]) => {
  const { id, slug } = await workspace.stores.projects.add({ name, lead: lead.member })
  await enrol(slug, members)
  return { _id: id, slug }
}
const keyWith = async ({ member }: Actor, ...scopes: string[]) =>
  ({ member, key: (await workspace.stores.members.addKey(member.id, { scopes })).key }) as Actor

t.test('the creator of a project is its lead, and its folders are there', async (t) => {
  const { status, json } = await call(lead, 'POST', '', { name: 'Moon Base' })
  t.equal(status, 201)
  const { _id, ...rest } = json.project
  t.match(_id, /^prj_[0-9a-z]{26}$/)
  t.strictSame(rest, {
    slug: 'moon-base',
    name: 'Moon Base',
    role: 'lead',
    postCount: 0,
    archivedAt: null,
    url: `${workroom.url}/projects/moon-base`,
  })
  t.match(readFileSync(join(home, 'projects/moon-base/README.md'), 'utf8'), /^# Moon Base\n/)
  const named = (await call(bot, 'POST', '', { name: 'Moon Base', slug: 'luna' })).json.project
  t.match(named, { slug: 'luna', role: 'lead' })
})

t.test('an invalid project is refused with a message', async (t) => {
  const cases: [body: unknown, status: number, message: RegExp][] = [
    [{}, 400, /field name/],
    [{ name: 1 }, 400, /field name/],
    [{ name: ' ' }, 400, /one line of 1 to 80/],
    [{ name: 'x'.repeat(81) }, 400, /one line of 1 to 80/],
    [{ name: 'X', slug: 'Not A Slug' }, 400, /such as not-a-slug/],
    [{ name: 'X', slug: 'general' }, 409, /general is taken/],
    [{ name: 'X', lead: 'Eve' }, 400, /no field lead/],
  ]
  for (const [body, status, message] of cases) {
    t.match(await refusal(lead, 'POST', '', body), [status, message], JSON.stringify(body))
  }
})

t.test('members see their projects, by id or slug', async (t) => {
  const { _id, slug } = await make('Seen', bot)
  const listed = async (actor: Actor) =>
    (await call(actor, 'GET')).json.projects.find((project: { _id: string }) => project._id === _id)
  t.match(await listed(lead), { slug, role: 'lead' })
  t.match(await listed(bot), { slug, role: 'member' })
  t.equal(await listed(owner), undefined, 'owners list all with ?all=1')
  t.equal(await listed(eve), undefined)
  t.strictSame((await call(bot, 'GET', `/${_id}`)).json, { project: await listed(bot) })
  t.strictSame((await call(bot, 'GET', `/${slug}`)).json, { project: await listed(bot) })
  await request('PUT', `/v1/fs/projects/${slug}/posts/x.md`, { key: bot.key, body: '# X\n' })
  t.equal((await listed(bot)).postCount, 1)
})

t.test('a project is 403 outside of it, and an unknown project is 404', async (t) => {
  const { _id } = await register('Closed', grace)
  for (const [method, path, body] of [
    ['GET', ''],
    ['PATCH', '', { name: 'Mine' }],
    ['GET', '/members'],
    ['POST', '/members', { memberId: 'Eve' }],
    ['DELETE', `/members/${grace.member.id}`],
  ] as const) {
    t.match(await refusal(eve, method, `/${_id}${path}`, body), [403, /not a member of the project closed/])
    t.match(await refusal(eve, method, `/nothing${path}`, body), [404, /no project nothing/])
  }
})

t.test('leads, owners and admins can rename a project, whose slug and folder stay', async (t) => {
  const { _id, slug } = await register('First name', grace)
  for (const actor of [lead, owner, admin]) {
    const name = `Named by ${actor.member.name}`
    t.match((await call(actor, 'PATCH', `/${_id}`, { name })).json, { project: { name, slug } })
  }
  t.match(await refusal(grace, 'PATCH', `/${_id}`, { name: 'Mine' }), [403, /lead of the project/])
  const cases: [body: unknown, message: RegExp][] = [
    [{}, /names nothing to change/],
    [{ name: '' }, /one line/],
    [{ archived: 'yes' }, /archived must be true or false/],
  ]
  for (const [body, message] of cases) t.match(await refusal(lead, 'PATCH', `/${_id}`, body), [400, message])
  t.match(workspace.stores.projects.find(_id), { name: 'Named by Max', folder: slug })
})

t.test('an archived project can be read and not written, until it is opened again', async (t) => {
  const { _id, slug } = await make('Done with', grace)
  const tree = `/v1/fs/projects/${slug}`
  const put = async (path: string, body: string) =>
    (await request('PUT', `${tree}/${path}`, { key: grace.key, body })).json
  const post = await put('posts/p.md', '# P\n')
  const draft = await put('drafts/d.md', `---\nscheduledFor: ${clock.now() + 60_000}\n---\n# D\n`)
  const document = await put('docs/x.md', '# X\n')
  const card = await put('board/todo/c.md', '# C\n')
  const gone = await put('docs/gone.md', '# Gone\n')
  await request('DELETE', gone.path, { key: grace.key })

  t.match((await call(grace, 'PATCH', `/${_id}`, { archived: true })).status, 403)
  const { archivedAt } = (await call(lead, 'PATCH', `/${_id}`, { archived: true })).json.project
  t.equal(archivedAt, clock.now())
  clock.advance(1000)
  const again = (await call(lead, 'PATCH', `/${_id}`, { archived: true })).json.project
  t.equal(again.archivedAt, archivedAt, 'since the first time')
  t.match((await call(grace, 'GET')).json.projects.at(-1), { _id, archivedAt })
  const ida = await addMember({ name: 'Ida', type: 'human' })
  await enrol(slug, [ida])
  const rows = (await request('GET', '/v1/fs/projects', { key: ida.key })).json.projects
  t.match(rows, [{ slug, archivedAt }], 'it is marked in the list of the tree')
  const orientation = (await request('GET', '/v1/fs', { key: ida.key })).text
  t.match(orientation, '| Done with (archived) |')
  t.notMatch(orientation, `"$url${tree}/`, 'no request that would be refused')

  const writes: [method: string, path: string, body?: unknown][] = [
    ['PUT', `${tree}/docs/new.md`, '# New\n'],
    ['PUT', document.path, '# X\n\nMore.\n'],
    ['PUT', `${document.path}?block=k1234567`, 'Text.'],
    ['DELETE', document.path],
    ['POST', `${document.path}/_restore`, { revision: 'x' }],
    ['PUT', `${tree}/posts/new.md`, '# New\n'],
    ['DELETE', post.path],
    ['PUT', draft.path, '# D\n\nMore.\n'],
    ['POST', `${draft.path}/_publish`],
    ['PUT', `${tree}/board/todo/new.md`, '# New\n'],
    ['POST', `${card.path}/_move`, { toColumn: 'done' }],
    ['POST', `${tree}/trash/${gone.id}/_restore`],
    ['PUT', `${tree}/links.md`, '- [a](https://a.example)\n'],
    ['PUT', `${tree}/plan.md`, 'A goal.\n'],
    ['POST', `/v1/projects/${slug}/posts`, { title: 'New', body: '' }],
    ['POST', `/v1/posts/${post.id}/pin`],
  ]
  const words =
    /done-with is archived and read-only\. .*PATCH \/v1\/projects\/prj_\w+ with {"archived": false}/
  for (const [method, path, body] of writes) {
    const { status, json } = await request(method, path, { key: lead.key, body })
    // Posts and drafts of others are refused for that reason first, whatever the state of the project.
    const response = await (status === 409 ? null : request(method, path, { key: grace.key, body }))
    const { error, message } = response?.json ?? json
    t.equal(response?.status ?? status, 409, `${method} ${path}`)
    t.match(message ?? error, words, `${method} ${path}`)
  }
  for (const path of [post.path, draft.path, document.path, card.path, `${tree}/links.md`, `${tree}/posts`]) {
    t.equal((await request('GET', path, { key: grace.key })).status, 200, path)
  }

  writeFileSync(join(home, 'projects', slug, 'documents/x.md'), '# X\n\nBy hand.\n')
  t.match(
    (await request('GET', document.path, { key: grace.key })).text,
    'By hand.',
    'edits on the disk are still ingested',
  )

  clock.advance(120_000)
  t.equal((await request('GET', draft.path, { key: grace.key })).status, 200, 'what is due waits')
  await call(owner, 'PATCH', `/${_id}`, { archived: false })
  t.match((await call(lead, 'GET', `/${_id}`)).json.project, { archivedAt: null, postCount: 2 })
  t.equal((await request('GET', draft.path, { key: grace.key })).status, 404, 'it is published now')
  t.equal((await request('PUT', document.path, { key: grace.key, body: '# X\n\nAgain.\n' })).status, 201)
})

t.test(
  'members are listed in the order in which they joined, without those who left the workspace',
  async (t) => {
    const { _id } = await register('Crew', grace, bot)
    const gone = await addMember({ name: 'Gone', type: 'human' }, 'crew')
    await workspace.stores.members.setStatus(gone.member.id, 'deactivated')
    clock.advance(1)
    const added = await call(lead, 'POST', `/${_id}/members`, { memberId: 'eve', role: 'lead' })
    t.strictSame(
      [added.status, added.json],
      [201, { member: { memberId: eve.member.id, name: 'Eve', type: 'human', role: 'lead' } }],
    )
    const { members } = (await call(grace, 'GET', `/${_id}/members`)).json
    const shown = members.map(({ name, type, role }: Record<string, string>) => `${name} ${type} ${role}`)
    t.strictSame(shown, ['Lea human lead', 'Grace Hopper human member', 'Bot agent member', 'Eve human lead'])
  },
)

t.test('adding a member again changes the role, or keeps it if none is named', async (t) => {
  const { _id } = await register('Roles', grace, bot)
  const add = (actor: Actor, body: unknown) => call(actor, 'POST', `/${_id}/members`, body)
  t.equal((await add(lead, { memberId: bot.member.id, role: 'lead' })).json.member.role, 'lead')
  t.equal((await add(bot, { memberId: 'Grace Hopper', role: 'lead' })).status, 201, 'an agent may lead')
  t.equal((await add(bot, { memberId: 'grace-hopper' })).json.member.role, 'lead')
  t.equal((await add(admin, { memberId: grace.member.id, role: 'member' })).json.member.role, 'member')
  const cases: [Actor, unknown, number, RegExp][] = [
    [grace, { memberId: 'Eve' }, 403, /Only a lead of the project, an owner or an admin/],
    [lead, {}, 400, /field memberId/],
    [lead, { memberId: 'Nobody' }, 400, /no member Nobody/],
    [lead, { memberId: 'Eve', role: 'owner' }, 400, /one of lead, member/],
    [lead, { memberId: 'Gone' }, 409, /Gone is deactivated/],
    [
      await keyWith(bot, 'projects:read', 'documents:write'),
      { memberId: 'Eve' },
      403,
      /limited to some scopes/,
    ],
    [await keyWith(bot, 'posts:read'), { memberId: 'Eve' }, 403, /projects:read/],
  ]
  for (const [actor, body, status, message] of cases) {
    const { json, ...response } = await add(actor, body)
    t.match([response.status, json.error], [status, message], JSON.stringify(body))
  }
})

t.test('a removed member loses access at once, and can be added again', async (t) => {
  const { _id, slug } = await make('Left', grace, bot)
  const tree = `/v1/fs/projects/${slug}`
  const { path } = (await request('PUT', `${tree}/docs/x.md`, { key: lead.key, body: '# X\n' })).json
  await request('POST', `${path}/_presence`, { key: grace.key })
  const held = await holdRequest(workroom, grace, await fetchNewestCursor(workroom), `project=${slug}`)
  t.strictSame((await call(lead, 'DELETE', `/${_id}/members/grace-hopper`)).json, { removed: true })
  t.match(await held.response, { status: 403 }, 'a held request ends')
  for (const url of [path, `${tree}/posts`, `/v1/projects/${_id}`]) {
    t.equal((await request('GET', url, { key: grace.key })).status, 403, url)
  }
  const { documents } = (await request('GET', '/v1/presence?member=Grace%20Hopper', { key: lead.key })).json
  const inIt = documents.filter(({ project }: { project: { slug: string } }) => project.slug === slug)
  t.strictSame(inIt, [], 'she is not shown in it')
  t.match(await refusal(lead, 'DELETE', `/${_id}/members/grace-hopper`), [
    404,
    /no member grace-hopper in the/,
  ])
  t.match(await refusal(lead, 'DELETE', `/${_id}/members/nobody`), [404, /no member nobody/])
  await call(lead, 'POST', `/${_id}/members`, { memberId: grace.member.id })
  t.equal((await request('GET', path, { key: grace.key })).status, 200)

  t.match(await refusal(bot, 'DELETE', `/${_id}/members/grace-hopper`), [403, /remove others/])
  const limited = await keyWith(bot, 'projects:read')
  t.equal((await call(limited, 'DELETE', `/${_id}/members/${bot.member.id}`)).status, 200, 'anyone may leave')
  t.equal((await call(bot, 'GET', `/${_id}`)).status, 403)
})

t.test('the last lead cannot leave, but an owner or admin can remove them', async (t) => {
  const { _id } = await register('Led', grace)
  const self = `/${_id}/members/${lead.member.id}`
  const lastLead = [409, /Lea is the last lead of the project led. Name another lead first/] as const
  t.match(await refusal(lead, 'DELETE', self), lastLead)
  t.match(
    await refusal(lead, 'POST', `/${_id}/members`, { memberId: lead.member.id, role: 'member' }),
    lastLead,
  )
  await call(lead, 'POST', `/${_id}/members`, { memberId: grace.member.id, role: 'lead' })
  const outcomes = await Promise.all([
    call(lead, 'DELETE', self),
    call(grace, 'DELETE', `/${_id}/members/${grace.member.id}`),
  ])
  t.strictSame(outcomes.map(({ status }) => status).sort(), [200, 409], 'of two who leave at once one stays')
  const left = (await call(owner, 'GET', `/${_id}/members`)).json.members
  t.equal((await call(admin, 'DELETE', `/${_id}/members/${left[0].memberId}`)).status, 200)
  t.strictSame((await call(owner, 'GET', `/${_id}/members`)).json, { members: [] })
})

t.test('reading projects needs the scope projects:read', async (t) => {
  const { _id } = await register('Scoped', bot)
  const without = await keyWith(bot, 'documents:read')
  const reader = await keyWith(bot, 'projects:read')
  for (const path of ['', `/${_id}`, `/${_id}/members`]) {
    t.match(await refusal(without, 'GET', path), [403, /projects:read/], path)
    t.equal((await call(reader, 'GET', path)).status, 200, path)
  }
  t.match(await refusal(without, 'POST', '', { name: 'X' }), [403, /projects:read/])
})
