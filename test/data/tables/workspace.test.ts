import t from 'tap'
import { workspaceTable } from '../../../data/tables/workspace.ts'
import { freshConnection } from './fresh-connection.ts'

t.test('the workspace is stored as given', async (t) => {
  const table = workspaceTable(freshConnection(t))
  t.equal(table.find(), undefined)
  const row = { id: 'wsp_1', name: 'Org', slug: 'org', createdMs: 5 }
  table.insert(row)
  t.same(table.find(), row)
  t.equal(table.address(), null)
  table.setAddress('http://127.0.0.1:4747')
  t.equal(table.address(), 'http://127.0.0.1:4747')
})
