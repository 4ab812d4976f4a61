import t from 'tap'
import { mention, openChat } from '../../support/chat.ts'
import { ScriptlessBrowser } from '../../support/scriptless-browser.ts'

const chat = await openChat(t)
const { clock, owner, workspace } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Scout')
const [ada, hers] = [
  await new ScriptlessBrowser(chat).signIn(owner.key),
  await new ScriptlessBrowser(chat).signIn(grace.key),
]
const open = async (browser: ScriptlessBrowser, path: string): Promise<string> =>
  (await browser.open(path)).text
/** A page from the element with this id to its end. */
const from = (text: string, id: string) => text.slice(text.indexOf(`id="${id}"`))
const articleOf = (text: string, id: string) => from(text, id).split('</article>')[0]!
const idsIn = (text: string) =>
  [...text.matchAll(/<article class="[^"]*" id="(msg_\w+)"/g)].map(([, id]) => id)

t.test(
  'the list shows a member’s rooms, the rooms that they can join, and the form for a new one',
  async (t) => {
    await chat.room(owner, { name: 'Harbour', description: 'Of ships', projectId: 'general' })
    await chat.room(owner, { name: 'Cellar', type: 'closed' })
    const direct = await chat.room(owner, { name: 'x', type: 'direct', members: [grace.member.id] })
    await chat.post(owner, direct._id, `Hello ${mention(grace)}`)
    const list = await open(ada, '/rooms')
    for (const name of ['general', 'Harbour', 'Cellar', 'Of ships']) t.match(list, name)
    t.match(list, /href="\/rooms\/x"><bdi>Grace<\/bdi>/, 'a direct room has the name of the other member')
    t.match(list, /data-call="POST \/api\/rooms" data-then="go:\/rooms\/\{_id\}"/)
    t.match(list, new RegExp(`name="members" value="${bot.member.id}" data-as="list"`))
    const forGrace = await open(hers, '/rooms')
    t.match(forGrace, '1 unread, 1 mention')
    t.match(forGrace, 'data-unread="1"')
    t.notMatch(forGrace, /Cellar|Harbour/, 'rooms that she may not enter are not listed')
    const lunch = await chat.room(owner, { name: 'Lunch <b>', description: 'At noon?' })
    const joinable = await open(hers, '/rooms/lunch-b')
    t.match(joinable, `data-call="POST /api/rooms/${lunch._id}/join" data-then="go:/rooms/lunch-b"`)
    t.match(joinable, /<bdi>Lunch &lt;b&gt;<\/bdi>[\s\S]*At noon\?/)
    t.equal((await hers.open('/rooms/lunch-b/settings')).headers.location, '/rooms/lunch-b')
  },
)

t.test('opening a room that one may not enter, or that does not exist, says so', async (t) => {
  const closed = await hers.open('/rooms/cellar')
  t.match([closed.status, closed.text], [403, 'A person who is in it must invite you.'])
  t.equal((await hers.open('/rooms/harbour')).status, 403)
  t.equal((await hers.open('/rooms/nowhere')).status, 404)
  t.equal((await hers.open('/rooms/nowhere/settings')).status, 404)
  t.equal((await ada.open('/rooms/general?at=msg_none')).status, 404)
  t.equal((await ada.open('/rooms/general?thread=msg_none')).status, 404)
})

t.test('messages are shown by day with author, time and client', async (t) => {
  const { _id: room } = await chat.room(owner, { name: 'Days', members: [bot.member.id] })
  const first = await chat.post(owner, room, 'One **bold**\nand a [link](javascript:alert(1)) <script>')
  const second = await chat.post(owner, room, `Two, ${mention(owner)}`)
  clock.advance(6 * 60_000)
  const third = await chat.post(owner, room, 'Three')
  const response = await chat.call(
    bot,
    'POST',
    `/rooms/${room}/messages`,
    { body: 'Four' },
    { 'X-Service-Client': 'scout' },
  )
  clock.advance(24 * 3_600_000)
  const last = await chat.post(bot, room, 'Five')
  const page = await open(ada, `/rooms/${room}`)
  t.same(idsIn(page), [first, second, third, response.json.messageId, last])
  t.match(articleOf(page, first), /<strong>bold<\/strong>[\s\S]*&#x3C;script>|&lt;script&gt;/)
  t.notMatch(page, /<script>|href="javascript/)
  t.match(
    page,
    new RegExp(`class="message follows to-reader" id="${second}"`),
    'messages sent soon after one another are one group',
  )
  t.match(page, new RegExp(`class="message" id="${third}"`))
  t.match(articleOf(page, response.json.messageId), /Scout[\s\S]*agent[\s\S]*via scout/)
  t.equal(page.match(/<h2 class="day"/g)?.length, 2)
  t.match(page, `data-follows="{&quot;events&quot;:[&quot;${room}&quot;]`)
})

t.test('members can edit their latest messages, delete their own, and owners can delete all', async (t) => {
  const { _id: room } = await chat.room(owner, { name: 'Acts', members: [grace.member.id] })
  const mine = await chat.post(owner, room, 'Mine "quoted"')
  const theirs = await chat.post(grace, room, 'Hers')
  const acts = (text: string, id: string) =>
    [...articleOf(text, id).matchAll(/data-(edit|call)="([^"]+)"|data-thread="(\w+)"/g)].map(
      ([, kind, path, thread]) => (thread ? 'reply' : kind === 'edit' ? 'edit' : path!.split(' ')[0]),
    )
  const [adas, graces] = [await open(ada, `/rooms/${room}`), await open(hers, `/rooms/${room}`)]
  t.same(
    [acts(adas, mine), acts(adas, theirs)],
    [
      ['reply', 'PUT', 'edit', 'DELETE'],
      ['reply', 'PUT', 'DELETE'],
    ],
  )
  t.same(
    [acts(graces, mine), acts(graces, theirs)],
    [
      ['reply', 'PUT'],
      ['reply', 'PUT', 'edit', 'DELETE'],
    ],
  )
  t.match(articleOf(adas, mine), 'data-stored="Mine &quot;quoted&quot;"')
  clock.advance(5 * 60_000)
  t.same(acts(await open(ada, `/rooms/${room}`), mine), ['reply', 'PUT', 'DELETE'])
})

t.test(
  'the line of new messages is where the reader left off, or where the address asks for it',
  async (t) => {
    const { _id: room } = await chat.room(owner, { name: 'New', members: [grace.member.id] })
    const ids = [
      await chat.post(owner, room, 'a'),
      await chat.post(owner, room, 'b'),
      await chat.post(owner, room, 'c'),
    ]
    await chat.call(grace, 'PUT', `/rooms/${room}/read`, { messageId: ids[0] })
    const line = async (query = '') =>
      /id="new-line" data-before="(\w+)"/.exec(await open(hers, `/rooms/${room}${query}`))?.[1]
    t.equal(await line(), ids[1])
    t.equal(await line(`?from=${ids[0]}&new=${ids[2]}`), ids[2])
    t.equal(await line('?new=none'), undefined)
    t.equal(
      /id="new-line"/.exec(await open(ada, `/rooms/${room}`)),
      null,
      'a reader’s own messages are not new to them',
    )
  },
)

t.test(
  'the address of a message opens the messages around it, those before it, or its own thread',
  async (t) => {
    const { _id: room } = await chat.room(owner, { name: 'Long', members: [grace.member.id] })
    const caller = { member: owner.member, keyId: 'key_test', scopes: new Set(['*'] as const) }
    const ids: string[] = []
    for (let n = 0; n < 110; n++) {
      ids.push((await workspace.rooms.messages.post(caller, room, { body: `word${n}` })).messageId)
    }
    const at = await open(ada, `/rooms/long?at=${ids[40]}`)
    t.same([idsIn(at).length, idsIn(at)[25]], [50, ids[40]])
    t.match(at, `href="/rooms/long?before=${ids[15]}" data-from="${ids[0]}"`)
    t.match(at, `href="/rooms/long?from=${ids[64]}"`)
    t.same(idsIn(await open(ada, `/rooms/long?before=${ids[15]}`)), ids.slice(0, 15))
    t.same(idsIn(await open(ada, '/rooms/long')), ids.slice(60))
    const many = await open(hers, '/rooms/long')
    t.match(many, new RegExp(`100\\+ unread messages. <a href="/rooms/long\\?at=${ids[0]}#${ids[0]}"`))
    const reply = await chat.post(owner, room, `A reply for ${mention(grace)}, zebra`, { threadId: ids[7]! })
    const { headers } = await ada.open(`/rooms/long?at=${reply}`)
    t.equal(headers.location, `/rooms/long?thread=${ids[7]}&at=${reply}#${reply}`)
    const thread = from(await open(ada, headers.location!), 'thread')
    t.match(thread, new RegExp(`id="root-${ids[7]}"[\\s\\S]*word7[\\s\\S]*id="${reply}"`))
    t.match(thread, `data-composer="/api/rooms/${room}/messages" data-thread="${ids[7]}"`)
    const found = await chat.request('GET', '/v1/search?q=zebra')
    t.match(found.json.results[0].url, `/rooms/long?at=${reply}#${reply}`)
    await chat.remove(owner, room, ids[7]!)
    const gone = from(await open(ada, `/rooms/long?thread=${ids[7]}`), 'thread')
    t.match(gone, /was deleted[\s\S]*zebra/)
    t.notMatch(gone, 'data-composer')
  },
)

t.test('the old names of a room redirect those who may read it to its present name', async (t) => {
  const { _id: room } = await chat.room(owner, { name: 'Alpha', type: 'closed' })
  const rename = (name: string) => chat.call(owner, 'PATCH', `/rooms/${room}`, { name })
  await rename('Beta')
  await rename('Gamma')
  const leadsTo = async (path: string, browser = ada) => {
    const { status, headers } = await browser.open(path)
    return headers.location ?? status
  }
  t.equal(await leadsTo('/rooms/alpha?at=msg_1'), '/rooms/gamma?at=msg_1')
  t.equal(await leadsTo('/rooms/beta/settings'), '/rooms/gamma/settings')
  t.equal(await leadsTo('/rooms/beta', hers), 404)
  await chat.room(owner, { name: 'Alpha' })
  t.match(await open(ada, '/rooms/alpha'), 'Alpha')
  t.equal(await leadsTo('/rooms/beta'), '/rooms/gamma')
})

t.test('a room’s settings show its members, who can be added, and the reader’s involvement', async (t) => {
  const { _id: room } = await chat.room(owner, {
    name: 'Set',
    description: 'A "room"',
    members: [bot.member.id],
  })
  await chat.call(bot, 'POST', '/presence', { roomId: room })
  const page = await open(ada, '/rooms/set/settings')
  t.match(page, new RegExp(`id="member-${bot.member.id}"[\\s\\S]*?agent[\\s\\S]*?here`))
  t.match(page, `<option value="${grace.member.id}">Grace</option>`)
  t.match(page, 'value="everything" checked')
  t.match(page, `data-call="PATCH /api/rooms/${room}"`)
  t.match(page, 'A &quot;room&quot;</textarea>')
  t.match(page, `data-call="POST /api/rooms/${room}/leave"`)
  t.match(await open(ada, `/rooms/${room}`), 'Scout</bdi> is here')
})

t.test('without script, a reaction can be added and removed', async (t) => {
  const { _id: room } = await chat.room(owner, { name: 'Plain', members: [grace.member.id] })
  const id = await chat.post(owner, room, 'Plain page')
  /** The value of the button with this label, or undefined. */
  const buttonIn = (text: string, label: string) =>
    new RegExp(`<button form="react" name="reaction" value="([^"]+)"[^>]* aria-label="${label}"`).exec(
      articleOf(text, id),
    )?.[1]
  const press = async (label: string) => {
    const text = await open(hers, '/rooms/plain')
    const [, action] = /<form id="react" method="post" action="([^"]+)">/.exec(text)!
    const response = await hers.submit(action!, {
      csrf: await hers.csrf(),
      reaction: buttonIn(text, label)!,
    })
    t.equal(response.status, 303, label)
    return open(hers, response.headers.location!)
  }
  const reacted = await press('React with 👍')
  t.equal(buttonIn(reacted, '1 person reacted with 👍: Grace'), `${id} 👍`)
  t.equal(buttonIn(await press('1 person reacted with 👍: Grace'), '1 person reacted.*'), undefined)
})

