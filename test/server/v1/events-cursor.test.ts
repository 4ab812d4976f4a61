import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { cursorOf, nextTick } from '../../../core/events/cursor.ts'
import { openChat } from '../../support/chat.ts'
import { type EventView, fetchEvents, fetchNewestCursor, pollEvents } from '../../support/live-events.ts'

const chat = await openChat(t)
const { clock, home, owner, request } = chat
const project = '/v1/fs/projects/general'
const grace = await chat.person('Grace', 'general')
const { _id: room } = await chat.room(owner, { members: [grace.member.id] })

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Sends messages concurrently, as many writers do. */
async function postAll(count: number): Promise<string[]> {
  const caller = chat.workspace.stores.members.authenticate(owner.key)!
  const posts = Array.from({ length: count }, (_, index) =>
    chat.workspace.rooms.messages.post(caller, room, { body: `Message ${index}` }),
  )
  return (await Promise.all(posts)).map(({ messageId }) => messageId)
}

/** Returns everything after a cursor, page by page. */
async function pagesAfter(since: number, query = ''): Promise<{ events: EventView[]; cursor: number }[]> {
  const pages = []
  for (let cursor = since; ; ) {
    const response = await fetchEvents(chat, grace, cursor, query)
    if (response.events.length === 0) return pages
    pages.push({ events: response.events, cursor: response.cursor })
    cursor = response.cursor
  }
}

/** A connection beside the server's, like that of another process. */
const beside = new Sqlite(join(home, '.workroom', 'workroom.db'))
t.teardown(() => beside.close())

t.test(
  '1,000 messages of one millisecond come in order, in pages of 100, none lost or doubled',
  async (t) => {
    const cursor = await fetchNewestCursor(chat)
    const ids = await postAll(1000)
    const pages = await pagesAfter(cursor)
    t.same(
      pages.map(({ events }) => events.length),
      Array(10).fill(100),
    )
    const events = pages.flatMap((page) => page.events)
    t.same(
      events.map(({ messageId }) => messageId),
      ids,
    )
    t.equal(new Set(events.map(({ ts }) => ts)).size, 1)
    const cursors = pages.map((page) => page.cursor)
    t.same(
      cursors,
      cursors.toSorted((a, b) => a - b),
    )
    t.match(cursors[0], /\.[0-4]{1,3}$/)
  },
)

t.test(
  'while another process pauses in its transaction, no event is returned that comes after its event',
  async (t) => {
    const cursor = await fetchNewestCursor(chat)
    beside.exec('BEGIN IMMEDIATE')
    const last = beside.prepare<[], number>('SELECT last_tick FROM event_clock').pluck().get()!
    const tick = nextTick(last, clock.now())
    beside.exec(`
    INSERT INTO messages (id, room_id, author_id, body, sent_ms)
      VALUES ('msg_slow', '${room}', '${owner.member.id}', 'Slow', 1);
    UPDATE event_clock SET last_tick = ${tick};
    INSERT INTO events (tick, type, at_ms, actor_id, room_id, message_id, via, detail)
      VALUES (${tick}, 'message', 1, '${owner.member.id}', '${room}', 'msg_slow', 'api', '{}')`)
    const posting = chat.post(owner, room, 'Quick')
    t.same((await fetchEvents(chat, grace, cursor)).events, [])
    t.equal(await fetchNewestCursor(chat), cursor, 'the log is as it was before')
    beside.exec('COMMIT')
    const messageId = await posting
    const { events, cursor: reached } = await fetchEvents(chat, grace, cursor)
    t.match(events, [{ messageId: 'msg_slow' }, { messageId }])
    t.ok(reached > cursorOf(tick))
  },
)

