import t from 'tap'
import type { HttpResponse } from '../../support/http-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, request } = workroom

/** Adds an admin, a person and an agent beside the owner, and deactivates the members of earlier tests. */
async function newTeam() {
  for (const { id } of workroom.workspace.stores.members.active()) {
    if (id !== workroom.owner.member.id) await workroom.workspace.stores.members.setStatus(id, 'deactivated')
  }
  return {
    ada: workroom.owner,
    grace: await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' }),
    bob: await workroom.addMember({ name: 'Bob', type: 'human' }),
    bot: await workroom.addMember({ name: 'Bot', type: 'agent' }),
    list: (key: string, who: string) => request('GET', `/api/members/${who}/keys`, { key }),
    add: (key: string, who: string, body?: unknown) =>
      request('POST', `/api/members/${who}/keys`, { key, body }),
    revoke: (key: string, who: string, keyId: string) =>
      request('DELETE', `/api/members/${who}/keys/${keyId}`, { key }),
    rotate: (key: string, who: string, keyId: string) =>
      request('POST', `/api/members/${who}/keys/${keyId}/rotate`, { key }),
    /** Returns the status of the identity page for a key. */
    opens: async (key: string) => (await request('GET', '/v1/fs/me/api-key', { key })).status,
  }
}

const outcome = ({ status, json }: HttpResponse) => [status, json.error]

t.test('a key is created with a label and scopes, shown once, and works', async (t) => {
  const { ada, bot, add, list } = await newTeam()
  const { status, json } = await add(ada.key, 'bot', {
    label: 'laptop',
    scopes: ['rooms:read', 'cards:read'],
  })
  t.equal(status, 201)
  t.strictSame(Object.keys(json).sort(), ['id', 'key', 'label', 'scopes'])
  t.match(json, {
    id: /^key_/,
    key: /^wr_[0-9A-Za-z]{43}$/,
    label: 'laptop',
    scopes: ['rooms:read', 'cards:read'],
  })
  const identity = (await request('GET', '/v1/fs/me/api-key', { key: json.key })).text
  t.match(identity, `memberId: ${bot.member.id}\n`)
  t.match(identity, '\nscopes: rooms:read cards:read\n')
  t.notOk((await list(ada.key, 'bot')).text.includes(json.key))
})

t.test('keys are listed oldest first, with their last use and without the key itself', async (t) => {
  const { ada, bot, add, list, opens } = await newTeam()
  const startedMs = clock.now()
  clock.advance(1000)
  const added = (await add(ada.key, bot.member.id)).json
  clock.advance(1000)
  t.equal(await opens(added.key), 200)
  const { keys } = (await list(ada.key, 'Bot')).json
  t.strictSame(Object.keys(keys[0]).sort(), ['createdAt', 'id', 'label', 'lastUsedAt', 'scopes'])
  t.match(keys, [
    { label: '', createdAt: startedMs, lastUsedAt: null },
    { id: added.id, label: '', createdAt: startedMs + 1000, lastUsedAt: startedMs + 2000 },
  ])
  t.strictSame((await list(ada.key, 'ada')).json.keys[0].scopes, ['*'])
  const texts = [(await request('GET', '/api/members')).text, workroom.log.text()]
  for (const text of texts) for (const key of [added.key, bot.key, ada.key]) t.notOk(text.includes(key))
})

t.test('a revoked key is 401 from the next request on, and the others still work', async (t) => {
  const { ada, bob, add, list, revoke, opens } = await newTeam()
  const { id, key } = (await add(ada.key, 'bob')).json
  t.equal(await opens(key), 200)
  const { status, json } = await revoke(ada.key, 'bob', id)
  t.strictSame([status, json], [200, { revoked: true }])
  t.equal(await opens(key), 401)
  t.equal(await opens(bob.key), 200)
  t.equal((await list(ada.key, 'bob')).json.keys.length, 1)
  t.match(outcome(await revoke(ada.key, 'bob', id)), [404, /There is no key/])
})

t.test('a rotated key ends when the new one begins, which has the same label and scopes', async (t) => {
  const { ada, add, list, opens, rotate } = await newTeam()
  const old = (await add(ada.key, 'bot', { label: 'ci', scopes: ['cards:read'] })).json
  const { status, json } = await rotate(ada.key, 'bot', old.id)
  t.equal(status, 201)
  t.strictSame({ ...json, id: '', key: '' }, { id: '', key: '', label: 'ci', scopes: ['cards:read'] })
  t.not(json.id, old.id)
  t.strictSame([await opens(old.key), await opens(json.key)], [401, 200])
  t.equal((await list(ada.key, 'bot')).json.keys.length, 2)
  t.match(outcome(await rotate(ada.key, 'bot', old.id)), [404, /There is no key/])
  await workroom.restart()
  t.strictSame([await opens(old.key), await opens(json.key)], [401, 200])
})

