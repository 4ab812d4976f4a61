import t from 'tap'
import type { NewMember } from '../../../core/members/member-store.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { startWorkroom, type Workroom } from '../../support/workroom.ts'

const unknownId = 'mem_00000000000000000000000000'

const shared = await startWorkroom(t)

/** Adds an admin, two people and an agent beside the owner, and deactivates the members of earlier tests. */
async function newTeam(workroom: Workroom = shared) {
  const { clock, owner, request, workspace } = workroom
  for (const { id } of workspace.stores.members.active().slice(1)) {
    await workspace.stores.members.setStatus(id, 'deactivated')
  }
  const add = async (member: NewMember) => {
    clock.advance(1)
    return workroom.addMember(member, 'general')
  }
  return {
    ada: owner,
    grace: await add({ name: 'Grace', type: 'human', role: 'admin' }),
    bob: await add({ name: 'Bob', type: 'human', email: 'bob@example.org' }),
    carol: await add({ name: 'Carol', type: 'human' }),
    bot: await add({ name: 'Bot', type: 'agent', description: 'Builds' }),
    post: (key: string, body: unknown) => request('POST', '/api/members', { key, body }),
    patch: (key: string, who: string, body: unknown) =>
      request('PATCH', `/api/members/${encodeURIComponent(who)}`, { key, body }),
    get: (key: string, who: string) => request('GET', `/api/members/${encodeURIComponent(who)}`, { key }),
    listed: async () => {
      const { json } = await request('GET', '/api/members')
      return json.map(({ name }: { name: string }) => name)
    },
    /** Returns the status of the identity page for a key. */
    opens: async (key: string) => (await request('GET', '/v1/fs/me/api-key', { key })).status,
  }
}

const outcome = ({ status, json }: HttpResponse) => [status, json.error]

t.test('the active members are listed, oldest first, with the seven fields of the interface', async (t) => {
  const { ada, grace, bob, carol, bot } = await newTeam()
  const { request, workspace } = shared
  await workspace.stores.members.setStatus(carol.member.id, 'deactivated')
  const limited = await workspace.stores.members.addKey(bot.member.id, { scopes: ['cards:read'] })
  const texts = { avatarUrl: '', statusText: '', description: '' }
  const expected = [
    { _id: ada.member.id, name: 'Ada', type: 'human', role: 'owner', ...texts },
    { _id: grace.member.id, name: 'Grace', type: 'human', role: 'admin', ...texts },
    { _id: bob.member.id, name: 'Bob', type: 'human', role: 'member', ...texts },
    { _id: bot.member.id, name: 'Bot', type: 'agent', role: 'member', ...texts, description: 'Builds' },
  ]
  for (const key of [ada.key, bob.key, limited.key]) {
    const { status, json } = await request('GET', '/api/members', { key })
    t.equal(status, 200)
    t.strictSame(json, expected)
  }
})

t.test('anyone can read a member by id, slug or name, even a deactivated one', async (t) => {
  const { ada, grace, bob, carol, bot, get } = await newTeam()
  const { workspace } = shared
  const view = {
    _id: bob.member.id,
    name: 'Bob',
    type: 'human',
    role: 'member',
    avatarUrl: '',
    statusText: '',
    description: '',
    status: 'active',
  }
  for (const who of [bob.member.id, 'bob', 'Bob']) {
    t.strictSame((await get(carol.key, who)).json, { member: view }, who)
  }
  for (const { key } of [bob, ada, grace]) {
    const { json } = await get(key, 'Bob')
    t.strictSame(json, {
      member: { ...view, email: 'bob@example.org', emailNotifications: true, ownerId: null },
    })
  }
  t.equal((await get(bot.key, 'Bot')).json.member.ownerId, ada.member.id)
  t.notOk('ownerId' in (await get(bob.key, 'Bot')).json.member)
  await workspace.stores.members.setStatus(bob.member.id, 'deactivated')
  t.equal((await get(carol.key, bob.member.id)).json.member.status, 'deactivated')
  for (const who of [unknownId, 'Nobody', 'BOB']) {
    t.match(outcome(await get(ada.key, who)), [404, /There is no member/], who)
  }
})

