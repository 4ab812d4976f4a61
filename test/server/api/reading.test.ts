import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, owner, workspace } = chat
const grace = await chat.person('Grace', 'general')
const linus = await chat.person('Linus')
const bot = await chat.agent('Bot')
const members = [grace.member.id, bot.member.id]
const { _id: room } = await chat.room(owner, { name: 'Talk', members })

const callerOf = ({ key }: Actor) => workspace.stores.members.authenticate(key)!
const overview = (actor: Actor = grace) => workspace.rooms.rooms.overview(callerOf(actor))
const entry = (actor: Actor = grace, id = room) => overview(actor).joined.find((one) => one.id === id)!
const unread = (actor: Actor = grace, id = room) => entry(actor, id).unread
const read = async (messageId: string, actor: Actor = grace, id = room) =>
  (await call(actor, 'PUT', `/rooms/${id}/read`, { messageId })).json
const mentions = async (actor: Actor = grace) =>
  (await chat.inbox(actor)).split('\n').filter((line) => line.startsWith('- ')).length

t.test('messages of others are unread until one has read up to them, and never again', async (t) => {
  const first = await chat.post(owner, room, 'One')
  const second = await chat.post(owner, room, 'Two')
  await chat.post(grace, room, 'Mine')
  const last = await chat.post(bot, room, 'Three')
  t.equal(unread(), 3)
  t.match(workspace.rooms.rooms.page(callerOf(grace), room), {
    unread: 3,
    firstUnreadId: first,
    title: 'Talk',
    path: '/rooms/talk',
    slug: 'talk',
  })
  t.strictSame(await read(second), { ok: true, unread: 1 })
  t.match(workspace.rooms.rooms.page(callerOf(grace), room), { unread: 1, firstUnreadId: last })
  t.strictSame(await read(first), { ok: true, unread: 1 })
  t.strictSame(await read(last), { ok: true, unread: 0 })
  t.match(workspace.rooms.rooms.page(callerOf(grace), room), { unread: 0, firstUnreadId: null })
  t.equal(unread(owner), 2, 'each reads for themselves')
})

t.test(
  'replies and deleted messages do not count as unread, and a deleted message can be read up to',
  async (t) => {
    const question = await chat.post(owner, room, 'Well?')
    await chat.post(bot, room, 'Yes', { threadId: question })
    const gone = await chat.post(bot, room, 'Gone')
    t.equal(unread(), 2)
    await chat.remove(bot, room, gone)
    t.equal(unread(), 1)
    t.strictSame(await read(gone), { ok: true, unread: 0 })
  },
)

t.test(
  'reading a room marks its mentions as read, and reading a thread marks those in the thread',
  async (t) => {
    const to = mention(grace)
    const top = await chat.post(owner, room, `${to} look`)
    const reply = await chat.post(owner, room, `${to} here`, { threadId: top })
    const other = await chat.post(owner, room, 'Another')
    const otherReply = await chat.post(owner, room, `${to} there`, { threadId: other })
    const later = await chat.post(owner, room, `${to} later`)
    t.same([await mentions(), entry().mentions], [4, 4])
    t.strictSame(await read(other), { ok: true, unread: 1 })
    t.same([await mentions(), entry().mentions], [3, 3], 'mentions in threads were not shown')
    await read(reply)
    t.equal(entry().mentions, 2)
    t.equal(unread(), 1, 'a reply does not change the room')
    await read(otherReply)
    await read(later)
    t.same([await mentions(), entry()], [0, { ...entry(), unread: 0, mentions: 0 }])
  },
)

t.test('a member who joins or returns has read the messages from before', async (t) => {
  await chat.post(owner, room, 'Before Linus')
  await chat.join(linus, room)
  t.equal(unread(linus), 0)
  await chat.post(owner, room, 'Hello Linus')
  t.equal(unread(linus), 1)
  await chat.leave(linus, room)
  t.notOk(overview(linus).joined.some(({ id }) => id === room))
  await chat.post(owner, room, 'Bye')
  await chat.join(linus, room)
  t.equal(unread(linus), 0)
})

t.test(
  'a room whose involvement is nothing or invisible shows no unread messages, except mentions',
  async (t) => {
    await chat.post(owner, room, `${mention(grace)} psst`)
    const found = unread()
    t.ok(found > 0)
    for (const [involvement, count] of [
      ['mentions', found],
      ['nothing', 0],
      ['invisible', 0],
      ['everything', found],
    ] as const) {
      await call(grace, 'PUT', `/rooms/${room}/involvement`, { involvement })
      t.match(entry(), { involvement, unread: count, mentions: 1 })
      t.equal(workspace.rooms.rooms.page(callerOf(grace), room).unread, count)
    }
  },
)

