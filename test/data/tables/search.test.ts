import t from 'tap'
import { searchTable } from '../../../data/tables/search.ts'
import { freshConnection } from './fresh-connection.ts'

t.test('what is found by its words follows its text, and goes with it', async (t) => {
  const db = freshConnection(t)
  const search = searchTable(db)
  const find = db
    .prepare<[string], string>(`
      SELECT subject_id FROM search_text JOIN search_entries ON id = search_text.rowid WHERE search_text MATCH ?`)
    .pluck()
  search.add('message', 'msg_1', { title: '', body: 'The café opens' })
  search.add('message', 'msg_2', { title: '', body: 'The bar closes' })
  t.same(find.all('CAFE'), ['msg_1'], 'whatever the case and the accents')
  t.throws(() => search.add('message', 'msg_1', { title: '', body: '' }), /UNIQUE/)
  t.ok(search.change('msg_1', { title: '', body: 'The tavern' }))
  t.same([find.all('cafe'), find.all('tavern')], [[], ['msg_1']])
  t.ok(search.remove('msg_1'))
  t.same(find.all('the'), ['msg_2'])
  t.notOk(search.remove('msg_1'))
  t.notOk(search.change('msg_1', { title: '', body: 'x' }))
  search.add('message', 'msg_1', { title: 'Again', body: '' })
  t.same(find.all('title: again'), ['msg_1'])
})
