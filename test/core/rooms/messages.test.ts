import t, { type Test } from 'tap'
import type { NewMessage } from '../../../core/rooms/types.ts'
import { eventsTable } from '../../../data/tables/events.ts'
import { freshRooms, mention } from './open-rooms.ts'

async function openTalk(t: Test) {
  const opened = await freshRooms(t)
  const grace = await opened.join('Grace', 'human')
  const room = await opened.makeRoom({}, grace)
  const { ada, database, messages } = opened
  const db = database.connection
  return {
    ...opened,
    db,
    grace,
    room,
    post: async (body: string, more: Partial<NewMessage> = {}) =>
      (await messages.post(ada, room, { body, ...more })).messageId,
    page: (options: { limit?: number; cursor?: string; threadId?: string } = {}) =>
      messages.page(ada, room, { limit: 100, ...options }),
    count: (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number,
    found: (word: string) =>
      db
        .prepare(`SELECT subject_id FROM search_text JOIN search_entries ON id = search_text.rowid
          WHERE search_text MATCH ? ORDER BY id`)
        .pluck()
        .all(word),
  }
}

t.test('a message is stored together with its event and search entry, or not at all', async (t) => {
  const { count, database, db, found, grace, post, room, ada } = await openTalk(t)
  const tables = ['messages', 'inbox', 'search_entries', 'search_text', 'events', 'answered_requests']
  const counts = () => tables.map(count)
  const id = await post(`Hello ${mention(grace)}`, { idempotencyKey: 'k1', sentVia: 'cli' })
  t.same(counts(), [1, 1, 1, 1, 1, 1])
  t.same(found('grace'), [id])
  t.match(eventsTable(db).after(0, 10), [
    {
      type: 'message',
      actorId: ada.member.id,
      roomId: room,
      messageId: id,
      projectId: null,
      via: 'api',
      detail: '{}',
    },
  ])
  for (const table of ['search_entries', 'events', 'answered_requests', 'inbox']) {
    db.exec(`CREATE TRIGGER failing BEFORE INSERT ON ${table} BEGIN SELECT raise(ABORT, 'no'); END`)
    const refused = post(`Again ${mention(grace)}`, { idempotencyKey: 'k2', threadId: id })
    const neighbour = database.commit(() => {})
    await t.rejects(refused, /no/, table)
    await neighbour.catch(() => {})
    db.exec('DROP TRIGGER failing')
    t.same(counts(), [1, 1, 1, 1, 1, 1], table)
  }
})

t.test('two requests at once with one key post once and get the same answer', async (t) => {
  const { ada, count, grace, messages, post, room } = await openTalk(t)
  const same = await Promise.all([1, 2, 3].map(() => post('Once', { idempotencyKey: 'once' })))
  t.equal(new Set(same).size, 1)
  t.equal(count('messages'), 1)
  t.equal(await post('Another text', { idempotencyKey: 'once' }), same[0])
  t.not(await post('Once'), same[0])
  const others = await messages.post(grace, room, { body: 'Mine', idempotencyKey: 'once' })
  t.not(others.messageId, same[0], 'keys of different members are independent')
  const reply = await Promise.all(
    [1, 2].map(() => post('Reply', { idempotencyKey: 'reply', threadId: same[0]! })),
  )
  t.equal(new Set(reply).size, 1)
  t.equal(messages.page(ada, room, { limit: 100 }).page.find(({ _id }) => _id === same[0])!.replyCount, 1)
})

t.test('an edit within five minutes changes the text and its search entry', async (t) => {
  const { ada, clock, found, messages, page, post, room } = await openTalk(t)
  const id = await post('alpha')
  const sentMs = clock.nowMs
  await messages.edit(ada, room, id, 'alpha')
  t.notOk('editedAt' in page().page[0]!, 'the same text does not count as an edit')
  clock.nowMs += 300_000
  await messages.edit(ada, room, id, 'beta')
  t.match(page().page[0], { body: 'beta', _creationTime: sentMs, editedAt: clock.nowMs })
  t.same([found('alpha'), found('beta')], [[], [id]])
  clock.nowMs += 1
  await t.rejects(messages.edit(ada, room, id, 'gamma'), {
    code: 'bad_request',
    message: 'Edit window has expired',
  })
})

t.test('an edit with several mistakes is refused for the first one', async (t) => {
  const opened = await openTalk(t)
  const { ada, clock, grace, messages, post, room } = opened
  const out = await opened.join('Out', 'human')
  const id = await post('Hello.')
  const elsewhere = await opened.makeRoom({ name: 'Elsewhere' })
  const edit = (...[caller, where, what, body = ' ']: [typeof ada, string, string, string?]) =>
    messages.edit(caller, where, what, body)
  await t.rejects(edit(out, 'nowhere', 'msg_x'), { code: 'not_found', message: /room nowhere/ })
  await t.rejects(edit(out, room, 'msg_x'), { code: 'forbidden', next: { step: 'join the room' } })
  await t.rejects(edit(grace, room, 'msg_x'), { code: 'not_found', message: /msg_x/ })
  await t.rejects(edit(ada, elsewhere, id), { code: 'not_found' }, 'a message of another room')
  await t.rejects(edit(grace, room, id), { code: 'forbidden', message: /author/ })
  await t.rejects(edit(ada, room, id), { code: 'bad_request', message: /blank/ })
  await messages.remove(ada, room, id)
  await t.rejects(edit(grace, room, id), { code: 'forbidden' })
  clock.nowMs += 300_001
  await t.rejects(edit(ada, room, id), { code: 'bad_request', message: /deleted/ })
})

t.test('a deleted message is removed from pages, thread counts and search, once', async (t) => {
  const { ada, count, found, messages, page, post, room } = await openTalk(t)
  const top = await post('top')
  const reply = await post('reply', { threadId: top })
  await post('other', { threadId: top })
  t.equal(page().page[0]!.replyCount, 2)
  for (let time = 0; time < 2; time++) await messages.remove(ada, room, reply)
  t.equal(page().page[0]!.replyCount, 1)
  t.same(
    page({ threadId: top }).page.map(({ body }) => body),
    ['other'],
  )
  t.same(found('reply'), [])
  t.equal(count('search_text'), 2)
  await t.rejects(post('late', { threadId: reply }), { code: 'bad_request', message: /reply itself/ })
  await messages.remove(ada, room, top)
  t.same(page().page, [])
  await t.rejects(post('late', { threadId: top }), { code: 'bad_request', message: /deleted/ })
  t.equal(page({ threadId: top }).page.length, 1, 'its thread remains readable')
})

t.test('trying to delete tells an outsider nothing about a room’s messages', async (t) => {
  const opened = await openTalk(t)
  const { ada, grace, messages, room, service } = opened
  const out = await opened.join('Out', 'human')
  const { messageId } = await messages.post(grace, room, { body: 'Mine' })
  for (const id of [messageId, 'msg_x']) {
    await t.rejects(messages.remove(out, room, id), { code: 'forbidden', next: { step: 'join the room' } })
  }
  await service.leave(grace, room)
  await messages.remove(grace, room, messageId)
  await service.leave(ada, room)
  await t.rejects(messages.remove(ada, room, 'msg_x'), { code: 'not_found' })
  await messages.remove(ada, room, messageId)
})

t.test('a cursor must be a message of the paged room or thread', async (t) => {
  const opened = await openTalk(t)
  const { ada, messages, page, post, room } = opened
  const top = await post('top')
  const reply = await post('reply', { threadId: top })
  const elsewhere = await opened.makeRoom({ name: 'Elsewhere' })
  const foreign = (await messages.post(ada, elsewhere, { body: 'foreign' })).messageId
  const refusal = { code: 'bad_request', message: /cursor/ }
  for (const cursor of [reply, foreign, 'msg_x', '0', ' ']) t.throws(() => page({ cursor }), refusal, cursor)
  for (const cursor of [top, foreign]) t.throws(() => page({ cursor, threadId: top }), refusal)
  t.same(page({ cursor: top }), { page: [], continueCursor: top, isDone: true })
  t.same(messages.page(ada, elsewhere, { limit: 1, cursor: '' }).continueCursor, foreign)
  for (const limit of [0, -1, 1.5, Number.NaN]) t.throws(() => page({ limit }), { code: 'bad_request' })
  t.throws(() => page({ threadId: foreign }), { code: 'not_found' })
  await messages.remove(ada, room, top)
  t.equal(page({ cursor: top }).isDone, true, 'a message deleted since is valid')
  t.same((await openTalk(t)).page(), { page: [], continueCursor: '', isDone: true })
})