t.test('an owner or admin adds a member, whose key is shown once and works', async (t) => {
  const { ada, grace, bob, post, opens } = await newTeam()
  const { request } = shared
  for (const [key, name] of [
    [ada.key, 'Dan'],
    [grace.key, 'Eve'],
  ] as const) {
    const { status, json } = await post(key, { name, type: 'human', role: 'admin', email: 'x@example.org' })
    t.equal(status, 201)
    t.same(Object.keys(json), ['member', 'key'])
    t.match(json.member, { name, type: 'human', role: 'admin', status: 'active', email: 'x@example.org' })
    t.match(json.member, { ownerId: null, avatarUrl: '', statusText: '', description: '' })
    t.match(json.key, /^wr_[0-9A-Za-z]{43}$/)
    t.equal(await opens(json.key), 200)
    t.notOk((await request('GET', `/api/members/${json.member._id}`)).text.includes(json.key))
  }
  t.match(outcome(await post(bob.key, { name: 'Fay', type: 'human' })), [403, /owner or admin/])
})

t.test('an agent belongs to the person who adds it, unless another person is named', async (t) => {
  const { ada, grace, bob, bot, post } = await newTeam()
  const { workspace } = shared
  let count = 0
  const ownerOf = async (key: string, more = {}) => {
    count += 1
    const { status, json } = await post(key, { name: `Agent ${count}`, type: 'agent', ...more })
    return status === 201 ? json.member.ownerId : [status, json.error]
  }
  t.equal(await ownerOf(grace.key), grace.member.id)
  for (const ownerId of [bob.member.id, 'bob', 'Bob']) {
    t.equal(await ownerOf(grace.key, { ownerId }), bob.member.id)
  }
  for (const ownerId of [bot.member.id, unknownId, 'Nobody']) {
    t.match(await ownerOf(grace.key, { ownerId }), [400, /owner of an agent/])
  }
  await workspace.stores.members.change(bot.member.id, { role: 'admin' })
  t.equal(await ownerOf(bot.key), ada.member.id, 'one that an agent adds belongs to that agent’s person')
  t.match(outcome(await post(ada.key, { name: 'X', type: 'human', ownerId: bob.member.id })), [400, /owner/])
})

t.test('an agent’s first key has the scopes that were requested', async (t) => {
  const { ada, post } = await newTeam()
  const { request } = shared
  const body = { name: 'Reader', type: 'agent', scopes: ['rooms:read', 'cards:read'] }
  const { key } = (await post(ada.key, body)).json
  t.match((await request('GET', '/v1/fs/me/api-key', { key })).text, '\nscopes: rooms:read cards:read\n')
  for (const scopes of [['*'], ['posts:fly'], []]) {
    t.equal((await post(ada.key, { name: 'X', type: 'agent', scopes })).status, 400)
  }
})

t.test('a member with invalid fields is refused with the reason, and nobody is added', async (t) => {
  const { ada, post, listed } = await newTeam()
  const before = await listed()
  const refused: [body: unknown, status: number, message: RegExp][] = [
    [{}, 400, /field name/],
    [{ name: 'X' }, 400, /field type, one of human, agent/],
    [{ name: 'X', type: 'robot' }, 400, /type must be one of human, agent/],
    [{ name: 'X', type: 'human', role: 'king' }, 400, /role must be one of owner, admin, member/],
    [{ name: 7, type: 'human' }, 400, /name must be a text/],
    [{ name: 'X', type: 'human', email: null }, 400, /email must be a text/],
    [{ name: 'X', type: 'agent', scopes: 'rooms:read' }, 400, /scopes must be a list/],
    [
      { name: 'X', type: 'agent', scope: ['rooms:read'], roles: [] },
      400,
      /no field scope .did you mean scopes.., roles .*here/,
    ],
    [{ name: 'X [y]', type: 'human' }, 400, /display name/],
    [{ name: 'X', type: 'human', email: 'x' }, 400, /email/],
    [{ name: 'X', type: 'human', description: 'x'.repeat(2001) }, 400, /description/],
    [{ name: 'Bob', type: 'agent' }, 409, /Bob is taken/],
    ['{', 400, /JSON/],
    ['[]', 400, /JSON object/],
  ]
  for (const [body, status, message] of refused) {
    t.match(outcome(await post(ada.key, body)), [status, message], message.source)
  }
  t.same(await listed(), before)
})

t.test('members change their own profile, and the status text with a key of any scope', async (t) => {
  const { bob, bot, patch } = await newTeam()
  const { request, workspace } = shared
  const profile = {
    name: 'Robert',
    statusText: 'at lunch',
    description: 'Two\nlines',
    avatarUrl: 'https://example.org/bob.png',
    email: 'robert@example.org',
    emailNotifications: false,
  }
  const { status, json } = await patch(bob.key, 'Bob', profile)
  t.equal(status, 200)
  t.match(json, { member: { _id: bob.member.id, ...profile, role: 'member', status: 'active' } })
  const { email, emailNotifications, ...shown } = profile
  t.match((await request('GET', '/api/members')).json[2], { _id: bob.member.id, ...shown })
  const { key } = await workspace.stores.members.addKey(bot.member.id, { scopes: ['cards:read'] })
  t.equal((await patch(key, bot.member.id, { statusText: 'building' })).json.member.statusText, 'building')
  t.equal((await patch(bob.key, 'robert', { statusText: '' })).json.member.statusText, '')
})

