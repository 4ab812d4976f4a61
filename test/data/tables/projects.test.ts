import t from 'tap'
import { projectsTable } from '../../../data/tables/projects.ts'
import { freshConnection, projectRow } from './fresh-connection.ts'

t.test('projects are stored as given and listed oldest first', async (t) => {
  const table = projectsTable(freshConnection(t))
  const young = { ...projectRow('prj_a'), createdMs: 2, archivedMs: 3 }
  const old = projectRow('prj_b')
  table.insert(young)
  table.insert(old)
  t.same(table.all(), [old, young])
})

t.test('no two projects have the same slug or folder', async (t) => {
  const table = projectsTable(freshConnection(t))
  table.insert(projectRow('prj_1'))
  table.insert(projectRow('prj_2'))
  const taken = { code: 'SQLITE_CONSTRAINT_UNIQUE' }
  t.throws(() => table.insert({ ...projectRow('prj_3'), slug: 'prj_1' }), taken)
  t.throws(() => table.insert({ ...projectRow('prj_3'), folder: 'prj_1' }), taken)
  t.throws(() => table.setFolder('prj_2', 'prj_1'), taken)
  t.ok(table.setFolder('prj_2', 'elsewhere'))
  t.equal(table.all()[1]!.folder, 'elsewhere')
  t.notOk(table.setFolder('prj_9', 'x'))
})

t.test('a confirmation of deletions is stored with its time', async (t) => {
  const table = projectsTable(freshConnection(t))
  table.insert(projectRow('prj_1'))
  t.ok(table.confirmDeletions('prj_1', 9))
  t.equal(table.all()[0]!.deletionsConfirmedMs, 9)
  t.notOk(table.confirmDeletions('prj_9', 9))
})

t.test('renaming and archiving a project change nothing else', async (t) => {
  const table = projectsTable(freshConnection(t))
  const row = projectRow('prj_1')
  table.insert(row)
  t.ok(table.change('prj_1', { slug: 'prj_1', name: 'Other', archivedMs: 9 }))
  t.same(table.find('prj_1'), { ...row, name: 'Other', archivedMs: 9 })
  t.notOk(table.change('prj_9', { slug: 'prj_1', name: 'Other', archivedMs: null }))
  t.equal(table.find('prj_9'), undefined)
})
