import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { type Actor, openChat } from '../../support/chat.ts'
import { eventually } from '../../support/eventually.ts'
import { type EventsResponse, fetchNewestCursor, holdRequest, pollEvents } from '../../support/live-events.ts'

const chat = await openChat(t)
const { clock, home, owner, request, workspace } = chat
const project = '/v1/fs/projects/general'
const general = workspace.stores.projects.find('general')!
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { name: 'Talk', members: [grace.member.id] })

/** Writes as another process does, such as the command line. */
function asAnotherProcess(sql: string): void {
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'))
  db.exec(sql)
  db.close()
}

/** Checks that a held request has not been answered. */
async function stillHeld(t: Test, response: Promise<EventsResponse>, why: string): Promise<void> {
  // Whatever would have woken it has been handled before a later request is answered.
  await request('GET', '/api/members')
  await nextTurn()
  const early = await Promise.race([response, Promise.resolve(null)])
  t.equal(early, null, why)
}

let members = 0
async function newcomer(): Promise<Actor> {
  members += 1
  const actor = await chat.person(`Member ${members}`, 'general')
  await chat.join(actor, room)
  return actor
}

t.test('a message ends the wait of those who may see it, and of nobody else', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const linus = await chat.person('Linus')
  const waiting = await holdRequest(chat, grace, cursor)
  const outside = await holdRequest(chat, linus, cursor)
  const author = await holdRequest(chat, owner, cursor)
  const messageId = await chat.post(owner, room, 'Anybody?')
  const response = await waiting.response
  t.match(response, { status: 200, events: [{ messageId }] })
  t.ok(response.cursor > cursor)
  await stillHeld(t, outside.response, 'who is not in the room')
  await stillHeld(t, author.response, 'nor the author')
  clock.advance(25_000)
  t.match(await Promise.all([outside.response, author.response]), Array(2).fill({ events: [], cursor }))
})

t.test('a write ends the wait once the file can be read', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const waiting = await holdRequest(chat, grace, cursor)
  const writing = request('PUT', `${project}/docs/fresh.md`, { body: '# Fresh\n\nJust written.\n' })
  const { events } = await waiting.response
  const { text } = await request('GET', events[0]!.path as string, { key: grace.key })
  t.match(text, 'Just written.')
  await writing
})

t.test('a message that is sent while a request reads the log is returned at once', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const responses = Array.from({ length: 16 }, () => pollEvents(chat, grace, `since=${cursor}`))
  const messageId = await chat.post(owner, room, 'Right now')
  for (const { events } of await Promise.all(responses)) t.match(events, [{ messageId }])
})

t.test('without events the answer is empty, with the cursor that was sent', async (t) => {
  const head = await fetchNewestCursor(chat)
  const rounded = Math.floor(head)
  for (const [since, query] of [
    [head, ''],
    [0, 'doc=doc_nothing'],
    [rounded, 'doc=doc_nothing&project=general'],
  ] as const) {
    const waiting = await holdRequest(chat, grace, since, `wait=10&${query}`)
    clock.advance(9999)
    await stillHeld(t, waiting.response, 'the time is not over')
    clock.advance(1)
    t.match(await waiting.response, { status: 200, events: [], cursor: since })
  }
})

t.test('wait is 25 seconds by default, at most 50, and 0 for what is not a number', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  for (const [wait, atLeastMs, atMostMs] of [
    ['', 23_000, 25_000],
    ['wait=19', 19_000, 19_000],
    ['wait=0.5', 500, 500],
    ['wait=20', 18_000, 20_000],
    ['wait=50', 48_000, 50_000],
    ['wait=1000', 48_000, 50_000],
    ['wait=1e9', 48_000, 50_000],
  ] as const) {
    const waiting = await holdRequest(chat, grace, cursor, wait)
    clock.advance(atLeastMs - 1)
    await stillHeld(t, waiting.response, `${wait}: not before ${atLeastMs} ms`)
    clock.advance(atMostMs - atLeastMs + 1)
    t.same((await waiting.response).events, [], `${wait}: not after ${atMostMs} ms`)
  }
  for (const wait of ['0', '-5', 'x', '', 'NaN', '1,5']) {
    t.same(
      (await pollEvents(chat, grace, `since=${cursor}&wait=${wait}`)).events,
      [],
      `wait=${wait} answers at once`,
    )
  }
})