t.test('only an owner or admin can change roles, status and other members', async (t) => {
  const { ada, grace, bob, carol, bot, patch } = await newTeam()
  const { workspace } = shared
  for (const [who, changes] of [
    ['Bob', { role: 'admin' }],
    ['Bob', { role: 'member' }],
    ['Bob', { status: 'deactivated' }],
    ['Carol', { statusText: 'x' }],
    ['Ada', { name: 'x' }],
  ] as const) {
    t.match(outcome(await patch(bob.key, who, changes)), [403, /owner or admin/])
  }
  t.equal((await patch(bot.key, 'Bob', { statusText: 'x' })).status, 403)
  t.equal(workspace.stores.members.find(carol.member.id)!.statusText, '')

  for (const { key } of [ada, grace]) {
    t.match((await patch(key, 'Carol', { role: 'admin', statusText: 'x' })).json.member, { role: 'admin' })
    t.match((await patch(key, 'Carol', { role: 'member', email: 'c@x' })).json.member, { role: 'member' })
  }
})

t.test('a change with one forbidden or invalid field changes nothing', async (t) => {
  const { bob, get, patch } = await newTeam()
  const before = (await get(bob.key, 'Bob')).json
  t.equal((await patch(bob.key, 'Bob', { statusText: 'x', role: 'admin' })).status, 403)
  t.equal((await patch(bob.key, 'Bob', { statusText: 'x', name: 'Carol' })).status, 409)
  t.equal((await patch(bob.key, 'Bob', { statusText: 'x', email: 'x' })).status, 400)
  t.equal((await patch(bob.key, 'Bob', { statusText: 'x', colour: 'red' })).status, 400)
  t.strictSame((await get(bob.key, 'Bob')).json, before)
})

t.test('an invalid change is refused with the reason', async (t) => {
  const { ada, bob, patch } = await newTeam()
  const refused: [body: unknown, message: RegExp][] = [
    [{}, /nothing to change/],
    [undefined, /nothing to change/],
    [{ colour: 'red', size: 1, statusText: 'x' }, /no field colour, size here/],
    [{ ownerId: 'Ada' }, /no field ownerId/],
    [{ name: null }, /name must be a text/],
    [{ statusText: 7 }, /statusText must be a text/],
    [{ description: ['x'] }, /description must be a text/],
    [{ avatarUrl: false }, /avatarUrl must be a text/],
    [{ email: {} }, /email must be a text/],
    [{ emailNotifications: 'no' }, /emailNotifications must be true or false/],
    [{ role: 'king' }, /role must be one of owner, admin, member/],
    [{ status: 'asleep' }, /status must be one of active, deactivated/],
    [{ name: ' ' }, /display name must not be blank/],
    [{ statusText: 'x'.repeat(201) }, /statusText .* 200/],
    [{ description: 'x'.repeat(2001) }, /description .* 2000/],
    [{ avatarUrl: 'javascript:x' }, /avatarUrl/],
    [{ email: 'x' }, /email/],
  ]
  for (const [body, message] of refused) {
    t.match(outcome(await patch(ada.key, 'Bob', body)), [400, message], message.source)
  }
  t.match(outcome(await patch(ada.key, 'Nobody', { statusText: 'x' })), [404, /There is no member Nobody/])
  t.match(outcome(await patch(bob.key, unknownId, { statusText: 'x' })), [404, /There is no member/])
  t.match(outcome(await patch(bob.key, 'Bob', { name: 'Carol' })), [409, /Carol is taken/])
})

