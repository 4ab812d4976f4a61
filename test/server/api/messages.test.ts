import t from 'tap'
import { openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, clock, owner, refusal } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(grace, { name: 'Talk', members: [bot.member.id] })
const messages = `/rooms/${room}/messages`

const minuteMs = 60_000

t.test('a message is answered with its id, and read with its author and time', async (t) => {
  const sent = await call(bot, 'POST', messages, { body: 'Hello, room' })
  t.equal(sent.status, 201)
  t.strictSame(Object.keys(sent.json), ['messageId'])
  t.match(sent.json.messageId, /^msg_[0-9a-hjkmnp-tv-z]{26}$/)
  t.strictSame((await chat.page(grace, room)).page, [
    {
      _id: sent.json.messageId,
      body: 'Hello, room',
      _creationTime: clock.now(),
      author: { _id: bot.member.id, name: 'Bot', type: 'agent' },
    },
  ])
  const own = await chat.post(grace, room, 'Hello')
  t.strictSame((await chat.message(bot, room, own))!.author, {
    _id: grace.member.id,
    name: 'Grace',
    type: 'human',
  })
})

t.test('a text is returned as it was sent', async (t) => {
  for (const body of [
    '  leading and trailing  \n',
    'a\r\nb\tc\u0007',
    '# no heading\n\n```\ncode',
    '<script>alert(1)</script> &amp;',
    'שלום 🎉 \u2028 é é',
    '@[Ada](mem_nobody) @Grace @[here](nobody)',
    'a'.repeat(32_000),
    '🎉'.repeat(32_000),
    '.',
  ]) {
    const id = await chat.post(grace, room, body)
    const [newest] = (await chat.page(bot, room, 'limit=1')).page
    t.ok(newest?._id === id && newest.body === body, `of ${body.length} code units`)
  }
})

t.test('a body that is not a text of 1 to 32,000 characters is 400, and nothing is sent', async (t) => {
  const before = (await chat.page(grace, room)).page[0]
  const refused: [request: unknown, reason: RegExp][] = [
    [{}, /body/],
    [undefined, /body/],
    [{ body: '' }, /blank/],
    [{ body: ' \n\t\u00a0' }, /blank/],
    [{ body: 'a'.repeat(32_001) }, /32000/],
    [{ body: '🎉'.repeat(32_001) }, /32000/],
    [{ body: 'a\u0000b' }, /an invalid character/],
    ['{"body":"half \\ud83c"}', /an invalid character/],
    [{ body: 5 }, /body/],
    [{ body: null }, /body/],
    [{ body: ['x'] }, /body/],
    [{ body: 'x', threadId: 5 }, /threadId/],
    ['body=x', /JSON object/],
    ['"x"', /JSON object/],
  ]
  for (const [request, reason] of refused)
    t.match(
      await refusal(grace, 'POST', messages, request),
      [400, reason],
      JSON.stringify(request)?.slice(0, 60),
    )
  t.equal((await call(grace, 'POST', messages, { body: 'a'.repeat(1_100_000) })).status, 413)
  t.strictSame((await chat.page(grace, room)).page[0], before)
})

t.test('a body is accepted with the content type that curl sends', async (t) => {
  const { status } = await call(grace, 'POST', messages, '{"body":"By curl"}', {
    'Content-Type': 'application/x-www-form-urlencoded',
  })
  t.equal(status, 201)
})

t.test('a member outside of the room can neither read nor send, and learns how to join', async (t) => {
  const hidden = await chat.room(grace, { type: 'closed' })
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { body: 'x' }],
  ] as const) {
    t.match(await refusal(owner, method, messages, body), [403, `POST /api/rooms/${room}/join`], method)
    t.match(await refusal(owner, method, `/rooms/${hidden._id}/messages`, body), [403, /person who is in it/])
  }
  t.strictSame((await chat.page(grace, hidden._id)).page, [])
})

t.test('the client of a message is shown if it names itself by a slug', async (t) => {
  const sentVia = async (client?: string | string[]) => {
    const headers = client === undefined ? {} : { 'X-Service-Client': client }
    const { json } = await call(grace, 'POST', messages, { body: 'From where?' }, headers)
    return (await chat.message(grace, room, json.messageId))!.sentVia
  }
  for (const client of ['workroom-web', 'a', '0.1_b-c', 'x'.repeat(64)])
    t.equal(await sentVia(client), client)
  for (const client of [undefined, '', 'Slack', 'a b', 'x'.repeat(65), 'é', 'a/b', ['one', 'two']])
    t.equal(await sentVia(client), undefined, String(client))
  const forged = { body: 'x', sentVia: 'forged' }
  t.match(await refusal(grace, 'POST', messages, forged), [400, /no field sentVia here/])
})

t.test('an own message can be edited for 5 minutes to the millisecond, and then says so', async (t) => {
  const id = await chat.post(grace, room, 'First')
  const sentMs = clock.now()
  clock.advance(5 * minuteMs)
  const changed = await call(grace, 'PUT', `${messages}/${id}`, { body: 'Second' })
  t.strictSame([changed.status, changed.json], [200, { ok: true }])
  t.match(await chat.message(bot, room, id), {
    body: 'Second',
    _creationTime: sentMs,
    editedAt: sentMs + 5 * minuteMs,
  })
  clock.advance(1)
  t.strictSame(await refusal(grace, 'PUT', `${messages}/${id}`, { body: 'Third' }), [
    400,
    'Edit window has expired',
  ])
  t.equal((await chat.message(bot, room, id))!.body, 'Second')
})