t.test('waits that begin together end at different times', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const before = clock.timerCount
  const endings: number[] = []
  const waiting = []
  for (const actor of [await newcomer(), await newcomer(), await newcomer()]) {
    for (let n = 0; n < 16; n++) waiting.push(await holdRequest(chat, actor, cursor))
  }
  clock.advance(23_000)
  for (let left = clock.timerCount; left > before; left = clock.timerCount) {
    clock.advance(50)
    for (let ended = left - clock.timerCount; ended > 0; ended--) endings.push(clock.now())
  }
  // Another alarm may ring among them.
  t.ok(endings.length >= 48, 'all of them end')
  t.ok(endings.at(-1)! - endings[0]! >= 1000, 'they spread over more than a second')
  t.ok(new Set(endings).size > 20)
  await Promise.all(waiting.map(({ response }) => response))
})

t.test('the 17th held request of a member ends the oldest after a second, with no events', async (t) => {
  const actor = await newcomer()
  const cursor = await fetchNewestCursor(chat)
  const waiting = []
  for (let n = 0; n < 16; n++) waiting.push(await holdRequest(chat, actor, cursor))
  await stillHeld(t, waiting[0]!.response, '16 are held')
  const { response: another } = await holdRequest(chat, actor, cursor)
  await stillHeld(t, waiting[0]!.response, 'its client would ask again at once')
  clock.advance(1000)
  t.match(await waiting[0]!.response, { status: 200, events: [], cursor })
  await stillHeld(t, waiting[1]!.response, 'the second oldest')
  const messageId = await chat.post(owner, room, 'To all of you')
  const rest = await Promise.all([...waiting.slice(1), { response: another }].map(({ response }) => response))
  for (const { events } of rest) t.match(events, [{ messageId }])
})

t.test('a client that disconnects is forgotten at once', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const before = clock.timerCount
  const { key } = await newcomer()
  const clients = Array.from({ length: 16 }, () => new AbortController())
  const waiting = clients.map(({ signal }) =>
    t.rejects(request('GET', `/v1/events?since=${cursor}`, { key, signal }), { name: 'AbortError' }),
  )
  await eventually(() => clock.timerCount === before + 16)
  for (const client of clients) client.abort()
  await eventually(() => clock.timerCount === before)
  await Promise.all(waiting)
})

t.test('a member who leaves a room while waiting gets no more of its events', async (t) => {
  const actor = await newcomer()
  const cursor = await fetchNewestCursor(chat)
  const waiting = await holdRequest(chat, actor, cursor)
  await Promise.all([chat.leave(actor, room), stillHeld(t, waiting.response, 'leaving is no news')])
  await chat.post(owner, room, 'Behind their back')
  await stillHeld(t, waiting.response, 'not after they left')
  await chat.join(actor, room)
  t.match(
    (await waiting.response).events,
    [{ preview: 'Behind their back' }],
    'a returning member may see it',
  )
})

t.test('a room set to nothing is silent from then on', async (t) => {
  const actor = await newcomer()
  const waiting = await holdRequest(chat, actor, await fetchNewestCursor(chat))
  await chat.call(actor, 'PUT', `/rooms/${room}/involvement`, { involvement: 'nothing' })
  await chat.post(owner, room, 'Unheard')
  await stillHeld(t, waiting.response, 'unheard')
  await chat.call(actor, 'PUT', `/rooms/${room}/involvement`, { involvement: 'mentions' })
  t.match((await waiting.response).events, [{ preview: 'Unheard' }])
})

t.test('a member who is invited into a room while waiting gets its events', async (t) => {
  const actor = await chat.person('Guest')
  const waiting = await holdRequest(chat, actor, await fetchNewestCursor(chat))
  const closed = await chat.room(owner, { type: 'closed' })
  await chat.post(owner, closed._id, 'Before')
  await stillHeld(t, waiting.response, 'not in it yet')
  await chat.invite(owner, closed._id, actor)
  t.match((await waiting.response).events, [{ preview: 'Before' }])
})

t.test('a member who loses or gains a project while waiting sees what is allowed then', async (t) => {
  const actor = await newcomer()
  const cursor = await fetchNewestCursor(chat)
  const waiting = await holdRequest(chat, actor, cursor)
  asAnotherProcess(`DELETE FROM project_members WHERE member_id = '${actor.member.id}'`)
  await request('PUT', `${project}/docs/lost.md`, { body: '# Lost\n' })
  await stillHeld(t, waiting.response, 'not in the project any more')
  await workspace.stores.projects.join(general, actor.member, 'member')
  t.match((await waiting.response).events, [{ title: 'Lost' }])
})

