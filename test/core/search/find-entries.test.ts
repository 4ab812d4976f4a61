import t, { type Test } from 'tap'
import { findEntries } from '../../../core/search/find-entries.ts'
import { parseSearchQuery } from '../../../core/search/search-query.ts'
import { searchTable } from '../../../data/tables/search.ts'
import { freshConnection } from '../../data/tables/fresh-connection.ts'

/** More entries than are ranked. */
const many = 5200

const reader = { projects: [], kinds: [], memberId: 'mem', comments: false }

/** A search table with messages in several rooms, and a search in some of the rooms. */
function messages(t: Test) {
  const db = freshConnection(t)
  const search = searchTable(db)
  db.pragma('foreign_keys = OFF')
  const insert = db.prepare(
    "INSERT INTO messages (id, room_id, author_id, body, sent_ms) VALUES (?, ?, 'mem', '', 0)",
  )
  const add = (id: string, room: string, title: string, body: string) => {
    insert.run(id, room)
    search.add('message', id, { title, body })
  }
  const find = async (words: string, rooms: string[], limit = 3) => {
    const query = parseSearchQuery(words)!
    const found = await findEntries(search, { query, filter: { ...reader, rooms }, limit })
    return found.map(({ subjectId }) => subjectId)
  }
  return { db, add, find, remove: search.remove }
}

t.test('better matches come first, and of equal ones the newer', async (t) => {
  const { add, find } = messages(t)
  add('msg_1', 'hall', '', 'tapir and some other words beside it')
  add('msg_2', 'hall', '', 'tapir tapir')
  add('msg_3', 'hall', 'tapir', 'words')
  add('msg_4', 'hall', '', 'tapir tapir')
  add('msg_5', 'secret', 'tapir tapir', 'tapir')
  t.strictSame(await find('tapir', ['hall'], 9), ['msg_3', 'msg_4', 'msg_2', 'msg_1'])
  t.strictSame(await find('tapir', ['hall'], 2), ['msg_3', 'msg_4'])
})

t.test('the last word is found in longer words too, whenever they come', async (t) => {
  const { add, find, remove } = messages(t)
  add('msg_1', 'hall', '', 'one tapir')
  t.strictSame(await find('one tapir', ['hall']), ['msg_1'])
  add('msg_2', 'hall', '', 'one tapirs')
  t.strictSame(await find('one tapir', ['hall']), ['msg_2', 'msg_1'])
  t.strictSame(await find('tapir', ['hall']), ['msg_2', 'msg_1'])
  t.strictSame(await find('"one tapir"', ['hall']), ['msg_1'])
  t.strictSame(await find('tapi', ['hall']), ['msg_2', 'msg_1'])
  remove('msg_2')
  t.strictSame(await find('one tapir', ['hall']), ['msg_1'])
  for (const [id, word] of ['caféteria', 'café', 'cafe9', 'cafe_x'].entries())
    add(`word_${id}`, 'hall', '', word)
  t.strictSame((await find('cafe', ['hall'], 9)).sort(), ['word_0', 'word_1', 'word_2', 'word_3'])
})

t.test('of very many matches, matches in titles and the newest ones are found', async (t) => {
  const { db, add, find } = messages(t)
  db.transaction(() => {
    add('old_title', 'hall', 'Tapir', 'words')
    add('old_hidden', 'secret', 'Tapir', 'words')
    add('old_text', 'hall', '', 'tapir tapir')
    for (let n = 0; n < many; n++) add(`msg_${n}`, 'hall', '', 'one tapir')
  })()
  t.strictSame(await find('tapir', ['hall']), ['old_title', `msg_${many - 1}`, `msg_${many - 2}`])
})

t.test('any number of newer matches in hidden rooms does not hide visible ones', async (t) => {
  const { db, add, find } = messages(t)
  db.transaction(() => {
    add('old_1', 'hall', '', 'one tapir')
    add('old_2', 'hall', '', 'tapir tapir')
    for (let n = 0; n < many; n++) add(`msg_${n}`, 'secret', '', 'one tapir')
  })()
  t.strictSame(await find('tapir', ['hall']), ['old_2', 'old_1'])
})
