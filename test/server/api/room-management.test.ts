import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { mention, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { owner, request, eventually } = chat
const ben = await chat.person('Ben')
const grace = await chat.person('Grace')
const linus = await chat.person('Linus')
const members = [grace.member.id, linus.member.id]

interface NoticeRecord {
  _id: string
  kind: string
  author: { name: string }
  title: string
}

const noticesOf = async ({ key }: typeof ben) =>
  (await request('GET', '/v1/inbox', { key })).json.records.map(
    ({ kind, author, title, _id }: NoticeRecord) => ({ kind, author: author.name, title, _id }),
  )
const listed = async ({ key }: typeof ben, query = '') =>
  (await request('GET', `/api/rooms${query}`, { key })).json.map(({ _id }: { _id: string }) => _id)
const found = async ({ key }: typeof ben, word: string) =>
  (await request('GET', `/v1/search?q=${word}`, { key })).json.results.length

/** Returns how many rows are left of a room and its messages. */
function leftOf(room: string): number {
  const database = new Sqlite(join(chat.home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    const messages = `SELECT id FROM messages WHERE room_id = '${room}'`
    return database
      .prepare<[], number>(`SELECT
        (SELECT count(*) FROM messages WHERE room_id = '${room}' AND deleted_ms IS NULL)
        + (SELECT count(*) FROM room_members WHERE room_id = '${room}')
        + (SELECT count(*) FROM reactions WHERE message_id IN (${messages}))
        + (SELECT count(*) FROM pinned_messages WHERE room_id = '${room}')
        + (SELECT count(*) FROM inbox WHERE message_id IN (${messages}) AND read_ms IS NULL)
        + (SELECT count(*) FROM notices WHERE subject_id IN (${messages}) AND read_ms IS NULL)
        + (SELECT count(*) FROM search_entries WHERE subject_id IN (${messages}))
        + (SELECT count(*) FROM rooms WHERE id = '${room}' AND is_emptied = 0)`)
      .pluck()
      .get()!
  } finally {
    database.close()
  }
}

t.test('the creator of a room can remove a member, who is notified and can read it no more', async (t) => {
  const { _id: room } = await chat.room(ben, { name: 'Cabin', type: 'closed', members })
  await chat.post(ben, room, `Rudder, ${mention(grace)}`)
  const remove = (actor: typeof ben, member: typeof ben) =>
    chat.call(actor, 'DELETE', `/rooms/${room}/members/${member.member.id}`)
  t.match(await chat.refusal(linus, 'DELETE', `/rooms/${room}/members/${grace.member.id}`), [
    403,
    'Only the person who created it, a workspace owner or an admin may remove members',
  ])
  const cursor = (await request('GET', '/v1/events?since=0&wait=0', { key: grace.key })).json.cursor
  const held = request('GET', `/v1/events?since=${cursor}&wait=50`, { key: grace.key })
  t.same((await remove(ben, grace)).json, { removed: true })
  t.same((await remove(ben, grace)).json, { removed: true })
  t.same(await noticesOf(grace), [{ kind: 'removed', author: 'Ben', title: 'Cabin', _id: room }])
  t.equal((await chat.call(grace, 'GET', `/rooms/${room}/messages`)).status, 403)
  await chat.post(linus, room, 'Rudder again')
  t.same([await found(grace, 'rudder'), await found(linus, 'rudder')], [0, 2])
  await chat.post(ben, (await chat.room(ben, { members: [grace.member.id] }))._id, 'Elsewhere')
  const { events } = (await held).json
  t.match(events, [{ type: 'room.change', change: 'removed', memberId: grace.member.id, author: 'Ben' }])
  const later = await request('GET', `/v1/events?since=${cursor}&wait=0`, { key: grace.key })
  t.same(
    later.json.events.map(({ preview }: { preview?: string }) => preview),
    [undefined, 'Elsewhere'],
  )
  await chat.invite(ben, room, grace)
  t.same(
    (await noticesOf(grace)).map(({ kind }: { kind: string }) => kind),
    ['mention'],
    'a member who is back sees the mention, and no notice of the removal',
  )
  await remove(grace, ben)
  t.equal((await chat.detail(grace, room)).members.length, 3, 'nobody else removes the creator')
})

t.test('an archived room can be read, is left out of lists, and can be opened again', async (t) => {
  const { _id: room } = await chat.room(ben, { name: 'Attic', members })
  const message = await chat.post(grace, room, 'Lantern')
  const archived = await chat.call(ben, 'PATCH', `/rooms/${room}`, { archived: true })
  t.type(archived.json.archivedAt, 'number')
  const { events } = (await request('GET', '/v1/events?since=0&wait=0', { key: grace.key })).json
  t.match(events.at(-1), { type: 'room.change', change: 'archived', roomName: 'Attic', author: 'Ben' })
  t.notOk((await listed(grace)).includes(room))
  t.notOk((await listed(owner, '?all=1')).includes(room))
  t.same(await listed(grace, '?archived=1'), [room])
  t.same(await listed(owner, '?archived=1&all=1'), [room])
  t.equal((await chat.page(grace, room)).page[0]!._id, message)
  t.equal(await found(grace, 'lantern'), 1)
  const writes: [method: string, path: string, body?: object][] = [
    ['POST', '/messages', { body: 'x' }],
    ['PUT', `/messages/${message}`, { body: 'x' }],
    ['DELETE', `/messages/${message}`],
    ['PUT', `/messages/${message}/reactions/%F0%9F%91%8D`],
    ['PUT', `/pins/${message}`],
    ['PATCH', '', { name: 'Loft' }],
  ]
  for (const [method, path, body] of writes) {
    t.match(await chat.refusal(grace, method, `/rooms/${room}${path}`, body), [
      409,
      /archived.*PATCH \/api\/rooms\/room_\w+ with \{"archived": false\}/,
    ])
  }
  t.equal((await chat.call(grace, 'PATCH', `/rooms/${room}`, { archived: false })).status, 403)
  const opened = await chat.call(ben, 'PATCH', `/rooms/${room}`, { archived: false, name: 'Loft' })
  t.same([opened.json.name, opened.json.archivedAt], ['Loft', undefined])
  await chat.post(grace, room, 'Back')
  t.ok((await listed(grace)).includes(room))
})

t.test('a closed room can be opened, shows what was said to new members, and closes again', async (t) => {
  const { _id: room } = await chat.room(ben, { name: 'Vault', type: 'closed', members: [grace.member.id] })
  await chat.post(ben, room, 'Combination')
  t.equal((await chat.call(grace, 'PATCH', `/rooms/${room}`, { type: 'open' })).status, 403)
  t.equal((await chat.call(ben, 'PATCH', `/rooms/${room}`, { type: 'open' })).json.type, 'open')
  t.equal(await found(linus, 'combination'), 0)
  await chat.join(linus, room)
  t.equal((await chat.page(linus, room)).page.length, 1)
  await chat.leave(linus, room)
  await chat.call(ben, 'PATCH', `/rooms/${room}`, { type: 'closed' })
  t.equal((await chat.call(linus, 'POST', `/rooms/${room}/join`)).status, 403)
  t.equal((await chat.call(ben, 'PATCH', `/rooms/${room}`, { type: 'direct' })).status, 400)
})

t.test('a deleted room is gone with all its messages', async (t) => {
  const { _id: room } = await chat.room(ben, { name: 'Wreck', members })
  await chat.call(ben, 'PATCH', `/rooms/${room}`, { name: 'Reef' })
  const message = await chat.post(ben, room, `Coral for ${mention(grace)}`)
  await chat.call(grace, 'PUT', `/rooms/${room}/messages/${message}/reactions/%F0%9F%91%8D`)
  await chat.call(linus, 'PUT', `/rooms/${room}/pins/${message}`)
  const thread = await chat.post(linus, room, 'Coral thread')
  for (let n = 0; n < 60; n++) await chat.post(ben, room, `Coral ${n}`, { threadId: thread })
  await chat.remove(linus, room, thread)
  const { cursor } = (await request('GET', '/v1/events?since=0&wait=0', { key: grace.key })).json
  await chat.post(ben, room, 'Coral at last')
  t.match(await chat.refusal(ben, 'DELETE', `/rooms/${room}`), [400, 'To confirm, send its name: ?name=Reef'])
  t.equal((await chat.call(linus, 'DELETE', `/rooms/${room}?name=Reef`)).status, 403)
  t.same((await chat.call(ben, 'DELETE', `/rooms/${room}?name=Reef`)).json, { deleted: true })
  for (const path of [
    `/api/rooms/${room}`,
    `/api/rooms/${room}/messages`,
    '/v1/fs/rooms/reef.md',
    '/v1/fs/rooms/wreck.md',
  ])
    t.equal((await request('GET', path, { key: ben.key })).status, 404, path)
  t.equal((await chat.call(ben, 'POST', `/rooms/${room}/messages`, { body: 'x' })).status, 404)
  for (const actor of [ben, grace, linus]) {
    t.notOk((await listed(actor, '?all=1')).includes(room))
    t.equal(await found(actor, 'coral'), 0)
  }
  const { events } = (await request('GET', `/v1/events?since=${cursor}&wait=0`, { key: grace.key })).json
  t.same(events, [])
  t.notMatch(await chat.inbox(grace), 'Coral')
  t.notMatch(JSON.stringify(await noticesOf(linus)), /Reef|Coral/)
  await eventually(() => leftOf(room) === 0)
  t.equal((await chat.room(grace, { name: 'Reef' })).name, 'Reef', 'its name is free')
  t.equal((await request('GET', '/v1/fs/rooms/reef.md', { key: grace.key })).status, 200)
})

t.test('general and direct rooms cannot be archived, deleted or changed in type', async (t) => {
  const { _id: direct } = await chat.room(ben, { type: 'direct', members: [grace.member.id] })
  const changes: [room: string, method: string, body?: object][] = [
    [direct, 'PATCH', { archived: true }],
    [direct, 'PATCH', { type: 'open' }],
    [direct, 'DELETE'],
    [`${direct}/members/${grace.member.id}`, 'DELETE'],
  ]
  for (const [path, method, body] of changes)
    t.equal((await chat.call(ben, method, `/rooms/${path}`, body)).status, 409, `${method} ${path}`)
  for (const body of [{ archived: true }, { type: 'closed' }])
    t.match(await chat.refusal(owner, 'PATCH', '/rooms/general', body), [409, 'that all new members join'])
  t.equal((await chat.call(owner, 'DELETE', '/rooms/general?name=general')).status, 409)
})

t.test('two members share one direct room', async (t) => {
  const create = (actor: typeof ben, ids: string[]) =>
    chat.call(actor, 'POST', '/rooms', { name: 'Us', type: 'direct', members: ids })
  const first = await create(linus, [grace.member.id])
  t.equal(first.status, 201)
  const [again, other] = [await create(linus, [grace.member.id]), await create(grace, ['Linus'])]
  t.same([again.status, other.status], [200, 200])
  t.same([again.json._id, other.json._id], [first.json._id, first.json._id])
  const three = await create(linus, [grace.member.id, ben.member.id])
  t.equal(three.status, 201)
  await chat.leave(grace, first.json._id)
  t.equal((await create(linus, [grace.member.id])).status, 201, 'only one is left in the other')
  const both = await Promise.all([create(ben, [linus.member.id]), create(ben, [linus.member.id])])
  t.equal(both[0]!.json._id, both[1]!.json._id)
})

t.test('each member places a room in their own sidebar', async (t) => {
  const { _id: room } = await chat.room(ben, { name: 'Galley', members })
  const place = (body: object) => chat.call(grace, 'PUT', `/rooms/${room}/sidebar`, body)
  const placeOf = async (actor: typeof ben) => {
    const { favourite, section } = await chat.detail(actor, room)
    return { favourite, section }
  }
  t.same(await placeOf(grace), { favourite: false, section: null })
  t.same((await place({ favourite: true })).json, { favourite: true, section: null })
  t.same((await place({ section: ' Harbour ' })).json, { favourite: true, section: 'Harbour' })
  t.same(await placeOf(grace), { favourite: true, section: 'Harbour' })
  t.same(await placeOf(linus), { favourite: false, section: null })
  t.same((await place({ favourite: false, section: null })).json, { favourite: false, section: null })
  t.equal((await place({ section: 'x'.repeat(41) })).status, 400)
  t.equal((await place({ section: 'a\nb' })).status, 400)
  t.equal((await chat.call(owner, 'PUT', `/rooms/${room}/sidebar`, { favourite: true })).status, 403)
})

t.test('messages of a deleted room that a stop left behind are deleted at the next start', async (t) => {
  const { _id: room } = await chat.room(ben, { name: 'Bilge' })
  for (let n = 0; n < 3; n++) await chat.post(ben, room, `Water ${n}`)
  await chat.call(ben, 'DELETE', `/rooms/${room}?name=Bilge`)
  await eventually(() => leftOf(room) === 0)
  await chat.restart(() => {
    const database = new Sqlite(join(chat.home, '.workroom', 'workroom.db'))
    database.exec(`UPDATE messages SET deleted_ms = NULL, deleted_by = NULL WHERE room_id = '${room}'`)
    database.exec(`UPDATE rooms SET is_emptied = 0 WHERE id = '${room}'`)
    database.close()
    t.equal(leftOf(room), 4)
  })
  await eventually(() => leftOf(room) === 0)
})
