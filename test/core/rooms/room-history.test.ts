import t from 'tap'
import { type MessageWindow, RoomHistory, type WindowRequest } from '../../../core/rooms/room-history.ts'
import { messagesTable } from '../../../data/tables/messages.ts'
import { reactionsTable } from '../../../data/tables/reactions.ts'
import { freshRooms } from './open-rooms.ts'

const opened = await freshRooms(t)
const { ada, database, makeRoom, messages } = opened
let changedIds: string[] | null = []
const history = new RoomHistory({
  ...opened,
  messages: messagesTable(database.connection),
  reactions: reactionsTable(database.connection),
  changeTopics: { messagesChangedSince: () => changedIds },
})
const room = await makeRoom()
const other = await makeRoom({ name: 'Other' })
const post = async (body: string, threadId?: string) =>
  (await messages.post(ada, room, { body, ...(threadId !== undefined && { threadId }) })).messageId
const ids: string[] = []
for (let n = 0; n < 120; n++) ids.push(await post(`m${n}`))
const replies = [await post('r0', ids[3]), await post('r1', ids[3])]
const deleted = ids[60]!
await messages.remove(ada, room, deleted)

/** The first and last message, their count, the first of the earlier page, and whether later ones follow. */
const shapeOf = ({ messages: shown, earlier, hasLater }: MessageWindow) => [
  shown[0]?.body,
  shown.at(-1)?.body,
  shown.length,
  earlier === null ? null : `m${ids.indexOf(earlier)}`,
  hasLater,
]
const read = (window: WindowRequest, threadId?: string) =>
  shapeOf(history.read(ada, room, window, threadId ?? null))

t.test('message windows at the end and from, before or around any message are oldest first', async (t) => {
  t.same(read({ at: 'end' }), ['m70', 'm119', 50, 'm19', false])
  t.same(read({ at: 'end', count: 2 }), ['m118', 'm119', 2, 'm68', false])
  t.same(read({ at: 'end', count: 10_000 }), ['m0', 'm119', 119, null, false])
  t.same(read({ at: 'from', messageId: ids[100]! }), ['m100', 'm119', 20, 'm49', false])
  t.same(read({ at: 'before', messageId: ids[30]! }), ['m0', 'm29', 30, null, true])
  t.same(read({ at: 'around', messageId: ids[90]! }), ['m65', 'm114', 50, 'm14', true])
  t.same(read({ at: 'before', messageId: ids[0]! }), [undefined, undefined, 0, null, false])
})

t.test('a deleted message still marks a position, and is not shown', async (t) => {
  t.same(read({ at: 'from', messageId: deleted }), ['m61', 'm119', 59, 'm10', false])
  t.match(history.find(ada, room, deleted), { isDeleted: true, message: { _id: deleted } })
  t.match(history.find(ada, room, ids[3]!), { isDeleted: false, message: { body: 'm3', replyCount: 2 } })
})

t.test('message windows work in threads, too', async (t) => {
  t.same(read({ at: 'end' }, ids[3]), ['r0', 'r1', 2, null, false])
  t.same(read({ at: 'from', messageId: replies[1]! }, ids[3]).slice(0, 3), ['r1', 'r1', 1])
  t.same(read({ at: 'end' }, ids[4]), [undefined, undefined, 0, null, false])
})

t.test('a message outside the room or thread is not found', async (t) => {
  const missing = { code: 'not_found' }
  t.throws(() => history.read(ada, other, { at: 'from', messageId: ids[0]! }), missing)
  t.throws(() => history.read(ada, room, { at: 'around', messageId: replies[0]! }), missing)
  t.throws(() => history.read(ada, room, { at: 'around', messageId: ids[5]! }, ids[3]), missing)
  t.throws(() => history.read(ada, other, { at: 'end' }, ids[3]), missing)
  t.throws(() => history.find(ada, room, 'msg_none'), missing)
})

t.test('an outsider, or a key without the scope, reads nothing', async (t) => {
  const grace = await opened.join('Grace', 'human')
  t.throws(() => history.read(grace, room, { at: 'end' }), { code: 'forbidden' })
  t.throws(() => history.find(grace, room, ids[0]!), { code: 'forbidden' })
  const limited = { ...ada, scopes: new Set(['rooms:write'] as const) }
  t.throws(() => history.read(limited, room, { at: 'end' }), { message: /rooms:read/ })
})

t.test('changes list each message with the one before it, and the message after a deleted one', async (t) => {
  const changes = (threadId: string | null = null, from: string | null = null) => {
    const found = history.changes(ada, room, { since: 0, from, threadId })
    return (
      found && [
        found.shown.map(({ message, before }) => [message.body, before?.body ?? null]),
        found.removedIds.map((id) => (id === deleted ? 'm60' : id)),
      ]
    )
  }
  changedIds = [ids[119]!, deleted, ids[0]!, 'msg_none']
  t.same(changes(), [
    [
      ['m0', null],
      ['m61', 'm59'],
      ['m119', 'm118'],
    ],
    ['m60'],
  ])
  t.same(changes(null, ids[100]!), [[['m119', 'm118']], []])
  changedIds = [replies[1]!, ids[3]!]
  t.same(changes(ids[3]!), [[['r1', 'r0']], []])
  t.same(changes(), [[['m3', 'm2']], []])
  t.same(history.changes(ada, other, { since: 0, from: null, threadId: null }), {
    shown: [],
    removedIds: [],
  })
  changedIds = null
  t.equal(changes(), null)
  changedIds = ids.slice(0, 51)
  t.equal(changes(), null, 'too many changes')
})