t.test('without script, a date leads to its first message in UTC, and a later one to the end', async (t) => {
  const { _id: room } = await chat.room(owner, { name: 'Dates' })
  const dayMs = 24 * 3_600_000
  await chat.post(owner, room, 'The first day')
  // Half an hour before midnight, and half an hour after.
  clock.set((Math.floor(clock.now() / dayMs) + 2) * dayMs - 1_800_000)
  await chat.post(owner, room, 'Late')
  clock.advance(3_600_000)
  const early = await chat.post(owner, room, 'Early')
  const leadsTo = async (query: string) => {
    const { status, headers } = await ada.open(`/rooms/dates?${query}`)
    return headers.location ?? status
  }
  const date = new Date(clock.now()).toISOString().slice(0, 10)
  t.match(
    await open(ada, '/rooms/dates'),
    '<form method="get" action="/rooms/dates"><input type="date" name="on"',
  )
  t.equal(new URL(String(await leadsTo(`on=${date}`)), chat.url).hash, `#${early}`)
  t.equal(await leadsTo('on=2999-01-01'), '/rooms/dates')
  for (const query of ['on=2026-02-30', 'on=yesterday', 'on=2026-02-03&zone=Nowhere'])
    t.equal(await leadsTo(query), 400, query)
})

t.test('a member’s page offers to write to them, in the one direct room of the two', async (t) => {
  const linus = await chat.person('Linus')
  const his = await new ScriptlessBrowser(chat).signIn(linus.key)
  const offer = await open(ada, `/members/${linus.member.id}`)
  const [, json] =
    /data-call="POST \/api\/rooms" data-json="([^"]+)" data-then="go:\/rooms\/\{_id\}">Message</.exec(offer)!
  const room = await chat.room(owner, JSON.parse(json!.replaceAll('&quot;', '"')))
  t.match(room, { type: 'direct' })
  const link = /href="([^"]+)">Message</
  const [, path] = link.exec(await open(ada, `/members/${linus.member.id}`))!
  t.equal(link.exec(await open(his, `/members/${owner.member.id}`))?.[1], path, 'for both')
  t.match(await open(his, path!), `data-here="${room._id}"`)
})