t.test('more than 100 unread messages are counted as 100', async (t) => {
  const { _id: loud } = await chat.room(owner, { name: 'Loud', members })
  const caller = callerOf(owner)
  const said = await Promise.all(
    Array.from({ length: 102 }, (_, place) =>
      workspace.rooms.messages.post(caller, loud, { body: `No. ${place}` }),
    ),
  )
  t.equal(unread(grace, loud), 100)
  t.same(await read(said[0]!.messageId, grace, loud), { ok: true, unread: 100 })
  t.same(await read(said[3]!.messageId, grace, loud), { ok: true, unread: 98 })
})

t.test('the overview shows the rooms that one is in and those that one can join', async (t) => {
  const { _id: secret } = await chat.room(owner, { name: 'Secret', type: 'closed' })
  const { _id: direct } = await chat.room(owner, {
    name: 'x',
    type: 'direct',
    members: [grace.member.id, linus.member.id],
  })
  const { _id: alone } = await chat.room(grace, { name: 'Notes', type: 'direct' })
  const { _id: inProject } = await chat.room(owner, { name: 'Inside', projectId: 'general' })
  t.same(entry(grace, direct).name, 'Ada, Linus')
  t.same(entry(owner, direct).name, 'Grace, Linus')
  t.same(entry(grace, alone).name, 'Notes')
  t.equal(workspace.rooms.rooms.page(callerOf(grace), direct).title, 'Ada, Linus')
  t.strictSame(overview(grace).open, [
    {
      id: inProject,
      slug: 'inside',
      name: 'Inside',
      type: 'open',
      projectId: workspace.stores.projects.find('general')!.id,
      path: '/rooms/inside',
      involvement: null,
      favourite: false,
      section: null,
      unread: 0,
      mentions: 0,
      replies: 0,
    },
  ])
  t.notOk(
    overview(linus).open.some(({ id }) => id === inProject),
    'no rooms of foreign projects',
  )
  t.notOk([...overview(grace).joined, ...overview(grace).open].some(({ id }) => id === secret))
  const order = overview(grace).joined.map(({ name }) => name)
  t.same(order, ['general', 'Talk', 'Loud', 'Ada, Linus', 'Notes'])
})

t.test('a room can be marked unread from a message on, even from one’s own', async (t) => {
  const from = await chat.post(owner, room, 'From here')
  const own = await chat.post(grace, room, 'Mine')
  const last = await chat.post(owner, room, 'To here')
  await read(last)
  const unreadFrom = async (messageId: string) =>
    (await call(grace, 'PUT', `/rooms/${room}/unread`, { messageId })).json
  t.strictSame(await unreadFrom(own), { ok: true, unread: 1 })
  t.strictSame(await unreadFrom(from), { ok: true, unread: 2 })
  t.match(workspace.rooms.rooms.page(callerOf(grace), room), { unread: 2, firstUnreadId: from })
  t.strictSame(await unreadFrom(last), { ok: true, unread: 2 }, 'unread messages stay unread')
  const reply = await chat.post(owner, room, 'A reply', { threadId: from })
  t.match(await chat.refusal(grace, 'PUT', `/rooms/${room}/unread`, { messageId: reply }), [
    400,
    /message that the thread begins with/,
  ])
  await read(last)
})

t.test('reading up to an invalid message is refused', async (t) => {
  const { _id: elsewhere } = await chat.room(owner, { name: 'Elsewhere' })
  const there = await chat.post(owner, elsewhere, 'Here')
  const refusals: [Actor, string, unknown, number, RegExp][] = [
    [grace, room, {}, 400, /messageId/],
    [grace, room, { messageId: 'msg_1' }, 404, /no message msg_1 in this room/],
    [grace, room, { messageId: there }, 404, /in this room/],
    [grace, elsewhere, { messageId: there }, 403, /Join it first/],
    [grace, 'nowhere', { messageId: there }, 404, /no room/],
  ]
  for (const [actor, id, body, status, message] of refusals) {
    t.match(await chat.refusal(actor, 'PUT', `/rooms/${id}/read`, body), [status, message])
  }
  const { key } = await workspace.stores.members.addKey(bot.member.id, { scopes: ['rooms:write'] })
  t.match(await chat.refusal({ ...bot, key }, 'PUT', `/rooms/${room}/read`, { messageId: there }), [
    403,
    /rooms:read/,
  ])
  t.throws(() => workspace.rooms.rooms.overview(callerOf({ ...bot, key })), { code: 'forbidden' })
})
