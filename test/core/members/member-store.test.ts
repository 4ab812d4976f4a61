import { createHash } from 'node:crypto'
import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { keysTable } from '../../../data/tables/keys.ts'
import { executedStatements } from '../../support/executed-statements.ts'
import { freshDirectories } from '../open-directories.ts'

const unknownId = 'mem_00000000000000000000000000'

t.test('a person’s key authenticates its member with every scope', async (t) => {
  const { members, owner, ownerKey } = await freshDirectories(t)
  t.match(ownerKey, /^wr_[0-9A-Za-z]{43}$/)
  const caller = members.authenticate(ownerKey)!
  t.equal(caller.member, owner)
  t.same([...caller.scopes], ['*'])
})

t.test('an agent’s key has every scope for agents, unless it is limited', async (t) => {
  const { members } = await freshDirectories(t)
  const { member, key } = await members.add({ name: 'Bot', type: 'agent' })
  t.same([...members.authenticate(key)!.scopes], [...agentScopes])
  const limited = await members.addKey(member.id, { label: 'reader', scopes: ['posts:read', 'posts:read'] })
  t.same(limited.scopes, ['posts:read'])
  t.same([...members.authenticate(limited.key)!.scopes], ['posts:read'])
})

t.test('an unknown key is not authenticated', async (t) => {
  const { members, ownerKey } = await freshDirectories(t)
  for (const key of ['', 'wr_', ownerKey.slice(0, -1), `${ownerKey} `, ownerKey.toLowerCase()]) {
    t.equal(members.authenticate(key), null)
  }
})

t.test('the database holds the hash of a key and never the key', async (t) => {
  const { database, ownerKey } = await freshDirectories(t)
  const [row] = keysTable(database.connection).all()
  t.same(Buffer.from(row!.hash), createHash('sha256').update(ownerKey).digest())
  t.notOk(database.connection.serialize().includes(ownerKey))
})

t.test('authenticating runs no statement of the database', async (t) => {
  const { database, members, owner, ownerKey } = await freshDirectories(t)
  const executed = executedStatements(t, database.connection)
  for (let count = 0; count < 100; count++) t.equal(members.authenticate(ownerKey)!.member, owner)
  t.same(executed, [])
})

t.test('the last use of a key is stored to the minute, with the next commit', async (t) => {
  const { members, database, clock, owner, ownerKey } = await freshDirectories(t)
  const stored = () => keysTable(database.connection).all()[0]!.lastUsedMs
  const firstMs = clock.nowMs
  members.authenticate(ownerKey)
  t.equal(stored(), null)
  t.equal(members.keys(owner.id)[0]!.lastUsedMs, firstMs, 'it is known at once')
  await database.commit(() => {})
  t.equal(stored(), firstMs)
  clock.nowMs += 59_999
  members.authenticate(ownerKey)
  await database.commit(() => {})
  t.equal(stored(), firstMs)
  clock.nowMs += 1
  members.authenticate(ownerKey)
  members.refresh()
  t.equal(members.keys(owner.id)[0]!.lastUsedMs, clock.nowMs, 'a refresh keeps the use')
  await database.commit(() => {})
  t.equal(stored(), clock.nowMs)
})

t.test('a revoked key no longer works, and the other keys of its member do', async (t) => {
  const { members, owner, ownerKey } = await freshDirectories(t)
  const second = await members.addKey(owner.id)
  await members.revokeKey(second.id)
  t.equal(members.authenticate(second.key), null)
  t.ok(members.authenticate(ownerKey))
  t.equal(members.keys(owner.id).length, 1)
  await t.rejects(members.revokeKey(second.id), { code: 'not_found' })
})

t.test('a deactivated member’s keys do not work, and work again after reactivation', async (t) => {
  const { members } = await freshDirectories(t)
  const { member, key } = await members.add({ name: 'Bob', type: 'human' })
  await members.setStatus(member.id, 'deactivated')
  t.equal(members.authenticate(key), null)
  t.equal(members.find(member.id)!.status, 'deactivated')
  await t.rejects(members.addKey(member.id), { code: 'conflict' })
  await members.setStatus(member.id, 'active')
  t.equal(members.authenticate(key)!.member.id, member.id)
})

