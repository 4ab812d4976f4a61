import t from 'tap'
import { packText, unpackContext, unpackText } from '../../../data/compression.ts'
import { searchTable } from '../../../data/tables/search.ts'
import fc from '../../support/seeded-properties.ts'
import { freshConnection } from './fresh-connection.ts'

t.test('a search entry follows changes of its text, and is removed with it', async (t) => {
  const db = freshConnection(t)
  const search = searchTable(db)
  const find = db
    .prepare<[string], string>(`
      SELECT subject_id FROM search_text JOIN search_entries ON id = search_text.rowid WHERE search_text MATCH ?`)
    .pluck()
  search.add('message', 'msg_1', { title: '', body: 'The café opens' })
  search.add('message', 'msg_2', { title: '', body: 'The bar closes' })
  t.same(find.all('CAFE'), ['msg_1'], 'in any case, with or without accents')
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

t.test('matches are read in portions, newest first', async (t) => {
  const db = freshConnection(t)
  const search = searchTable(db)
  db.pragma('foreign_keys = OFF')
  const say = db.prepare(
    "INSERT INTO messages (id, room_id, author_id, body, sent_ms) VALUES (?, ?, 'mem', '', 0)",
  )
  for (let n = 1; n <= 5; n++) {
    say.run(`msg_${n}`, `room_${n % 2}`)
    search.add('message', `msg_${n}`, { title: '', body: `word ${'word '.repeat(n)}` })
  }
  const reach = { projects: [], kinds: [], memberId: 'mem', comments: false, rooms: ['room_1'] }
  const portions = []
  let before = Number.MAX_SAFE_INTEGER
  for (let isDone = false; !isDone; ) {
    const { first, isLast } = search.portion('"word"', before, { entries: 2, bytes: 1000 })
    const found = search.best('"word"', { first: first!, before }, reach, 10)
    portions.push(found.map(({ subjectId, containerId }) => [subjectId, containerId]))
    for (const { subjectId } of found)
      t.equal(search.body(subjectId), `word ${'word '.repeat(Number(subjectId.slice(4)))}`)
    before = first!
    isDone = isLast
  }
  t.same(portions, [[['msg_5', 'room_1']], [['msg_3', 'room_1']], [['msg_1', 'room_1']]])
  const none = { first: null, count: 0, isLast: true }
  t.same(search.portion('"word"', before, { entries: 2, bytes: 1000 }), none)
  const few = { entries: 9, bytes: 31 }
  t.same(search.portion('"word"', 6, few), { first: 4, count: 2, isLast: false }, '30 and 25 bytes')
  t.same(search.portion('"word"', 3, few), { first: 1, count: 2, isLast: true }, '15 and 10 bytes')
  t.equal(search.body('msg_99'), undefined)
})

t.test('any packed text of any length is unpacked unchanged', async (t) => {
  const file = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.nat({ max: 70_000 }).map((length) => 'Some words. '.repeat(length / 12)),
  )
  const context = fc.oneof(fc.string(), fc.string({ unit: 'grapheme', minLength: 200, maxLength: 3000 }))
  fc.assert(
    fc.property(
      file,
      fc.string(),
      fc.array(context.map((text) => text.replaceAll('\0', ''))),
      (text, extra, contexts) => {
        const bytes = Buffer.from(text + extra)
        for (const displayed of [
          { text, contexts },
          { text: `\0${extra}${text}`, contexts },
        ]) {
          const packed = packText(displayed, bytes)
          t.same(
            {
              text: unpackText(packed, bytes.length, () => bytes),
              contexts: contexts.map((_, index) => unpackContext(packed, index, bytes.length, () => bytes)),
            },
            displayed,
          )
          t.equal(
            unpackContext(packed, contexts.length, bytes.length, () => bytes),
            undefined,
          )
        }
      },
    ),
    { numRuns: 100, seed: 5 },
  )
  const note = 'A note of which nearly all words are displayed, as of most notes in a workspace.'
  t.ok(packText({ text: note, contexts: [note] }, Buffer.from(`# Note\n\n${note}\n`)).length < 20)
})
