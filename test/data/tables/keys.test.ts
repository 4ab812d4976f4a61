import t from 'tap'
import { keysTable } from '../../../data/tables/keys.ts'
import { populatedConnection } from './fresh-connection.ts'

const keyRow = (id: string, hash: string) => ({
  id,
  memberId: 'mem_1',
  hash: Buffer.from(hash),
  label: 'laptop',
  scopes: ['posts:read', 'posts:write'],
  createdMs: 1,
  lastUsedMs: null,
  expiresMs: null,
})

t.test('keys are stored as given and listed oldest first', async (t) => {
  const table = keysTable(populatedConnection(t))
  const rows = [keyRow('key_1', 'one'), keyRow('key_2', 'two')]
  for (const row of rows) table.insert(row)
  t.same(table.all(), rows)
  t.same(table.find('key_2'), rows[1])
  t.equal(table.find('key_3'), undefined)
  t.throws(() => table.insert(keyRow('key_3', 'one')), { code: 'SQLITE_CONSTRAINT_UNIQUE' })
  t.throws(() => table.insert({ ...keyRow('key_3', 'three'), memberId: 'mem_2' }), {
    code: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  })
})

t.test('a removed key can neither be removed nor used again', async (t) => {
  const table = keysTable(populatedConnection(t))
  table.insert(keyRow('key_1', 'one'))
  t.ok(table.touch('key_1', 7))
  t.equal(table.all()[0]!.lastUsedMs, 7)
  t.ok(table.remove('key_1'))
  t.notOk(table.remove('key_1'))
  t.notOk(table.touch('key_1', 8))
  t.same(table.all(), [])
})