t.test('a key can rotate itself', async (t) => {
  const { grace, list, opens, rotate } = await newTeam()
  const [{ id }] = (await list(grace.key, 'grace')).json.keys
  const { key } = (await rotate(grace.key, 'grace', id)).json
  t.strictSame([await opens(grace.key), await opens(key)], [401, 200])
})

t.test('keys of others need an owner or admin, and keys of an owner need an owner', async (t) => {
  const { ada, grace, bob, bot, add, list, revoke, rotate, opens } = await newTeam()
  const keyIdOf = (member: { id: string }) => workroom.workspace.stores.members.keys(member.id)[0]!.id
  const calls = (key: string, who: string, keyId: string) => [
    list(key, who),
    add(key, who),
    revoke(key, who, keyId),
    rotate(key, who, keyId),
  ]
  const all = async (responses: Promise<HttpResponse>[], expected: unknown) => {
    for (const response of responses) t.match(outcome(await response), expected)
  }
  const bobsKey = keyIdOf(bob.member)
  await all(calls(bob.key, 'grace', keyIdOf(grace.member)), [403, /owner or admin/])
  await all(calls(grace.key, 'bot', 'key_0').slice(0, 1), [200, undefined])
  await all(calls(bot.key, 'bot', keyIdOf(bot.member)), [403, /owner or admin/])
  await all(calls(grace.key, 'ada', keyIdOf(ada.member)), [403, /Only a workspace owner/])
  t.strictSame([await opens(ada.key), await opens(bob.key), await opens(bot.key)], [200, 200, 200])
  t.strictSame([(await list(grace.key, 'bob')).status, (await add(grace.key, 'bob')).status], [200, 201])
  t.equal((await rotate(grace.key, 'bob', bobsKey)).status, 201)
  t.equal((await add(ada.key, 'ada')).status, 201)
})

t.test('another member’s key, an unknown key and an unknown member are 404, and keys stay', async (t) => {
  const { ada, bob, add, list, revoke, rotate, opens } = await newTeam()
  const { id } = workroom.workspace.stores.members.keys(bob.member.id)[0]!
  for (const keyId of [id, 'key_00000000000000000000000000', 'x']) {
    t.match(outcome(await revoke(ada.key, 'bot', keyId)), [404, /There is no key/])
    t.match(outcome(await rotate(ada.key, 'bot', keyId)), [404, /There is no key/])
  }
  t.equal(await opens(bob.key), 200)
  for (const call of [list, add]) t.match(outcome(await call(ada.key, 'nobody')), [404, /no member nobody/])
  for (const call of [revoke, rotate]) {
    t.match(outcome(await call(ada.key, 'nobody', id)), [404, /no member nobody/])
  }
})

t.test('a key with invalid fields is refused with the reason, and none is created', async (t) => {
  const { ada, add, list } = await newTeam()
  const refused: [body: unknown, message: RegExp][] = [
    [{ label: 7 }, /label must be a text/],
    [{ label: 'x'.repeat(81) }, /80 characters/],
    [{ label: 'two\nlines' }, /one line/],
    [{ scopes: 'rooms:read' }, /scopes must be a list of texts/],
    [{ scopes: [1] }, /scopes must be a list of texts/],
    [{ scopes: [] }, /at least one scope/],
    [{ scopes: ['rooms:fly'] }, /There is no scope rooms:fly/],
    [{ scopes: ['*'] }, /is for people/],
    [{ scope: ['rooms:read'] }, /no field scope .did you mean scopes.*here/],
  ]
  for (const [body, message] of refused) t.match(outcome(await add(ada.key, 'bot', body)), [400, message])
  t.equal((await list(ada.key, 'bot')).json.keys.length, 1)
})

t.test(
  'a deactivated member gets no key; old keys are listed, can be revoked, and work after a return',
  async (t) => {
    const { ada, bob, add, list, revoke, rotate, opens } = await newTeam()
    const second = (await add(ada.key, bob.member.id)).json
    const [first] = workroom.workspace.stores.members.keys(bob.member.id)
    await workroom.workspace.stores.members.setStatus(bob.member.id, 'deactivated')
    t.match(outcome(await add(ada.key, bob.member.id)), [409, /Bob is deactivated/])
    t.match(outcome(await rotate(ada.key, bob.member.id, second.id)), [409, /Bob is deactivated/])
    t.equal((await list(ada.key, bob.member.id)).json.keys.length, 2)
    t.equal((await revoke(ada.key, bob.member.id, second.id)).status, 200)
    await workroom.workspace.stores.members.setStatus(bob.member.id, 'active')
    t.strictSame([await opens(bob.key), await opens(second.key)], [200, 401])
    t.equal((await list(ada.key, bob.member.id)).json.keys[0].id, first!.id)
  },
)