t.test('changes by another process count after a refresh', async (t) => {
  const { members, neighbour, owner } = await freshDirectories(t)
  const bob = await neighbour.members.add({ name: 'Bob', type: 'human' })
  const second = await neighbour.members.addKey(owner.id)
  t.equal(members.authenticate(bob.key), null)
  members.refresh()
  t.ok(members.authenticate(bob.key))
  await neighbour.members.setStatus(bob.member.id, 'deactivated')
  neighbour.members.refresh()
  await neighbour.members.revokeKey(second.id)
  members.refresh()
  t.equal(members.authenticate(bob.key), null)
  t.equal(members.authenticate(second.key), null)
})

t.test(
  'members are listed oldest first, and the same list object is returned until something changes',
  async (t) => {
    const { members, clock, owner } = await freshDirectories(t)
    clock.nowMs += 1
    const bob = await members.add({ name: 'Bob', type: 'human' })
    const active = members.active()
    const names = members.names()
    t.same(
      active.map(({ name }) => name),
      ['Ada', 'Bob'],
    )
    t.same(names, { [owner.id]: 'Ada', [bob.member.id]: 'Bob' })
    t.equal(members.active(), active)
    t.equal(members.names(), names)
    await members.setStatus(bob.member.id, 'deactivated')
    t.same(members.names(), { [owner.id]: 'Ada' })
    t.equal(members.active().length, 1)
    t.equal(members.all().length, 2)
  },
)

t.test('the version increases only when a name or status changes', async (t) => {
  const { members, owner } = await freshDirectories(t)
  const before = members.version
  await members.addKey(owner.id)
  members.refresh()
  t.equal(members.version, before)
  const { member } = await members.add({ name: 'Bob', type: 'human' })
  t.equal(members.version, before + 1)
  await members.setStatus(member.id, 'deactivated')
  t.equal(members.version, before + 2)
})

t.test('a member is found by id, exact name or slug, active members first', async (t) => {
  const { members } = await freshDirectories(t)
  const left = await members.add({ name: 'Zoë Müller', type: 'human' })
  await members.setStatus(left.member.id, 'deactivated')
  t.equal(members.resolve('Zoë Müller')!.id, left.member.id, 'a member who left, if nobody else matches')
  const present = await members.add({ name: 'Zoë Müller', type: 'human' })
  t.equal(members.resolve('Zoë Müller')!.id, present.member.id)
  t.equal(members.resolve('zoe-muller')!.id, present.member.id)
  t.equal(members.resolve(left.member.id)!.id, left.member.id)
  t.equal(members.resolve('zoë müller'), null)
  t.equal(members.resolve(''), null)
  const symbols = await members.add({ name: '***', type: 'human' })
  t.equal(members.resolve('***')!.id, symbols.member.id)
  t.equal(members.resolve(''), null, 'an empty slug finds nobody')
})

t.test('a display name that could not be mentioned is refused with the reason', async (t) => {
  const { members } = await freshDirectories(t)
  const refused: [name: string, reason: RegExp][] = [
    ['', /blank/],
    ['  ', /blank/],
    [' Bob', /white space/],
    ['Bob\u00a0', /white space/],
    ['a'.repeat(81), /80 characters/],
    ['Bob [x]', /\[ \] \( \) @/],
    ['Bob (x)', /\[ \] \( \) @/],
    ['bob@example.org', /\[ \] \( \) @/],
    ['Bob\nby', /one line/],
    ['Bob\u2028by', /one line/],
    ['Bob\u0000by', /control/],
    ['Bob \ud800 by', /one line/],
  ]
  for (const [name, message] of refused) {
    await t.rejects(members.add({ name, type: 'human' }), { code: 'bad_request', message })
  }
  t.equal((await members.add({ name: '🦊'.repeat(80), type: 'human' })).member.name, '🦊'.repeat(80))
})

t.test('a name is unique among active members, in its exact spelling', async (t) => {
  const { members } = await freshDirectories(t)
  const bob = await members.add({ name: 'Bob', type: 'human' })
  await t.rejects(members.add({ name: 'Bob', type: 'agent' }), { code: 'conflict' })
  await members.add({ name: 'bob', type: 'human' })
  await members.setStatus(bob.member.id, 'deactivated')
  await members.add({ name: 'Bob', type: 'human' })
  await t.rejects(members.setStatus(bob.member.id, 'active'), { code: 'conflict', message: /taken/ })
})

