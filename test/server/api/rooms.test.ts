import t from 'tap'
import { openChat } from '../../support/chat.ts'

const chat = await openChat(t)
const { call, clock, owner, refusal, workspace } = chat
const grace = await chat.person('Grace')
const bot = await chat.agent('Bot')

const general = (await call(owner, 'GET', '/rooms')).json[0]
const names = async (actor = owner, query = '') =>
  (await call(actor, 'GET', `/rooms${query}`)).json.map(({ name }: { name: string }) => name)

t.test('a room has six fields, and a list of rooms is an array', async (t) => {
  const response = await call(owner, 'GET', '/rooms')
  t.equal(response.status, 200)
  t.match(response.headers['content-type'], /^application\/json/)
  t.strictSame(response.json, [
    {
      _id: general._id,
      name: 'general',
      type: 'open',
      description: 'For everything that concerns everyone.',
      projectId: null,
      joined: true,
    },
  ])
  t.match(general._id, /^room_[0-9a-hjkmnp-tv-z]{26}$/)
})

t.test('the list has the rooms that one is in, and with all=1 open ones, too, oldest first', async (t) => {
  const one = await chat.room(grace, { name: 'First' })
  clock.advance(1000)
  await chat.room(grace, { name: 'Second', type: 'closed' })
  clock.advance(1000)
  await chat.room(grace, { name: 'Third', type: 'direct', members: [owner.member.id] })
  t.strictSame(await names(), ['general', 'Third'])
  for (const query of ['?all=0', '?all=true', '?all', '?all=', '?all=1x', '?all=01'])
    t.strictSame(await names(owner, query), ['general', 'Third'], query)
  t.strictSame(await names(owner, '?all=1'), ['general', 'First', 'Third'])
  t.strictSame(await names(grace), ['general', 'First', 'Second', 'Third'])
  t.strictSame(await names(bot, '?all=1'), ['general', 'First'], 'only the open ones')
  t.match(await refusal(owner, 'GET', '/rooms?all=1&all=1'), [400, /all/])
  const listed = (await call(owner, 'GET', '/rooms?all=1')).json
  t.strictSame(listed[1], { ...one, joined: false })
})

t.test('a person creates a room, and is in it with the members whom they name', async (t) => {
  const response = await call(grace, 'POST', '/rooms', {
    name: 'Making',
    type: 'closed',
    description: 'What we make',
    members: [bot.member.id, owner.member.id],
  })
  t.equal(response.status, 201)
  t.strictSame(response.json, {
    _id: response.json._id,
    name: 'Making',
    type: 'closed',
    description: 'What we make',
    projectId: null,
    joined: true,
  })
  const { members } = await chat.detail(bot, response.json._id)
  t.strictSame(
    members.map(({ name }) => name),
    ['Ada', 'Grace', 'Bot'],
    'members who joined at the same time, by age',
  )
  t.match(await refusal(bot, 'POST', '/rooms', { name: 'Mine', type: 'open' }), [403, /person/])
})

t.test('an invalid room is 400, and the message names the field', async (t) => {
  const rooms = (await names(grace, '?all=1')).length
  const good = { name: 'Good', type: 'open' }
  const stranger = await chat.person('Left')
  await workspace.stores.members.setStatus(stranger.member.id, 'deactivated')
  const refused: [body: unknown, reason: RegExp][] = [
    [{}, /name/],
    [{ name: 'No type' }, /type/],
    [{ ...good, name: 7 }, /name/],
    [{ ...good, name: ' \t ' }, /name/],
    [{ ...good, name: '' }, /name/],
    [{ ...good, name: 'x'.repeat(81) }, /name/],
    [{ ...good, name: 'two\nlines' }, /name/],
    [{ ...good, name: 'bell\u0007' }, /name/],
    [{ ...good, type: 'secret' }, /open, closed, direct/],
    [{ ...good, type: ['open'] }, /type/],
    [{ ...good, description: 1 }, /description/],
    [{ ...good, description: 'x'.repeat(2001) }, /description/],
    [{ ...good, projectId: 3 }, /projectId/],
    [{ ...good, members: grace.member.id }, /members/],
    [{ ...good, members: [1] }, /members/],
    [{ ...good, members: ['mem_nobody'] }, /mem_nobody/],
    [{ ...good, members: [stranger.member.id] }, /Left|mem_/],
    ['[]', /JSON object/],
    ['{', /JSON object/],
  ]
  for (const [body, reason] of refused)
    t.match(await refusal(grace, 'POST', '/rooms', body), [400, reason], JSON.stringify(body))
  t.equal((await refusal(grace, 'POST', '/rooms', { ...good, projectId: 'nowhere' }))[0], 404)
  t.equal((await names(grace, '?all=1')).length, rooms, 'none was created')
  for (const body of [
    { ...good, name: '🎉'.repeat(80), projectId: null },
    { ...good, description: '🎉'.repeat(2000) },
  ])
    t.equal((await call(grace, 'POST', '/rooms', body)).status, 201)
})