t.test('a cursor in any notation is the same position', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const ids = await postAll(2)
  const [first] = (await pagesAfter(cursor))[0]!.events
  t.equal(first!.messageId, ids[0])
  const row = beside.prepare<[string], number>('SELECT tick FROM events WHERE message_id = ?').pluck()
  const place = cursorOf(row.get(ids[0]!)!)
  for (const text of [
    String(place),
    place.toFixed(3),
    place.toExponential(),
    place.toExponential().replace('+', '%2B'),
    place.toPrecision(17),
  ]) {
    const { events } = await pollEvents(chat, grace, `since=${text}&wait=0`)
    t.same(
      events.map(({ messageId }) => messageId),
      [ids[1]],
      text,
    )
  }
})

t.test('a rounded cursor repeats events and skips none', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  clock.advance(1)
  const ids = await postAll(7)
  const place = (await pagesAfter(cursor)).at(-1)!.cursor
  const later = await postAll(2)
  for (const round of [
    String(Math.floor(place)),
    String(Math.ceil(place)),
    place.toFixed(0),
    place.toFixed(2),
    place.toPrecision(9),
    place.toPrecision(6),
  ]) {
    const pages = []
    for (let since = round; ; ) {
      const response = await pollEvents(chat, grace, `since=${since}&wait=0`)
      if (response.events.length === 0) break
      pages.push(...response.events.map(({ messageId, docId }) => messageId ?? docId))
      since = String(response.cursor)
    }
    t.same(pages.slice(-2), later, round)
    t.equal(new Set(pages).size, pages.length)
  }
  t.equal(ids.length, 7)
})

t.test('a long log of mixed events comes in pages, each with the cursor of its last event', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const ids = await postAll(250)
  for (let n = 0; n < 250; n += 5) await chat.remove(owner, room, ids[n]!)
  await chat.post(grace, room, 'My own is the newest, and hidden from me')
  const standing = ids.filter((_, n) => n % 5 > 0)
  const pages = await pagesAfter(cursor)
  t.same(
    pages.map(({ events }) => events.length),
    [100, 100],
  )
  const received = pages.flatMap(({ events }) => events.map(({ messageId }) => messageId))
  t.same(received, standing)
  const row = beside.prepare<[string], number>('SELECT tick FROM events WHERE message_id = ?').pluck()
  for (const { events, cursor: last } of pages) {
    t.equal(Math.round(last * 1000), row.get(events.at(-1)!.messageId as string))
  }
  const head = await fetchNewestCursor(chat)
  t.ok(pages.at(-1)!.cursor < head, 'not the head')
  const response = await fetchEvents(chat, grace, pages.at(-1)!.cursor)
  t.same([response.events, response.cursor], [[], pages.at(-1)!.cursor])
})

t.test('a lost answer can be requested again, with the same events in the same order', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  await postAll(5)
  const [first, second] = [await fetchEvents(chat, grace, cursor), await fetchEvents(chat, grace, cursor)]
  t.equal(first.events.length, 5)
  t.same([first.events, first.cursor], [second.events, second.cursor])
})

t.test('however the clock is set, cursors rise, no event is lost, and ts is the clock’s time', async (t) => {
  const start = clock.now()
  const since = await fetchNewestCursor(chat)
  const cursors = [since]
  const received: unknown[] = []
  for (const ms of [0, -hourMs, 0, dayMs, 0, -dayMs, hourMs]) {
    clock.set(clock.now() + ms)
    const messageId = await chat.post(owner, room, 'Tick')
    const response = await fetchEvents(chat, grace, cursors.at(-1)!)
    t.match(response.events, [{ messageId, ts: clock.now() }])
    t.ok(response.cursor > cursors.at(-1)!, `${ms} ms`)
    cursors.push(response.cursor)
    received.push(messageId)
  }
  const all = (await pagesAfter(since)).flatMap(({ events }) => events.map(({ messageId }) => messageId))
  t.same(all, received)
  clock.set(start)
  const messageId = await chat.post(owner, room, 'Back')
  t.match((await fetchEvents(chat, grace, cursors.at(-1)!)).events, [{ messageId }])
})

