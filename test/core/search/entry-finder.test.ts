import { renameSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { EntryFinder } from '../../../core/search/entry-finder.ts'
import { parseSearchQuery } from '../../../core/search/search-query.ts'
import { openDatabase } from '../../../data/open-database.ts'
import { searchTable } from '../../../data/tables/search.ts'

function openSearch(t: Test) {
  const path = join(t.testdir(), 'workroom.db')
  const database = openDatabase(path, { flushesAfterCommit: true })
  database.connection.pragma('foreign_keys = OFF')
  const search = searchTable(database.connection)
  const finder = new EntryFinder(database, search)
  t.teardown(async () => {
    await finder.close()
    await database.close()
  })
  const add = (id: string, body: string) =>
    database.commit(() => {
      database.connection
        .prepare(
          "INSERT INTO messages (id, room_id, author_id, body, sent_ms) VALUES (?, 'hall', 'mem', '', 0)",
        )
        .run(id)
      search.add('message', id, { title: '', body })
    }, 'afterCommit')
  const find = async (words: string) => {
    const filter = { projects: [], kinds: [], memberId: 'mem', comments: false, rooms: ['hall'] }
    return await finder.find({ query: parseSearchQuery(words)!, filter, limit: 10 })
  }
  return { path, finder, add, find }
}

t.test('a search finds everything committed before it', async (t) => {
  const { add, find } = openSearch(t)
  for (let n = 0; n < 20; n++) {
    await add(`msg_${n}`, `word${n} in a text`)
    t.strictSame(await find(`word${n}`), [
      { type: 'message', subjectId: `msg_${n}`, containerId: 'hall', snippet: `word${n} in a text` },
    ])
  }
})

t.test('concurrent searches each get their own results', async (t) => {
  const { add, find } = openSearch(t)
  const ids = Array.from({ length: 20 }, (_, n) => `msg_${n}`)
  for (const id of ids) await add(id, `The ${id.replace('_', '')}.`)
  const found = await Promise.all(ids.map((id) => find(`"${id.replace('_', '')}"`)))
  t.strictSame(
    found.map(([first]) => first?.subjectId),
    ids,
  )
})

t.test('a search works even if its thread cannot open the database', async (t) => {
  const { path, add, find } = openSearch(t)
  await add('msg_1', 'tapir')
  renameSync(path, `${path}.away`)
  t.match(await find('tapir'), [{ subjectId: 'msg_1' }])
  renameSync(`${path}.away`, path)
  t.match(await find('tapir'), [{ subjectId: 'msg_1' }])
})

t.test('a search works without a thread after the finder is closed', async (t) => {
  const { finder, add, find } = openSearch(t)
  await add('msg_1', 'tapir')
  t.match(await find('tapir'), [{ subjectId: 'msg_1' }])
  await finder.close()
  t.match(await find('tapir'), [{ subjectId: 'msg_1' }])
})
