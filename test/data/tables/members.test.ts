import t from 'tap'
import { membersTable } from '../../../data/tables/members.ts'
import { freshConnection, memberRow } from './fresh-connection.ts'

t.test('members are stored as given and listed oldest first', async (t) => {
  const table = membersTable(freshConnection(t))
  const young = { ...memberRow('mem_a'), createdMs: 2 }
  const old = { ...memberRow('mem_b'), email: 'b@c', avatarUrl: 'u', statusText: 's', description: 'd' }
  table.insert(young)
  table.insert(old)
  t.same(table.all(), [old, young])
  t.same(table.find('mem_a'), young)
  t.equal(table.find('mem_c'), undefined)
})

t.test('at most one active member has a name', async (t) => {
  const table = membersTable(freshConnection(t))
  table.insert(memberRow('mem_1', 'Bob'))
  t.throws(() => table.insert(memberRow('mem_2', 'Bob')), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
  t.ok(table.update({ ...memberRow('mem_1', 'Bob'), status: 'deactivated' }))
  t.equal(table.findActive('Bob'), undefined)
  table.insert(memberRow('mem_2', 'Bob'))
  t.equal(table.findActive('Bob')!.id, 'mem_2')
  t.equal(table.findActive('bob'), undefined)
  t.throws(() => table.update(memberRow('mem_1', 'Bob')), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
})

t.test('a change of a member stores what can change and keeps the rest', async (t) => {
  const table = membersTable(freshConnection(t))
  table.insert(memberRow('mem_1'))
  table.insert(memberRow('mem_2'))
  const changed = {
    ...memberRow('mem_1', 'Bob'),
    role: 'admin',
    status: 'deactivated',
    email: 'b@c',
    avatarUrl: 'u',
    statusText: 's',
    description: 'd',
  } as const
  t.ok(table.update({ ...changed, type: 'agent', ownerId: 'mem_2', createdMs: 7 }))
  t.same(table.all(), [changed, memberRow('mem_2')])
  t.notOk(table.update(memberRow('mem_3')))
})

t.test('the active people who are owners are counted', async (t) => {
  const table = membersTable(freshConnection(t))
  t.equal(table.countOwningPeople(), 0)
  table.insert({ ...memberRow('mem_1'), role: 'owner' })
  table.insert({ ...memberRow('mem_2'), role: 'owner', status: 'deactivated' })
  table.insert({ ...memberRow('mem_3'), role: 'admin' })
  table.insert({ ...memberRow('mem_4'), role: 'owner', type: 'agent' })
  t.equal(table.countOwningPeople(), 1)
})
