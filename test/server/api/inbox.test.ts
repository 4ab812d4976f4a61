import t from 'tap'
import { mention, openChat } from '../../support/chat.ts'
import { leaveProject } from '../../support/leave-project.ts'

const chat = await openChat(t)
const { call, clock, owner, refusal, request, workspace } = chat
const grace = await chat.person('Grace', 'general')
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(owner, {
  name: 'Talk *loudly*',
  members: [grace.member.id, bot.member.id],
})

const say = (text: string, where = room) => chat.post(owner, where, `${mention(grace)} ${text}`)
const read = async (body?: unknown) => (await call(grace, 'POST', '/inbox/read', body)).json
/** Returns the lines of an inbox, newest first. */
const lines = async (actor = grace) =>
  (await chat.inbox(actor)).split('\n').filter((line) => line.startsWith('- '))
/** Returns the number of unread mentions in the orientation. */
async function counted(actor = grace): Promise<number> {
  const { text } = await request('GET', '/v1/fs', { key: actor.key })
  return Number(/## Unread mentions\n\n(\d+) in all/.exec(text)?.[1] ?? 0)
}

t.test('a mention is listed with its time, author, room, path and text', async (t) => {
  const id = await say('look *here*\n# and here')
  const page = await request('GET', '/v1/fs/inbox/mentions.md', { key: grace.key })
  t.equal(page.headers['content-type'], 'text/markdown; charset=utf-8')
  t.equal(page.headers['cache-control'], 'private, no-cache')
  const [line, ...others] = await lines()
  t.strictSame(others, [])
  for (const part of [
    new Date(clock.now()).toISOString(),
    '**Ada**',
    'Talk \\*loudly\\*',
    '`/v1/fs/rooms/talk-loudly.md`',
    id,
    '@Grace look',
    'and here',
  ])
    t.ok(line!.includes(part), part)
  t.notMatch(line, grace.member.id, 'mentions are shown by name')
  t.equal((await request('GET', '/v1/fs/rooms/talk-loudly.md', { key: grace.key })).status, 200)
})

t.test('of a long message the first 280 characters are shown', async (t) => {
  await say(`${'🎉'.repeat(400)} end`)
  const [line] = await lines()
  const count = [...line!].filter((character) => character === '🎉').length
  t.equal(count, 280 - '@Grace '.length)
  t.notMatch(line, 'end')
})

t.test('a mention names its thread, and the path that shows all of its text', async (t) => {
  await read()
  const long = `${'long '.repeat(100)}to its end`
  const top = await say(long)
  const reply = await chat.post(owner, room, `${mention(grace)} answers ${long}`, { threadId: top })
  for (let number = 0; number < 60; number++) await chat.post(owner, room, `${number}`, { threadId: top })
  for (let number = 0; number < 60; number++) await chat.post(owner, room, `${number}`)
  await chat.join(grace, room)
  const [inThread, said] = await lines()
  const pathOf = (id: string) => `/v1/fs/rooms/talk-loudly.md?thread=${id}`
  t.match(said, `in the room *Talk \\*loudly\\**: \`/v1/fs/rooms/talk-loudly.md\` · \`${top}\``)
  t.match(said, /lon… \(cut off here\) · with its thread: `/)
  t.match(said, `\`${pathOf(top)}\``)
  t.match(inThread, `in the thread \`${top}\` of the room *Talk \\*loudly\\**: \`${pathOf(reply)}\``)
  for (const id of [top, reply]) {
    const { status, text } = await request('GET', pathOf(id), { key: grace.key })
    t.equal(status, 200)
    t.match(text, `\`${id}\``)
    t.match(text, id === top ? `@Grace ${long}` : `@Grace answers ${long}`, 'however many messages follow')
  }
  await read()
  await say('short')
  t.match((await lines())[0], /· @Grace short$/, 'a message shown whole names no second path')
  await read()
})

t.test('messages and posts are in one list, newest first, each with the id that marks it read', async (t) => {
  await read()
  clock.advance(1000)
  const first = await say('First')
  clock.advance(1000)
  const post = await request('PUT', '/v1/fs/projects/general/posts/p.md', { body: '# News\n\n@Grace\n' })
  clock.advance(1000)
  const last = await say('Last')
  const ids = (await lines()).map((line) => [first, post.json.id, last].find((id) => line.includes(id)))
  t.strictSame(ids, [last, post.json.id, first])
  t.equal(await counted(), 3)
  t.strictSame(await read({ ids: [post.json.id, first] }), { read: 2 })
  t.equal((await lines()).length, 1)
  t.match((await lines())[0], last)
})

t.test('reading the page, the room or its transcript marks nothing as read', async (t) => {
  const before = await chat.inbox(grace)
  await chat.page(grace, room)
  await request('GET', '/v1/fs/rooms/talk-loudly.md', { key: grace.key })
  t.equal(await chat.inbox(grace), before)
})

t.test('marking takes ids, or all that is shown, and returns how many became read', async (t) => {
  await read()
  const [one, two, three] = [await say('1'), await say('2'), await say('3')]
  t.strictSame(await read({ ids: [] }), { read: 0 })
  t.strictSame(await read({ ids: [one, one, 'msg_nothing', '', room] }), { read: 1 })
  t.strictSame(await read({ ids: [one] }), { read: 0 }, 'what is read already does not count')
  t.strictSame((await lines()).map((line) => [two, three].find((id) => line.includes(id))).sort(), [
    two,
    three,
  ])
  for (const body of [undefined, {}]) {
    t.strictSame(await read(body), { read: body === undefined ? 2 : 0 })
    t.strictSame([await lines(), await counted()], [[], 0])
  }
  const status = (await call(grace, 'POST', '/inbox/read', {})).status
  t.equal(status, 200)
})

t.test('nobody can mark the mentions of another member as read', async (t) => {
  const id = await say('Grace’s own')
  t.strictSame((await call(bot, 'POST', '/inbox/read', { ids: [id] })).json, { read: 0 })
  t.strictSame((await call(bot, 'POST', '/inbox/read')).json, { read: 0 })
  t.equal((await lines()).length, 1)
  await read()
})

t.test('ids of a wrong type are 400, and nothing is marked', async (t) => {
  const id = await say('Stays')
  for (const ids of [id, null, [5], { id }, [[id]]])
    t.match(await refusal(grace, 'POST', '/inbox/read', { ids }), [400, /ids/], JSON.stringify(ids))
  t.equal((await lines()).length, 1)
  await read()
})

t.test('a mention is shown only while its reader may read the room', async (t) => {
  const closed = await chat.room(owner, { type: 'closed', members: [grace.member.id] })
  const hidden = await say('In the closed room', closed._id)
  const open = await say('In the open room')
  await chat.leave(grace, closed._id)
  await chat.leave(grace, room)
  t.strictSame([(await lines()).length, await counted()], [1, 1])
  t.match((await lines())[0], open, 'an open room can be read by joining')
  t.strictSame(await read({ ids: [hidden] }), { read: 0 }, 'what is not shown is not marked')
  t.strictSame(await read(), { read: 1 })
  await chat.invite(owner, closed._id, grace)
  t.match((await lines())[0], hidden)
  t.strictSame(await read(), { read: 1 })
  await chat.join(grace, room)
})

t.test('a member who leaves a project sees nothing of its rooms, and keeps a place in them', async (t) => {
  const garden = await workspace.stores.projects.add({ name: 'Garden', lead: owner.member })
  await workspace.stores.projects.join(garden, bot.member, 'member')
  const { _id } = await chat.room(owner, { projectId: garden.id, members: [bot.member.id] })
  const id = await chat.post(owner, _id, mention(bot))
  t.match((await lines(bot))[0], id)
  const before = await chat.detail(bot, _id)
  await leaveProject(chat.home, garden.id, bot.member.id)
  t.strictSame(await lines(bot), [])
  t.strictSame((await call(bot, 'POST', '/inbox/read', { ids: [id] })).json, { read: 0 })
  t.notOk((await call(bot, 'GET', '/rooms?all=1')).json.some((room: { _id: string }) => room._id === _id))
  for (const [method, path] of [
    ['GET', `/rooms/${_id}`],
    ['GET', `/rooms/${_id}/messages`],
    ['POST', `/rooms/${_id}/join`],
  ] as const)
    t.match(await refusal(bot, method, path), [403, /project/], path)
  t.strictSame(
    (await chat.detail(owner, _id)).members.map(({ name }) => name),
    ['Ada'],
  )
  await chat.workspace.stores.projects.join(garden, bot.member, 'member')
  t.match((await lines(bot))[0], id)
  t.strictSame(await chat.detail(bot, _id), before, 'as before leaving')
})

t.test('unread and read mentions stay so after a restart', async (t) => {
  const [kept, marked] = [await say('Kept'), await say('Marked')]
  await read({ ids: [marked] })
  const before = await chat.inbox(grace)
  await chat.restart()
  t.equal(await chat.inbox(grace), before)
  t.equal((await lines()).length, 1)
  t.match((await lines())[0], kept)
})

t.test('page, count and marking agree through leaving, rejoining, edits and deletes', async (t) => {
  await read()
  const closed = await chat.room(owner, { type: 'closed', members: [grace.member.id] })
  const posted: [room: string, id: string][] = []
  const agree = async (expected: number) =>
    t.strictSame([(await lines()).length, await counted()], [expected, expected])
  for (const where of [room, closed._id, room, closed._id])
    posted.push([where, await say('One of four', where)])
  await agree(4)
  await chat.leave(grace, closed._id)
  await agree(2)
  await chat.remove(owner, ...posted[0]!)
  await agree(1)
  await chat.edit(owner, ...posted[2]!, 'Nobody')
  await agree(0)
  await chat.invite(owner, closed._id, grace)
  await agree(2)
  await chat.edit(owner, ...posted[1]!, 'Nobody')
  await agree(1)
  await chat.edit(owner, ...posted[2]!, `${mention(grace)} again`)
  await agree(2)
  t.strictSame(await read(), { read: 2 })
  await agree(0)
})

t.test('the inbox needs the scope mentions:read, also to mark mentions as read', async (t) => {
  const { key } = await chat.workspace.stores.members.addKey(bot.member.id, {
    scopes: ['rooms:read', 'rooms:write'],
  })
  const { status, json } = await request('POST', '/api/inbox/read', { key })
  t.match([status, json.error], [403, /mentions:read/])
})