t.test(
  'an event of a document is shown for 24 hours by the clock, and again if the clock is set back',
  async (t) => {
    const since = await fetchNewestCursor(chat)
    const { json } = await request('PUT', `${project}/docs/daily.md`, { body: '# Daily\n' })
    const writtenMs = clock.now()
    const shown = async () =>
      (await fetchEvents(chat, grace, since)).events.some(({ docId }) => docId === json.id)
    for (const [ageMs, isShown] of [
      [dayMs - 60_000, true],
      [dayMs - 1, true],
      [dayMs, false],
      [dayMs + 60_000, false],
      [dayMs + hourMs, false],
      [hourMs, true],
    ] as const) {
      clock.set(writtenMs + ageMs)
      t.equal(await shown(), isShown, `after ${ageMs / hourMs} hours`)
    }
  },
)

t.test('old events of documents are removed, and messages are kept for a cursor a month old', async (t) => {
  const since = await fetchNewestCursor(chat)
  const written = (await request('PUT', `${project}/docs/gone.md`, { body: '# Gone\n' })).json
  const messageId = await chat.post(owner, room, 'To last')
  const last = (await request('PUT', `${project}/docs/last.md`, { body: '# Last\n' })).json
  const head = await fetchNewestCursor(chat)
  clock.advance(2 * dayMs)
  const count = beside
    .prepare<[], number>('SELECT count(*) FROM events WHERE document_id IS NOT NULL')
    .pluck()
  // The clock was set above, so nothing is removed for a day, nor what may have been written since then.
  await chat.eventually(() => {
    clock.advance(hourMs)
    return count.get() === 0
  })
  const response = await fetchEvents(chat, grace, since)
  t.match(response.events, [{ messageId }])
  t.ok(Number(response.headers['x-service-events-oldest']) > head, 'a client learns that events are missing')
  clock.advance(28 * dayMs)
  t.match((await fetchEvents(chat, grace, since)).events, [{ messageId }])

  clock.set(clock.now() - 31 * dayMs)
  await request('PUT', last.path, { body: '# Last\n\nMore.\n' })
  const [again] = (await fetchEvents(chat, grace, head)).events
  t.match(again, { docId: last.id })
  t.ok(
    (await fetchNewestCursor(chat)) > head,
    'no cursor is issued twice, although the newest row was removed',
  )
  t.not(written.id, last.id)
  clock.advance(31 * dayMs)
})

t.test('a cursor ahead of the clock is replaced with the current one, and loses nothing after', async (t) => {
  const ahead = clock.now() + 5001
  const response = await pollEvents(chat, grace, `since=${ahead}`)
  t.match(response, { status: 200, events: [], cursor: clock.now() })
  const messageId = await chat.post(owner, room, 'After you asked')
  t.match((await fetchEvents(chat, grace, response.cursor)).events, [{ messageId }])
  t.match(await pollEvents(chat, grace, `since=${clock.now() + hourMs + 1}`), { status: 400, error: /ahead/ })
})

t.test('a cursor of the current time returns what comes from now on', async (t) => {
  clock.advance(12_345)
  const before = clock.now()
  clock.advance(1)
  const messageId = await chat.post(owner, room, 'Just now')
  t.match((await fetchEvents(chat, grace, before)).events.slice(-1), [{ messageId }])
  clock.advance(60_001)
  t.same((await fetchEvents(chat, grace, clock.now() - 9)).events, [])
})

t.test('a cursor goes on after a restart, in the same database', async (t) => {
  const since = await fetchNewestCursor(chat)
  const messageId = await chat.post(owner, room, 'Before the restart')
  const before = await fetchEvents(chat, grace, since)
  await chat.restart()
  const after = await fetchEvents(chat, grace, since)
  t.match(after.events, [{ messageId }])
  t.equal(after.cursor, before.cursor)
  t.equal(after.headers['x-service-events-epoch'], before.headers['x-service-events-epoch'])
  const next = await chat.post(owner, room, 'After it')
  t.match((await fetchEvents(chat, grace, after.cursor)).events, [{ messageId: next }])
})