t.test('the same text again is not an edit', async (t) => {
  const id = await chat.post(grace, room, 'As it is')
  t.strictSame((await call(grace, 'PUT', `${messages}/${id}`, { body: 'As it is' })).json, { ok: true })
  t.notOk('editedAt' in (await chat.message(grace, room, id))!)
})

t.test(
  'an edit is refused in the order: room, membership, message, author, deleted, window, body',
  async (t) => {
    const id = await chat.post(grace, room, 'Mine')
    const path = `${messages}/${id}`
    const elsewhere = await chat.room(grace)
    const bad = { body: '' }
    t.equal((await call(owner, 'PUT', `/rooms/nowhere/messages/${id}`, bad)).status, 404)
    t.match(await refusal(owner, 'PUT', `${messages}/msg_nothing`, bad), [403, /join/])
    t.match(await refusal(bot, 'PUT', `${messages}/msg_nothing`, bad), [404, /message/])
    t.equal((await refusal(grace, 'PUT', `/rooms/${elsewhere._id}/messages/${id}`, bad))[0], 404)
    t.match(await refusal(bot, 'PUT', path, bad), [403, /author/])
    t.match(await refusal(grace, 'PUT', path, bad), [400, /blank/])
    t.match(await refusal(grace, 'PUT', path, {}), [400, /body/])
    clock.advance(5 * minuteMs + 1)
    t.match(await refusal(bot, 'PUT', path, bad), [403, /author/])
    t.match(await refusal(grace, 'PUT', path, bad), [400, 'Edit window has expired'])
    await chat.remove(grace, room, id)
    t.match(await refusal(bot, 'PUT', path, bad), [403, /author/])
    t.match(await refusal(grace, 'PUT', path, bad), [400, /deleted/])
    await chat.join(owner, room)
    t.match(await refusal(owner, 'PUT', path, { body: 'x' }), [403, /author/], 'not even an owner edits')
    await chat.leave(owner, room)
  },
)

t.test('a message is deleted by its author, an owner or an admin, and may be deleted twice', async (t) => {
  const deleted = async (actor: typeof grace, id: string) => {
    const { status, json } = await call(actor, 'DELETE', `${messages}/${id}`)
    return [status, json.ok]
  }
  const admin = await chat.addMember({ name: 'Admin', type: 'human', role: 'admin' })
  const other = await chat.person('Other')
  await chat.join(other, room)
  for (const actor of [bot, owner, admin]) {
    const id = await chat.post(bot, room, 'To be deleted')
    t.match(await refusal(other, 'DELETE', `${messages}/${id}`), [403, /author/])
    t.strictSame(await deleted(actor, id), [200, true], 'owners and admins need not be in the room')
    t.equal(await chat.message(bot, room, id), undefined)
    t.strictSame(await deleted(actor, id), [200, true])
    t.match(await refusal(other, 'DELETE', `${messages}/${id}`), [403, /author/], 'it is deleted already')
  }
  const last = await chat.post(other, room, 'Said and gone')
  await chat.leave(other, room)
  t.strictSame(await deleted(other, last), [200, true], 'one’s own, also after leaving')
  t.equal((await refusal(grace, 'DELETE', `${messages}/msg_nothing`))[0], 404)
  const elsewhere = await chat.room(grace)
  const kept = await chat.post(grace, room, 'Kept')
  t.equal((await refusal(grace, 'DELETE', `/rooms/${elsewhere._id}/messages/${kept}`))[0], 404)
  t.ok(await chat.message(grace, room, kept))
})

t.test('owners and admins can delete messages in closed rooms, which they cannot read', async (t) => {
  const hidden = await chat.room(grace, { type: 'closed' })
  const id = await chat.post(grace, hidden._id, 'Hidden')
  const path = `/rooms/${hidden._id}/messages/${id}`
  t.equal((await call(bot, 'DELETE', path)).status, 403)
  t.equal((await call(owner, 'DELETE', path)).status, 200)
  t.strictSame((await chat.page(grace, hidden._id)).page, [])
})

t.test('an author is shown by name even after a deactivation', async (t) => {
  const erin = await chat.person('Erin')
  await chat.join(erin, room)
  const id = await chat.post(erin, room, 'I was here')
  await chat.workspace.stores.members.setStatus(erin.member.id, 'deactivated')
  t.strictSame((await chat.message(grace, room, id))!.author, {
    _id: erin.member.id,
    name: 'Erin',
    type: 'human',
  })
})

t.test('messages, rooms and involvement survive a restart', async (t) => {
  const id = await chat.post(grace, room, 'Kept for ever')
  await call(bot, 'PUT', `/rooms/${room}/involvement`, { involvement: 'nothing' })
  const before = { page: await chat.page(grace, room), rooms: (await call(grace, 'GET', '/rooms')).json }
  await chat.restart()
  t.strictSame(
    { page: await chat.page(grace, room), rooms: (await call(grace, 'GET', '/rooms')).json },
    before,
  )
  t.equal((await chat.detail(bot, room)).involvement, 'nothing')
  t.strictSame((await call(grace, 'PUT', `${messages}/${id}`, { body: 'Changed' })).json, { ok: true })
  clock.advance(5 * minuteMs + 1)
  await chat.restart()
  t.match(await refusal(grace, 'PUT', `${messages}/${id}`, { body: 'Late' }), [
    400,
    'Edit window has expired',
  ])
  t.equal((await chat.message(grace, room, id))!.body, 'Changed')
})