t.test('names may repeat, and each room has its own id and slug as addresses', async (t) => {
  const one = await chat.room(grace, { name: 'Día de Fiesta' })
  const two = await chat.room(grace, { name: 'Dia de fiesta!' })
  const three = await chat.room(grace, { name: '🎉' })
  for (const [address, room] of [
    [one._id, one],
    ['dia-de-fiesta', one],
    ['dia-de-fiesta-2', two],
    [three._id, three],
  ] as const)
    t.equal((await chat.detail(grace, address))._id, room._id, address)
  const files = (await chat.request('GET', '/v1/fs/rooms', { key: grace.key })).json.rooms
  t.ok(files.some(({ filename }: { filename: string }) => filename === `${three._id}.md`))
  await chat.post(grace, 'dia-de-fiesta-2', 'By slug')
  t.equal((await chat.page(grace, two._id)).page[0]!.body, 'By slug')
  for (const [method, path, body] of [
    ['POST', 'dia-de-fiesta/join', undefined],
    ['PUT', 'dia-de-fiesta/involvement', { involvement: 'mentions' }],
    ['PATCH', 'dia-de-fiesta', { description: 'x' }],
    ['POST', 'dia-de-fiesta/members', { memberId: bot.member.id }],
    ['POST', 'dia-de-fiesta/leave', undefined],
  ] as const)
    t.equal((await call(grace, method, `/rooms/${path}`, body)).status, 200, path)
})

t.test('a member of a room sees who is in it, their own involvement, and who is typing', async (t) => {
  const room = await chat.room(grace, { name: 'Detail', members: [bot.member.id] })
  t.strictSame(await chat.detail(grace, room._id), {
    ...room,
    involvement: 'everything',
    favourite: false,
    section: null,
    members: [
      { _id: grace.member.id, name: 'Grace', type: 'human', online: false, here: false },
      { _id: bot.member.id, name: 'Bot', type: 'agent', online: false, here: false },
    ],
    typing: [],
  })
  t.equal((await chat.detail(bot, room._id)).involvement, 'mentions', 'the default for agents')
  clock.advance(1000)
  await chat.join(owner, room._id)
  t.equal((await chat.detail(owner, room._id)).members.length, 3)
  await workspace.stores.members.setStatus(bot.member.id, 'deactivated')
  t.strictSame(
    (await chat.detail(grace, room._id)).members.map(({ name }) => name),
    ['Grace', 'Ada'],
    'only active members',
  )
  await workspace.stores.members.setStatus(bot.member.id, 'active')
  t.equal((await chat.detail(grace, room._id)).members.length, 3, 'a returning member is in it as before')
})

t.test('a person in the room can change its name and description, and nothing else', async (t) => {
  const room = await chat.room(grace, { name: 'Before', members: [bot.member.id] })
  const path = `/rooms/${room._id}`
  const changed = await call(grace, 'PATCH', path, { name: 'After', description: 'New' })
  t.equal(changed.status, 200)
  t.strictSame(changed.json, { ...room, name: 'After', description: 'New' })
  t.strictSame((await call(grace, 'PATCH', path, { description: '' })).json.description, '')
  t.equal((await chat.detail(grace, 'after'))._id, room._id, 'its slug follows')
  t.equal((await call(grace, 'GET', '/rooms/before')).status, 404)
  t.match(await refusal(bot, 'PATCH', path, { name: 'Robot' }), [403, /person/])
  t.match(await refusal(owner, 'PATCH', path, { name: 'Boss' }), [403, /join/])
  for (const [body, reason] of [
    [{ name: '' }, /name/],
    [{ name: null }, /name/],
    [{ projectId: 'general' }, /no field projectId here/],
    [{ type: 'direct' }, /type/],
    [{ description: 5 }, /description/],
    [{ description: 'x'.repeat(2001) }, /description/],
  ] as const)
    t.match(await refusal(grace, 'PATCH', path, body), [400, reason], JSON.stringify(body))
  t.equal((await chat.detail(grace, room._id)).name, 'After')
})