t.test('only an owner can appoint, change or demote an owner', async (t) => {
  const { ada, grace, bob, carol, patch, post } = await newTeam(await startWorkroom(t))
  const onlyAnOwner = [403, /Only a workspace owner may/]
  t.match(outcome(await post(grace.key, { name: 'X', type: 'human', role: 'owner' })), onlyAnOwner)
  t.match(outcome(await patch(grace.key, 'Bob', { role: 'owner' })), onlyAnOwner)
  t.match(outcome(await patch(grace.key, 'Grace', { role: 'owner' })), onlyAnOwner)
  for (const changes of [
    { role: 'member' },
    { status: 'deactivated' },
    { name: 'Eve' },
    { email: 'g@x.org' },
  ]) {
    t.match(outcome(await patch(grace.key, 'Ada', changes)), onlyAnOwner)
  }
  t.equal((await patch(ada.key, 'Bob', { role: 'owner' })).status, 200)
  t.equal((await patch(bob.key, 'Carol', { role: 'owner' })).status, 200)
  t.equal((await patch(carol.key, 'Ada', { role: 'member' })).json.member.role, 'member')
  t.equal((await patch(bob.key, 'Carol', { status: 'deactivated' })).status, 200)
  t.match(outcome(await patch(grace.key, 'Carol', { status: 'active' })), onlyAnOwner)
  t.equal((await post(bob.key, { name: 'X', type: 'human', role: 'owner' })).status, 201)
  t.equal((await patch(grace.key, 'Grace', { role: 'member' })).status, 200, 'anyone may step down')
})

t.test('the last active owner can be neither demoted nor deactivated', async (t) => {
  const { ada, bob, patch } = await newTeam(await startWorkroom(t))
  for (const changes of [{ role: 'admin' }, { role: 'member' }, { status: 'deactivated' }]) {
    t.match(outcome(await patch(ada.key, 'Ada', changes)), [409, /last active owner/])
  }
  await patch(ada.key, 'Bob', { role: 'owner' })
  t.equal((await patch(ada.key, 'Ada', { role: 'member' })).status, 200)
  t.match(outcome(await patch(bob.key, 'Bob', { role: 'member' })), [409, /last active owner/])
})

t.test('administration needs an unlimited key', async (t) => {
  const { grace, patch, post } = await newTeam()
  const { request, workspace } = shared
  const { key } = await workspace.stores.members.addKey(grace.member.id, {
    scopes: ['rooms:read', 'rooms:write'],
  })
  const limited = [403, /limited to some scopes/]
  t.match(outcome(await post(key, { name: 'X', type: 'human' })), limited)
  t.match(outcome(await patch(key, 'Bob', { role: 'admin' })), limited)
  t.match(outcome(await request('POST', '/api/members/grace/keys', { key })), limited)
  t.match(outcome(await request('GET', '/api/members/grace/keys', { key })), limited)
  t.equal((await patch(key, 'Grace', { statusText: 'x' })).status, 200)
})

t.test('a new role takes effect at the next request', async (t) => {
  const { ada, bob, patch, post } = await newTeam()
  t.equal((await post(bob.key, { name: 'X', type: 'human' })).status, 403)
  await patch(ada.key, 'Bob', { role: 'admin' })
  t.equal((await post(bob.key, { name: 'X', type: 'human' })).status, 201)
  await patch(ada.key, 'Bob', { role: 'member' })
  t.equal((await post(bob.key, { name: 'Y', type: 'human' })).status, 403)
})

t.test('a deactivated member’s keys stop at once, and work again after activation', async (t) => {
  const { ada, bob, listed, opens, patch } = await newTeam()
  const { workspace } = shared
  const second = await workspace.stores.members.addKey(bob.member.id)
  t.match((await patch(ada.key, 'Bob', { status: 'deactivated' })).json.member, { status: 'deactivated' })
  for (const key of [bob.key, second.key]) t.equal(await opens(key), 401)
  t.same(await listed(), ['Ada', 'Grace', 'Carol', 'Bot'])
  await patch(ada.key, bob.member.id, { status: 'active' })
  for (const key of [bob.key, second.key]) t.equal(await opens(key), 200)
  t.same(await listed(), ['Ada', 'Grace', 'Bob', 'Carol', 'Bot'])
})

t.test('members who deactivate themselves get an answer, and are out', async (t) => {
  const { grace, opens, patch } = await newTeam()
  const { status, json } = await patch(grace.key, 'Grace', { status: 'deactivated' })
  t.match([status, json.member.status], [200, 'deactivated'])
  t.equal(await opens(grace.key), 401)
})

t.test('a member whose name was taken meanwhile must be renamed before returning', async (t) => {
  const { ada, bob, opens, patch } = await newTeam()
  await patch(ada.key, 'Bob', { status: 'deactivated' })
  await patch(ada.key, 'Carol', { name: 'Bob' })
  t.match(outcome(await patch(ada.key, bob.member.id, { status: 'active' })), [409, /Bob is taken/])
  t.equal(await opens(bob.key), 401)
  t.equal((await patch(ada.key, bob.member.id, { name: 'Bob the Elder' })).status, 200)
  t.equal((await patch(ada.key, bob.member.id, { status: 'active' })).status, 200)
  t.equal(await opens(bob.key), 200)
})