t.test('a member who loses the requested project while waiting gets a 403', async (t) => {
  const actor = await newcomer()
  const waiting = await holdRequest(chat, actor, await fetchNewestCursor(chat), 'project=general')
  asAnotherProcess(`DELETE FROM project_members WHERE member_id = '${actor.member.id}'`)
  t.match(await waiting.response, { status: 403, error: /not a member of the project/ })
})

t.test('an owner gets the events of a project created meanwhile once they are in it', async (t) => {
  const waiting = await holdRequest(chat, owner, await fetchNewestCursor(chat))
  await chat.call(owner, 'PATCH', `/members/${grace.member.id}`, { role: 'admin' })
  const project = (await request('POST', '/v1/fs/projects', { key: grace.key, body: { name: 'Newest' } }))
    .json
  const written = await request('PUT', `/v1/fs/projects/${project.slug}/docs/x.md`, {
    key: grace.key,
    body: '# X\n',
  })
  t.equal(written.status, 201)
  await stillHeld(t, waiting.response, 'not in it yet')
  const memberId = owner.member.id
  await request('POST', `/v1/projects/${project.slug}/members`, { key: grace.key, body: { memberId } })
  const { events } = await waiting.response
  t.match(events[0], { path: /newest/ })
  await chat.call(owner, 'PATCH', `/members/${grace.member.id}`, { role: 'member' })
})

t.test('a revoked key and a deactivation end the wait with 401', async (t) => {
  const ends: [how: string, end: (actor: Actor) => unknown][] = [
    [
      'key revoked',
      ({ member }) => workspace.stores.members.revokeKey(workspace.stores.members.keys(member.id)[0]!.id),
    ],
    ['deactivated', ({ member }) => workspace.stores.members.setStatus(member.id, 'deactivated')],
    [
      'key revoked by the command line',
      ({ member }) => asAnotherProcess(`DELETE FROM keys WHERE member_id = '${member.id}'`),
    ],
    [
      'deactivated by the command line',
      ({ member }) => asAnotherProcess(`UPDATE members SET status = 'deactivated' WHERE id = '${member.id}'`),
    ],
  ]
  for (const [how, end] of ends) {
    const actor = await newcomer()
    const waiting = await holdRequest(chat, actor, await fetchNewestCursor(chat))
    await end(actor)
    // No other request wakes the server and its clock does not move, so it notices by itself.
    t.match(await waiting.response, { status: 401, error: /no longer valid/ }, how)
  }
})

t.test('when one key of a member is revoked, a request with another key stays held', async (t) => {
  const actor = await newcomer()
  const { id, key } = await workspace.stores.members.addKey(actor.member.id)
  const cursor = await fetchNewestCursor(chat)
  const first = await holdRequest(chat, actor, cursor)
  const second = await holdRequest(chat, { key }, cursor)
  await workspace.stores.members.revokeKey(id)
  t.equal((await second.response).status, 401)
  const messageId = await chat.post(owner, room, 'Still there?')
  t.match((await first.response).events, [{ messageId }])
})

t.test('a message that another process has committed is returned soon', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const waiting = await holdRequest(chat, grace, cursor)
  const tick = Math.round(cursor * 1000) + 1000
  asAnotherProcess(`
    BEGIN IMMEDIATE;
    INSERT INTO messages (id, room_id, author_id, body, sent_ms)
      VALUES ('msg_beside', '${room}', '${owner.member.id}', 'From beside', ${clock.now()});
    UPDATE event_clock SET last_tick = ${tick};
    INSERT INTO events (tick, type, at_ms, actor_id, room_id, message_id, via, detail)
      VALUES (${tick}, 'message', ${clock.now()}, '${owner.member.id}', '${room}', 'msg_beside', 'api', '{}');
    COMMIT`)
  t.match((await waiting.response).events, [{ messageId: 'msg_beside', preview: 'From beside' }])
})

t.test('when the server stops, held requests get an empty answer and no reset', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const waiting = []
  for (const actor of [grace, await newcomer(), owner]) {
    for (let n = 0; n < 10; n++) waiting.push(await holdRequest(chat, actor, cursor))
  }
  // The clock does not move, so no wait ends by time.
  const closing = chat.close()
  const responses = await Promise.all(waiting.map(({ response }) => response))
  for (const response of responses) {
    t.match(response, { status: 200, events: [], cursor, headers: { connection: 'close' } })
  }
  await closing
})
