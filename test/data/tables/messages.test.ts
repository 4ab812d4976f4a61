import t from 'tap'
import type { Connection } from '../../../data/database.ts'
import { messagesTable } from '../../../data/tables/messages.ts'
import { roomsTable } from '../../../data/tables/rooms.ts'
import { populatedConnection, roomRow } from './fresh-connection.ts'

function messagesIn(db: Connection) {
  const messages = messagesTable(db)
  for (const id of ['room_1', 'room_2']) roomsTable(db).insert(roomRow(id))
  const say = (id: string, more: { threadId?: string; roomId?: string } = {}) => {
    const row = { roomId: 'room_1', threadId: null, authorId: 'mem_1', sentVia: null, sentMs: 5, ...more }
    messages.insert({ id, body: `text of ${id}`, ...row })
  }
  return { messages, say }
}

const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

t.test('a message is stored as given', async (t) => {
  const { messages, say } = messagesIn(populatedConnection(t))
  say('msg_1')
  t.same(messages.find('msg_1'), {
    place: 1,
    id: 'msg_1',
    roomId: 'room_1',
    threadId: null,
    authorId: 'mem_1',
    body: 'text of msg_1',
    sentVia: null,
    sentMs: 5,
    editedMs: null,
    deletedMs: null,
    replyCount: 0,
    isPinned: 0,
    hasReactions: 0,
  })
  t.equal(messages.find('msg_2'), undefined)
  t.ok(messages.edit('msg_1', 'changed', 7))
  t.match(messages.find('msg_1'), { body: 'changed', editedMs: 7, sentMs: 5 })
  t.ok(messages.remove('msg_1', 8, 'mem_1'))
  t.notOk(messages.remove('msg_1', 9, 'mem_1'), 'once')
  t.equal(messages.find('msg_1')!.deletedMs, 8)
})

t.test('pages of messages are newest first, each after the place of the one before', async (t) => {
  const { messages, say } = messagesIn(populatedConnection(t))
  // The ids sort the other way: the order is that of the commits.
  for (const n of [5, 4, 3, 2, 1]) say(`msg_${n}`)
  say('msg_9', { roomId: 'room_2' })
  t.same(ids(messages.inRoom('room_1', 2)), ['msg_1', 'msg_2'])
  const second = messages.find('msg_2')!.place
  t.same(ids(messages.inRoom('room_1', 2, second)), ['msg_3', 'msg_4'])
  messages.remove('msg_4', 8, 'mem_1')
  t.same(ids(messages.inRoom('room_1', 9, second)), ['msg_3', 'msg_5'], 'deleted messages are left out')
  const deleted = messages.find('msg_4')!.place
  t.same(ids(messages.inRoom('room_1', 9, deleted)), ['msg_5'], 'the place of a deleted message is valid')
  t.same(messages.inRoom('room_1', 9, 1), [])
})

t.test('replies are listed only in their thread, and counted', async (t) => {
  const { messages, say } = messagesIn(populatedConnection(t))
  say('msg_1')
  say('msg_2', { threadId: 'msg_1' })
  say('msg_3', { threadId: 'msg_1' })
  t.same(ids(messages.inRoom('room_1', 9)), ['msg_1'])
  t.same(ids(messages.inThread('msg_1', 9)), ['msg_3', 'msg_2'])
  t.same(ids(messages.inThread('msg_1', 9, messages.find('msg_3')!.place)), ['msg_2'])
  messages.countReply('msg_1', 1)
  messages.countReply('msg_1', 1)
  messages.countReply('msg_1', -1)
  t.equal(messages.find('msg_1')!.replyCount, 1)
})

t.test('a page is read from an index, starting at its first row, however many rows there are', async (t) => {
  const db = populatedConnection(t)
  const planOf = (sql: string) =>
    (
      db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split('?').length - 1).fill(9)) as {
        detail: string
      }[]
    ).map(({ detail }) => detail)
  // Checks the statements that the table really runs: none sorts or scans.
  const prepared: string[] = []
  const prepare = (sql: string) => {
    prepared.push(sql)
    return { pluck: () => {}, raw: () => {} }
  }
  messagesTable({ prepare } as unknown as Connection)
  const pages = prepared.filter((sql) => sql.includes('ORDER BY'))
  const page = (index: string, below: '<' | '>') => {
    const column = index === 'messages_room' ? 'room_id' : 'thread_id'
    return [`SEARCH messages USING INDEX ${index} (${column}=? AND place${below}?)`]
  }
  const unread = 'SEARCH messages USING COVERING INDEX messages_room (room_id=? AND place>?)'
  t.same(
    pages.map((sql) => planOf(sql).filter((step) => / messages |B-TREE/.test(step))),
    [
      page('messages_room', '<'),
      page('messages_thread', '<'),
      page('messages_room', '>'),
      page('messages_thread', '>'),
      ['SEARCH messages USING INDEX messages_sent (room_id=? AND sent_ms>?)'],
      [unread],
      ['SEARCH messages USING INTEGER PRIMARY KEY (rowid=?)', unread],
    ],
  )
})