t.test('of several members added with the same name at once, one gets it', async (t) => {
  const { members, neighbour } = await freshDirectories(t)
  const outcomes = await Promise.allSettled([
    members.add({ name: 'Bob', type: 'human' }),
    members.add({ name: 'Bob', type: 'human' }),
    neighbour.members.add({ name: 'Bob', type: 'human' }),
  ])
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'conflict' })
  }
})

t.test('the last active owner cannot be deactivated, and an agent does not count as one', async (t) => {
  const { members, owner } = await freshDirectories(t)
  const agent = await members.add({ name: 'Bot', type: 'agent', role: 'owner' })
  await t.rejects(members.setStatus(owner.id, 'deactivated'), {
    code: 'conflict',
    message: /last active owner/,
  })
  t.equal((await members.setStatus(agent.member.id, 'deactivated')).status, 'deactivated')
  await members.setStatus(agent.member.id, 'active')
  const second = await members.add({ name: 'Grace', type: 'human', role: 'owner' })
  t.equal(members.firstOwner().id, owner.id)
  await members.setStatus(owner.id, 'deactivated')
  t.equal(members.firstOwner().id, second.member.id)
  await t.rejects(members.setStatus(second.member.id, 'deactivated'), { code: 'conflict' })
})

t.test('setting a member’s present status changes nothing', async (t) => {
  const { members, owner } = await freshDirectories(t)
  t.equal((await members.setStatus(owner.id, 'active')).id, owner.id)
  await t.rejects(members.setStatus(unknownId, 'active'), { code: 'not_found' })
})

t.test('a scope that cannot be granted is refused by name, and no key is created', async (t) => {
  const { members, owner } = await freshDirectories(t)
  const { member: bot } = await members.add({ name: 'Bot', type: 'agent' })
  await t.rejects(members.addKey(owner.id, { scopes: ['posts:fly'] }), {
    code: 'bad_request',
    message: /posts:fly/,
  })
  await t.rejects(members.addKey(bot.id, { scopes: ['*'] }), { code: 'bad_request', message: /\*/ })
  await t.rejects(members.addKey(bot.id, { scopes: [] }), { code: 'bad_request' })
  await t.rejects(members.addKey(unknownId), { code: 'not_found' })
  await t.rejects(members.addKey(owner.id, { label: 'two\nlines' }), { code: 'bad_request' })
  await t.rejects(members.add({ name: 'Bot 2', type: 'agent', scopes: ['x'] }), { code: 'bad_request' })
  t.equal(members.keys(owner.id).length, 1)
  t.equal(members.resolve('Bot 2'), null)
})

t.test('an agent is owned by a person: the first owner unless another is named', async (t) => {
  const { members, owner } = await freshDirectories(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human' })
  const { member: bot } = await members.add({ name: 'Bot', type: 'agent' })
  t.equal(bot.ownerId, owner.id)
  t.equal((await members.add({ name: 'Bot 2', type: 'agent', ownerId: bob.id })).member.ownerId, bob.id)
  t.equal(bob.ownerId, null)
  for (const request of [
    { name: 'X', type: 'agent', ownerId: bot.id },
    { name: 'X', type: 'agent', ownerId: unknownId },
    { name: 'X', type: 'human', ownerId: owner.id },
  ] as const) {
    await t.rejects(members.add(request), { code: 'bad_request' })
  }
})

t.test('a new member has the given fields, and empty texts for the others', async (t) => {
  const { members, clock } = await freshDirectories(t)
  const { member } = await members.add({
    name: 'Grace',
    type: 'human',
    role: 'admin',
    email: 'grace@example.org',
    description: 'Compilers',
  })
  t.match(member, { role: 'admin', status: 'active', email: 'grace@example.org', description: 'Compilers' })
  t.match(member, { avatarUrl: '', statusText: '', createdMs: clock.nowMs })
  for (const email of ['grace', 'a@b\nBcc: c@d', 'a b@c', '@']) {
    await t.rejects(members.add({ name: 'X', type: 'human', email }), { code: 'bad_request' })
  }
})