t.test('joining an open room says whether one was in it already, and takes effect at once', async (t) => {
  const { _id } = await chat.room(grace)
  t.match(await refusal(bot, 'GET', `/rooms/${_id}/messages`), [403, `POST /api/rooms/${_id}/join`])
  for (const already of [false, true, true]) {
    const { status, json } = await call(bot, 'POST', `/rooms/${_id}/join`)
    t.strictSame([status, json], [200, { joined: true, already }])
  }
  t.strictSame((await chat.page(bot, _id)).page, [])
})

t.test('joining a closed or direct room needs an invitation by a person', async (t) => {
  for (const type of ['closed', 'direct'] as const) {
    const room = await chat.room(grace, { type })
    const path = `/rooms/${room._id}`
    t.match(await refusal(bot, 'POST', `${path}/join`), [403, /person/])
    t.match(await refusal(owner, 'POST', `${path}/join`), [403, /person/], 'not even an owner can join')
    t.match(await refusal(owner, 'GET', path), [403, /person/])
    t.match(await refusal(owner, 'POST', `${path}/members`, { memberId: owner.member.id }), [403, /person/])
    const invite = () => call(grace, 'POST', `${path}/members`, { memberId: bot.member.id })
    for (let time = 0; time < 2; time++) t.strictSame((await invite()).json, { joined: true })
    t.match((await call(bot, 'POST', `${path}/join`)).json, { joined: true, already: true })
    t.match(await refusal(bot, 'POST', `${path}/members`, { memberId: owner.member.id }), [403, /person/])
    await chat.leave(bot, room._id)
    t.match(await refusal(bot, 'POST', `${path}/join`), [403, /person/], 'leaving ends the invitation')
  }
})

t.test('inviting an invalid member is 400, and the message names them', async (t) => {
  const room = await chat.room(grace)
  const left = await chat.person('Gone')
  await workspace.stores.members.setStatus(left.member.id, 'deactivated')
  for (const [body, reason] of [
    [{}, /memberId/],
    [{ memberId: 1 }, /memberId/],
    [{ memberId: 'mem_nobody' }, /mem_nobody/],
    [{ memberId: left.member.id }, /Gone|mem_/],
  ] as const)
    t.match(await refusal(grace, 'POST', `/rooms/${room._id}/members`, body), [400, reason])
  t.equal((await chat.detail(grace, room._id)).members.length, 1)
})

t.test('leaving can be repeated, and joining again starts afresh', async (t) => {
  const { _id } = await chat.room(grace)
  await chat.join(owner, _id)
  await call(owner, 'PUT', `/rooms/${_id}/involvement`, { involvement: 'invisible' })
  for (let time = 0; time < 2; time++) {
    const { status, json } = await call(owner, 'POST', `/rooms/${_id}/leave`)
    t.strictSame([status, json], [200, { joined: false }])
  }
  t.match(await refusal(owner, 'GET', `/rooms/${_id}`), [403, /join/])
  t.notOk((await names()).includes('Room'))
  t.match((await call(owner, 'POST', `/rooms/${_id}/join`)).json, { already: false })
  t.equal((await chat.detail(owner, _id)).involvement, 'everything')
})

t.test('involvement is one of four values, and each member’s own', async (t) => {
  const { _id } = await chat.room(grace, { members: [bot.member.id] })
  for (const involvement of ['mentions', 'nothing', 'invisible', 'everything']) {
    const { status, json } = await call(bot, 'PUT', `/rooms/${_id}/involvement`, { involvement })
    t.strictSame([status, json], [200, { involvement }])
    t.equal((await chat.detail(bot, _id)).involvement, involvement)
  }
  for (const body of [{}, { involvement: 'all' }, { involvement: null }])
    t.match(await refusal(bot, 'PUT', `/rooms/${_id}/involvement`, body), [400, /involvement/])
  t.equal((await chat.detail(grace, _id)).involvement, 'everything')
  t.match(await refusal(owner, 'PUT', `/rooms/${_id}/involvement`, { involvement: 'nothing' }), [403, /join/])
})