t.test('a name in a file means the active member who has it now', async (t) => {
  const { ada, bob, carol, patch } = await newTeam()
  const { request } = shared
  const document = '/v1/fs/projects/general/docs/names.md'
  const mentioned = async () =>
    JSON.parse(/^mentions: (.*)$/m.exec((await request('GET', document)).text)?.[1] ?? '[]')
  const put = (body: string) => request('PUT', document, { body: `# Names\n\n${body}\n` })

  await put('Ask @Bob.')
  t.same(await mentioned(), ['Bob'])
  await patch(ada.key, 'Bob', { name: 'Robert' })
  t.same(await mentioned(), ['Robert'])
  t.match((await request('GET', document)).text, 'Ask @Robert.')
  await put('Ask @Robert, not @Bob.')
  t.same(await mentioned(), ['Robert'])
  await request('PUT', '/v1/fs/projects/general/docs/other.md', { body: '# Other\n\nAsk @Bob.\n' })
  t.notMatch((await request('GET', '/v1/fs/projects/general/docs/other.md')).text, 'mentions:')

  await patch(ada.key, carol.member.id, { status: 'deactivated' })
  await put('Ask @Carol.')
  t.same(await mentioned(), [], 'a deactivated member is not meant')
  await patch(ada.key, carol.member.id, { status: 'active' })
  await put('Ask @Carol again.')
  t.same(await mentioned(), ['Carol'])
  t.equal((await request('GET', document, { key: bob.key })).status, 200)
})

t.test('an author is shown by the current name, even if renamed after a deactivation', async (t) => {
  const { ada, bob, patch } = await newTeam()
  const { request } = shared
  const path = '/v1/fs/projects/general/docs/mine.md'
  await request('PUT', path, { key: bob.key, body: '# Mine\n' })
  const author = async () => /\nauthor: (.*)\n/.exec((await request('GET', path)).text)?.[1]
  t.equal(await author(), 'Bob')
  await patch(ada.key, bob.member.id, { name: 'Robert' })
  t.equal(await author(), 'Robert')
  await patch(ada.key, bob.member.id, { status: 'deactivated' })
  t.equal(await author(), 'Robert')
  await patch(ada.key, bob.member.id, { name: 'Robert, who left' })
  t.equal(await author(), 'Robert, who left')
})

t.test('a deactivated member is in no room, and old messages show their current name', async (t) => {
  const { ada, bob, patch } = await newTeam()
  const { request } = shared
  const { _id } = (await request('POST', '/api/rooms', { body: { name: 'Tea', type: 'open' } })).json
  const room = `/api/rooms/${_id}`
  await request('POST', `${room}/join`, { key: bob.key })
  await request('POST', `${room}/messages`, { key: bob.key, body: { body: 'Hello' } })
  const names = async () =>
    (await request('GET', room)).json.members.map(({ name }: { name: string }) => name)
  const author = async () => (await request('GET', `${room}/messages`)).json.page[0].author.name

  t.same([await names(), await author()], [['Ada', 'Bob'], 'Bob'])
  await patch(ada.key, bob.member.id, { name: 'Robert' })
  t.same([await names(), await author()], [['Ada', 'Robert'], 'Robert'])
  await patch(ada.key, bob.member.id, { status: 'deactivated' })
  t.same([await names(), await author()], [['Ada'], 'Robert'])
  await patch(ada.key, bob.member.id, { status: 'active' })
  t.same(await names(), ['Ada', 'Robert'], 'a returning member is in the room')
})

t.test('every new member is in the room general', async (t) => {
  const { ada, post } = await newTeam()
  const { request } = shared
  const roomsOf = async (type: string) => {
    const { key } = (await post(ada.key, { name: `New ${type}`, type })).json
    return (await request('GET', '/api/rooms', { key })).json.map(({ name }: { name: string }) => name)
  }
  t.same(await roomsOf('human'), ['general'])
  t.same(await roomsOf('agent'), ['general'])
})

t.test('changes of members survive a restart', async (t) => {
  const { ada, bob, get, patch, post, opens } = await newTeam()
  const { restart, request } = shared
  const { member, key } = (await post(ada.key, { name: 'Dan', type: 'human', role: 'admin' })).json
  await patch(ada.key, 'Bob', { name: 'Robert', role: 'admin', statusText: 'x', status: 'deactivated' })
  const before = (await get(ada.key, bob.member.id)).json
  await restart()
  t.strictSame((await request('GET', `/api/members/${bob.member.id}`)).json, before)
  t.equal(await opens(key), 200)
  t.match((await request('GET', `/api/members/${member._id}`)).json.member, { name: 'Dan', role: 'admin' })
})
