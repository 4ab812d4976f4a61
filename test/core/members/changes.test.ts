import t from 'tap'
import type { Member } from '../../../core/access/member.ts'
import { newIdFactory, systemRandom } from '../../../core/ids.ts'
import { MemberStore } from '../../../core/members/member-store.ts'
import { keysTable } from '../../../data/tables/keys.ts'
import { membersTable } from '../../../data/tables/members.ts'
import { freshDirectories, type OpenedDirectories } from '../open-directories.ts'

const unknownId = 'mem_00000000000000000000000000'

t.test('a change sets the fields it names and leaves the others', async (t) => {
  const { members } = await freshDirectories(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human', email: 'bob@example.org' })
  const changes = {
    name: 'Robert',
    statusText: 'at lunch',
    description: 'Two\nlines',
    avatarUrl: 'https://example.org/bob.png',
    role: 'admin',
  } as const
  t.same(await members.change(bob.id, changes), { ...bob, ...changes })
  t.same(members.find(bob.id), { ...bob, ...changes })
  t.equal(members.resolve('robert')!.id, bob.id)
  t.equal(members.resolve('Bob'), null)
  const emptied = { statusText: '', description: '', avatarUrl: '', email: '' }
  t.same(await members.change(bob.id, emptied), { ...bob, ...changes, ...emptied })
  await t.rejects(members.change(unknownId, { statusText: 'x' }), { code: 'not_found' })
})

t.test('a change with one invalid field changes nothing', async (t) => {
  const { members, owner } = await freshDirectories(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human' })
  for (const [changes, code] of [
    [{ statusText: 'x', name: 'Ada' }, 'conflict'],
    [{ statusText: 'x', name: '' }, 'bad_request'],
    [{ role: 'admin', email: 'x' }, 'bad_request'],
  ] as const) {
    await t.rejects(members.change(bob.id, changes), { code })
    t.same(members.find(bob.id), bob)
  }
  await t.rejects(members.change(owner.id, { statusText: 'x', role: 'member' }), { code: 'conflict' })
  t.equal(members.find(owner.id)!.statusText, '')
})

t.test('an old name that is no longer allowed stays until it is changed', async (t) => {
  const { members, database } = await freshDirectories(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human' })
  for (const name of ['a<b', 'a`b', 'a\\b', '^a']) {
    await t.rejects(members.change(bob.id, { name }), { code: 'bad_request', message: /display name/ })
    await t.rejects(members.add({ name, type: 'human' }), { code: 'bad_request' })
  }
  await database.commit(() =>
    database.connection.prepare('UPDATE members SET name = ? WHERE id = ?').run('a<b', bob.id),
  )
  members.refresh()
  t.match(await members.change(bob.id, { name: 'a<b', statusText: 'x' }), { name: 'a<b', statusText: 'x' })
  await t.rejects(members.change(bob.id, { name: 'b<a' }), { code: 'bad_request' })
})

t.test('names are unique among active members; one who left may share one until they return', async (t) => {
  const { members } = await freshDirectories(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human' })
  t.equal((await members.change(bob.id, { name: 'Bob' })).name, 'Bob', 'a member’s own name is not taken')
  await members.setStatus(bob.id, 'deactivated')
  t.equal((await members.change(bob.id, { name: 'Ada' })).name, 'Ada')
  await t.rejects(members.change(bob.id, { status: 'active' }), { code: 'conflict', message: /Ada is taken/ })
  await t.rejects(members.change(bob.id, { status: 'active', name: 'Ada' }), { code: 'conflict' })
  t.match(await members.change(bob.id, { status: 'active', name: 'Bob' }), { status: 'active', name: 'Bob' })
  t.match(await members.change(bob.id, { status: 'deactivated', name: 'Ada' }), { status: 'deactivated' })
})

t.test('of two members who take the same name at once, one gets it', async (t) => {
  const { members, neighbour } = await freshDirectories(t)
  const [bob, carol] = await Promise.all(
    ['Bob', 'Carol'].map((name) => members.add({ name, type: 'human' }).then(({ member }) => member)),
  )
  const outcomes = await Promise.allSettled([
    members.change(bob!.id, { name: 'Grace' }),
    neighbour.members.change(carol!.id, { name: 'Grace' }),
    members.add({ name: 'Grace', type: 'human' }),
  ])
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'conflict' })
  }
})

t.test('an active owner always remains, even when two step down at once', async (t) => {
  const { members, owner } = await freshDirectories(t)
  for (const changes of [{ role: 'admin' }, { role: 'member' }, { status: 'deactivated' }] as const) {
    await t.rejects(members.change(owner.id, changes), { code: 'conflict', message: /last active owner/ })
  }
  const { member: grace } = await members.add({ name: 'Grace', type: 'human', role: 'owner' })
  const outcomes = await Promise.allSettled([
    members.change(owner.id, { role: 'member' }),
    members.change(grace.id, { status: 'deactivated' }),
  ])
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  t.equal(members.firstOwner().id, grace.id)
  await members.change(owner.id, { role: 'owner' })
  await members.setStatus(grace.id, 'deactivated')
  t.equal((await members.change(grace.id, { role: 'member' })).role, 'member', 'only active owners count')
})

t.test('the version increases when any member is renamed, even one who left', async (t) => {
  const { members } = await freshDirectories(t)
  const { member: bob } = await members.add({ name: 'Bob', type: 'human' })
  const rises = async (change: () => Promise<unknown>) => {
    const before = members.version
    await change()
    return members.version - before
  }
  t.equal(await rises(() => members.change(bob.id, { name: 'Robert' })), 1)
  t.equal(await rises(() => members.change(bob.id, { statusText: 'x', role: 'admin' })), 0)
  t.equal(await rises(() => members.change(bob.id, { status: 'deactivated' })), 1)
  t.equal(await rises(() => members.change(bob.id, { name: 'Bob' })), 1)
})

t.test('rotating a key ends it, and the new one has the same label and scopes', async (t) => {
  const { members, owner, ownerKey } = await freshDirectories(t)
  const old = await members.addKey(owner.id, { label: 'laptop', scopes: ['posts:read', 'cards:read'] })
  const renewed = await members.rotateKey(owner.id, old.id)
  t.match(renewed, { label: 'laptop', scopes: ['posts:read', 'cards:read'], key: /^wr_[0-9A-Za-z]{43}$/ })
  t.not(renewed.id, old.id)
  t.equal(members.authenticate(old.key), null)
  t.same([...members.authenticate(renewed.key)!.scopes], ['posts:read', 'cards:read'])
  t.ok(members.authenticate(ownerKey), 'other keys stay valid')
  t.equal(members.keys(owner.id).length, 2)
  await t.rejects(members.rotateKey(owner.id, old.id), { code: 'not_found' })
})

t.test('only a key of an active member can be rotated, and only once of two times at once', async (t) => {
  const { members, owner } = await freshDirectories(t)
  const { member: bob, key } = await members.add({ name: 'Bob', type: 'human' })
  const { id } = members.keys(bob.id)[0]!
  await t.rejects(members.rotateKey(owner.id, id), { code: 'not_found' })
  await t.rejects(members.rotateKey(unknownId, id), { code: 'not_found' })
  await members.setStatus(bob.id, 'deactivated')
  await t.rejects(members.rotateKey(bob.id, id), { code: 'conflict' })
  await members.setStatus(bob.id, 'active')
  t.ok(members.authenticate(key), 'the refused rotations changed nothing')
  const outcomes = await Promise.allSettled([members.rotateKey(bob.id, id), members.rotateKey(bob.id, id)])
  t.same(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  t.equal(members.keys(bob.id).length, 1)
})

t.test('a new member’s commit is atomic with what listeners add to it', async (t) => {
  const opened = await freshDirectories(t)
  opened.clock.nowMs += 1
  const received: Member[] = []
  const listening = membersListening(opened, (member) => received.push(member))
  const { member } = await listening.add({ name: 'Bob', type: 'human' })
  t.same(received, [member])
  await t.rejects(listening.add({ name: 'Bob', type: 'human' }), { code: 'conflict' })
  t.equal(received.length, 1)

  const failing = membersListening(opened, () => {
    throw new Error('no room')
  })
  await t.rejects(failing.add({ name: 'Carol', type: 'human' }), /no room/)
  opened.members.refresh()
  t.same(
    opened.members.all().map(({ name }) => name),
    ['Ada', 'Bob'],
  )
})

function membersListening(
  { database, clock }: OpenedDirectories,
  onAdded: (member: Member) => void,
): MemberStore {
  const db = database.connection
  return new MemberStore({
    database,
    members: membersTable(db),
    keys: keysTable(db),
    clock,
    random: systemRandom,
    newId: newIdFactory(clock, systemRandom),
    onAdded,
  })
}
