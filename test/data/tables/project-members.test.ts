import t from 'tap'
import { membersTable } from '../../../data/tables/members.ts'
import { projectMembersTable } from '../../../data/tables/project-members.ts'
import { memberRow, populatedConnection } from './fresh-connection.ts'

t.test('project members are listed as they joined, and joining again changes only the role', async (t) => {
  const db = populatedConnection(t)
  membersTable(db).insert(memberRow('mem_2'))
  const table = projectMembersTable(db)
  table.put({ projectId: 'prj_1', memberId: 'mem_2', role: 'member', joinedMs: 1 })
  table.put({ projectId: 'prj_1', memberId: 'mem_1', role: 'lead', joinedMs: 2 })
  table.put({ projectId: 'prj_1', memberId: 'mem_2', role: 'lead', joinedMs: 3 })
  t.same(table.all(), [
    { projectId: 'prj_1', memberId: 'mem_2', role: 'lead', joinedMs: 1 },
    { projectId: 'prj_1', memberId: 'mem_1', role: 'lead', joinedMs: 2 },
  ])
})

t.test('unknown members and unknown projects are refused', async (t) => {
  const table = projectMembersTable(populatedConnection(t))
  const unknown = { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' }
  t.throws(() => table.put({ projectId: 'prj_9', memberId: 'mem_1', role: 'lead', joinedMs: 1 }), unknown)
  t.throws(() => table.put({ projectId: 'prj_1', memberId: 'mem_9', role: 'lead', joinedMs: 1 }), unknown)
})

t.test('a removed member is in no list, and only active members count as leads', async (t) => {
  const db = populatedConnection(t)
  membersTable(db).insert({ ...memberRow('mem_2'), status: 'deactivated' })
  const table = projectMembersTable(db)
  table.put({ projectId: 'prj_1', memberId: 'mem_1', role: 'lead', joinedMs: 1 })
  table.put({ projectId: 'prj_1', memberId: 'mem_2', role: 'lead', joinedMs: 2 })
  t.same(table.leads('prj_1'), ['mem_1'])
  t.ok(table.remove('prj_1', 'mem_1'))
  t.notOk(table.remove('prj_1', 'mem_1'))
  t.same(table.leads('prj_1'), [])
  t.match(table.all(), [{ memberId: 'mem_2' }])
})