t.test('a room of a project is listed, joined and read only by members of the project', async (t) => {
  const project = await workspace.stores.projects.add({ name: 'Secret', lead: grace.member })
  const dora = await chat.person('Dora', 'secret')
  for (const projectId of [project.id, project.slug]) {
    const room = await chat.room(grace, { name: 'Inside', projectId })
    t.equal(room.projectId, project.id, 'by its id, however it was named')
    const listed = async (actor: typeof grace) =>
      (await call(actor, 'GET', '/rooms?all=1')).json.some(({ _id }: { _id: string }) => _id === room._id)
    t.strictSame(
      await Promise.all([dora, owner, bot].map(listed)),
      [true, false, false],
      'an owner outside of the project sees none of its rooms',
    )
    await chat.join(dora, room._id)
    t.equal((await call(bot, 'POST', `/rooms/${room._id}/join`)).status, 403)
    t.match(await refusal(grace, 'POST', `/rooms/${room._id}/members`, { memberId: bot.member.id }), [
      400,
      /Bot|mem_/,
    ])
  }
  t.equal((await call(bot, 'POST', '/rooms', { name: 'x', type: 'open', projectId: 'secret' })).status, 403)
  const outsider = await chat.person('Outsider')
  const request = { name: 'x', type: 'open', projectId: 'secret' }
  t.equal((await call(outsider, 'POST', '/rooms', request)).status, 403)
  t.match(await refusal(grace, 'POST', '/rooms', { ...request, members: [bot.member.id] }), [400, /Bot|mem_/])
})

t.test('an unknown room is 404 on every path', async (t) => {
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'x' }],
    ['POST', '/join', undefined],
    ['POST', '/leave', undefined],
    ['POST', '/members', { memberId: bot.member.id }],
    ['PUT', '/involvement', { involvement: 'nothing' }],
    ['GET', '/messages', undefined],
    ['POST', '/messages', { body: 'x' }],
    ['PUT', '/messages/msg_x', { body: 'x' }],
    ['DELETE', '/messages/msg_x', undefined],
    ['POST', '/typing', undefined],
    ['DELETE', '/typing', undefined],
  ] as const) {
    for (const room of ['room_00000000000000000000000000', 'nowhere', '%F0%9F%8E%89', "'"]) {
      const response = await call(bot, method, `/rooms/${room}${path}`, body)
      t.equal(response.status, 404, `${method} ${room}${path}`)
      t.strictSame(Object.keys(response.json), ['error', 'requestId', 'code'])
    }
  }
})

t.test('a wrong method is 405 and names the allowed ones, in the shape of /api', async (t) => {
  const room = `/rooms/${general._id}`
  const allowed: Record<string, string> = {
    '/rooms': 'GET, HEAD, POST',
    [room]: 'DELETE, GET, HEAD, PATCH',
    [`${room}/join`]: 'POST',
    [`${room}/leave`]: 'POST',
    [`${room}/members`]: 'POST',
    [`${room}/involvement`]: 'PUT',
    [`${room}/messages`]: 'GET, HEAD, POST',
    [`${room}/messages/msg_x`]: 'DELETE, PUT',
    [`${room}/typing`]: 'DELETE, POST',
    '/presence': 'POST',
    '/inbox/read': 'POST',
  }
  for (const [path, allow] of Object.entries(allowed)) {
    for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      if (allow.includes(method)) continue
      const { status, headers, json } = await call(owner, method, path)
      t.strictSame([status, headers.allow], [405, allow], `${method} ${path}`)
      t.strictSame(Object.keys(json), ['error', 'requestId', 'code'])
      t.equal(json.requestId, headers['x-request-id'])
    }
  }
  for (const path of ['/nothing', `${room}/nothing`, `${room}/messages/a/b`, '/Rooms', '/inbox']) {
    const { status, json } = await call(owner, 'GET', path)
    t.match([status, json], [404, { error: /No such path/i }], path)
  }
  const head = await call(owner, 'HEAD', '/rooms')
  t.strictSame([head.status, head.text], [200, ''])
})
