import t from 'tap'
import type { NewInvite } from '../../../core/members/invite-store.ts'
import { openForCommandLine } from '../../../core/workspace/command-line.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const workroom = await startWorkroom(t, { config: { trustProxy: true } })
const { request, clock, owner, workspace } = workroom
const grace = await workroom.addMember({ name: 'Grace', type: 'human', role: 'admin' })
const chief = await workroom.addMember({
  name: 'Chief',
  type: 'agent',
  role: 'admin',
  ownerId: grace.member.id,
})

const codeOf = async (body: NewInvite = {}, { key } = owner): Promise<string> =>
  (await request('POST', '/api/invites', { key, body })).json.code
const onboard = (body: unknown, address = '192.0.2.1') =>
  request('POST', '/v1/onboard', { key: undefined, body, headers: { 'X-Forwarded-For': address } })
const outcome = ({ status, json }: HttpResponse) => [status, json.error]

t.beforeEach(() => {
  // Earlier attempts no longer count.
  clock.advance(hourMs)
})

t.test('anyone with an invite becomes a member with a working key, and needs none before', async (t) => {
  const response = await onboard({
    invite: await codeOf({ type: 'human' }),
    name: 'Eve',
    email: 'eve@example.org',
  })
  t.equal(response.status, 201)
  t.strictSame(Object.keys(response.json), ['member', 'key'])
  t.strictSame(response.json.member, {
    _id: response.json.member._id,
    name: 'Eve',
    type: 'human',
    role: 'member',
    avatarUrl: '',
    statusText: '',
    description: '',
    status: 'active',
    email: 'eve@example.org',
    emailNotifications: true,
    ownerId: null,
  })
  const me = await request('GET', '/v1/fs/me/api-key', { key: response.json.key })
  t.match(me.text, `memberId: ${response.json.member._id}\n`)
  t.match(me.text, 'scopes: *\n')
  const rooms = await request('GET', '/api/rooms', { key: response.json.key })
  t.match(rooms.json, [{ name: 'general', joined: true }], 'every new member is in general')
})

t.test(
  "role and type come from the invite; an open type is the new member's choice, and agent by default",
  async (t) => {
    const cases: [invite: NewInvite, asked: object, member: object][] = [
      [{ role: 'admin', type: 'agent' }, { type: 'human' }, { role: 'admin', type: 'agent' }],
      [{}, { type: 'human' }, { role: 'member', type: 'human' }],
      [{ role: 'owner' }, { type: 'agent' }, { role: 'owner', type: 'agent' }],
      [{}, {}, { role: 'member', type: 'agent' }],
    ]
    for (const [index, [invite, asked, member]] of cases.entries()) {
      const response = await onboard(
        { invite: await codeOf(invite), name: `Case ${index}`, ...asked },
        `10.0.0.${index}`,
      )
      t.match(response, { status: 201, json: { member } })
    }
    const chosen = await onboard({ invite: await codeOf({}), name: 'Chooser', role: 'owner' }, '10.0.0.9')
    t.match(chosen, { status: 400, json: { error: /no field role here/ } }, 'nobody can choose a role')
  },
)

t.test('the inviter owns the agent, or the first owner if the inviter is no active person', async (t) => {
  const ofGrace = await codeOf({ type: 'agent', uses: 2 }, grace)
  const ofChief = await codeOf({ type: 'agent' }, chief)
  const ownerOf = async (invite: string, name: string) =>
    (await onboard({ invite, name })).json.member.ownerId
  t.equal(await ownerOf(ofGrace, 'Hers'), grace.member.id)
  t.equal(await ownerOf(ofChief, 'Its'), owner.member.id)
  const beside = openForCommandLine(workroom.home)
  t.teardown(() => beside.close())
  await beside.members.setStatus(grace.member.id, 'deactivated')
  t.equal(await ownerOf(ofGrace, 'Left'), owner.member.id, 'also right after the command line has said so')
  await workspace.stores.members.setStatus(grace.member.id, 'active')
})

t.test('a code is read in any case, without hyphens, and with letters for digits', async (t) => {
  const spellings: ((code: string) => string)[] = [
    (code) => code,
    (code) => code.toLowerCase(),
    (code) => code.replaceAll('-', ''),
    (code) => ` ${code.replaceAll('-', ' ')}\n`,
    (code) => code.replaceAll('0', 'o').replaceAll('1', 'l'),
    (code) => code.replaceAll('0', 'O').replaceAll('1', 'I'),
  ]
  for (const [index, spelt] of spellings.entries()) {
    const invite = spelt(await codeOf())
    t.equal((await onboard({ invite, name: `Speller ${index}` }, `10.0.1.${index}`)).status, 201, invite)
  }
})

t.test('an invalid invite is refused with the same message, whatever is wrong with it', async (t) => {
  const used = await codeOf()
  await onboard({ invite: used, name: 'First' })
  const late = await codeOf({ expiresAt: clock.now() + 1 })
  clock.advance(1)
  const refusals = new Set<string>()
  for (const [index, invite] of [used, late, '0000-0000-0000', '', '0000', 'ÄÖÜ', `${late}0`].entries()) {
    const { status, json } = await onboard({ invite, name: 'Ada' }, `10.0.2.${index}`)
    t.equal(status, 403, invite)
    refusals.add(json.error)
  }
  t.equal(refusals.size, 1, 'not even a taken name is disclosed')
  t.match([...refusals][0], /Ask an owner or admin for another/)
})

t.test('a taken or invalid name does not use the invite up', async (t) => {
  const invite = await codeOf()
  t.match(outcome(await onboard({ invite, name: 'Ada' })), [409, /The name Ada is taken/])
  t.match(outcome(await onboard({ invite, name: '[x]' }, '10.0.3.1')), [400, /display name/])
  t.match(outcome(await onboard({ invite, name: 'Mallory', email: 'no' }, '10.0.3.2')), [400, /email/])
  t.equal((await onboard({ invite, name: 'Mallory' })).status, 201)
  t.equal((await onboard({ invite, name: 'Trudy' })).status, 403)
})

t.test('of two who use the last place of an invite at once one is admitted', async (t) => {
  const invite = await codeOf()
  const responses = await Promise.all([
    onboard({ invite, name: 'One' }, '10.0.4.1'),
    onboard({ invite, name: 'Two' }, '10.0.4.2'),
  ])
  t.strictSame(responses.map(({ status }) => status).toSorted(), [201, 403])
  const names = workspace.stores.members.active().map(({ name }) => name)
  t.equal(names.filter((name) => name === 'One' || name === 'Two').length, 1)
})

t.test('a body without a required field is 400', async (t) => {
  const invite = await codeOf()
  const cases: [body: unknown, reason: RegExp][] = [
    [undefined, /must contain the field invite/],
    [{ invite }, /must contain the field name/],
    [{ name: 'X' }, /must contain the field invite/],
    [{ invite, name: 7 }, /name must be a text/],
    [{ invite, name: 'X', type: 'robot' }, /type must be one of human, agent/],
    ['{', /one JSON object/],
  ]
  for (const [index, [body, reason]] of cases.entries()) {
    t.match(outcome(await onboard(body, `10.0.5.${index}`)), [400, reason])
  }
})

t.test('no other method or path is open without a key', async (t) => {
  for (const [method, path] of [
    ['GET', '/v1/onboard'],
    ['HEAD', '/v1/onboard'],
    ['PUT', '/v1/onboard'],
    ['POST', '/v1/onboard/'],
    ['POST', '/v1/onboard/x'],
    ['POST', '/V1/onboard'],
    ['POST', '/v1/Onboard'],
    ['POST', '/api/onboard'],
    ['POST', '/api/invites'],
  ] as const) {
    const { status } = await request(method, path, { key: undefined, body: {} })
    t.equal(status, path.startsWith('/V1') ? 404 : 401, `${method} ${path}`)
  }
  const wrongMethod = await request('GET', '/v1/onboard')
  t.match([wrongMethod.status, wrongMethod.headers.allow], [405, 'POST'])
})

t.test('a team of any size can join from one address with an invite for all of them', async (t) => {
  const invite = await codeOf({ uses: 12 })
  const five = await Promise.all(
    ['a', 'b', 'c', 'd', 'e'].map((name) => onboard({ invite, name: `Team ${name}` })),
  )
  t.same(
    five.map(({ status }) => status),
    [201, 201, 201, 201, 201],
    'also all at once',
  )
  for (let n = 0; n < 7; n++) t.equal((await onboard({ invite, name: `Late ${n}` })).status, 201)
  t.equal((await onboard({ invite, name: 'Too late' })).status, 403, 'the last use did not count, this does')
  t.equal((await onboard({ invite: 'bad', name: 'X' })).status, 403)
  t.equal((await onboard({ invite: 'bad', name: 'X' })).status, 403)
  t.equal((await onboard({ invite: await codeOf({ uses: 2 }), name: 'Y' })).status, 429)
})

t.test('of many guesses at once no more are tried than one after the other', async (t) => {
  const guesses = await Promise.all(
    Array.from({ length: 20 }, (_, n) => onboard({ invite: `guess${n}`, name: 'X' })),
  )
  t.equal(guesses.filter(({ status }) => status === 403).length, 3)
  t.equal(guesses.filter(({ status }) => status === 429).length, 17)
})

t.test('the field may be named code, like the code of an invite', async (t) => {
  const code = await codeOf({ uses: 3 })
  t.match(await onboard({ code, name: 'Coded' }), { status: 201, json: { member: { name: 'Coded' } } })
  t.equal((await onboard({ code, invite: code, name: 'Twice' })).status, 201)
  t.match(outcome(await onboard({ code, invite: await codeOf(), name: 'Torn' })), [400, /send one of them/])
  t.match(outcome(await onboard({ code: 7, name: 'X' })), [400, /code must be a text/])
})

t.test('an address has three attempts an hour, whatever their outcome', async (t) => {
  t.equal((await onboard({ invite: await codeOf(), name: 'Fine' })).status, 201)
  const invite = await codeOf()
  clock.advance(10 * minuteMs)
  t.equal((await onboard('{')).status, 400)
  clock.advance(10 * minuteMs)
  t.equal((await onboard({ invite: 'bad', name: 'X' })).status, 403)
  for (let n = 0; n < 5; n++) {
    const response = await onboard({ invite, name: 'Blocked' })
    t.equal(response.status, 429)
    t.equal(response.headers['retry-after'], '2400')
    t.match(response.json, { error: /your address.*2400 seconds/, requestId: String })
  }
  t.equal((await onboard({ invite, name: 'Elsewhere' }, '192.0.2.2')).status, 201)
  const [second, third] = [await codeOf(), await codeOf()]
  clock.advance(40 * minuteMs - 1)
  t.equal((await onboard({ invite: second, name: 'Patient' })).headers['retry-after'], '1')
  clock.advance(1)
  t.equal((await onboard({ invite: second, name: 'Patient' })).status, 201, 'refused attempts did not count')
  t.equal((await onboard({ invite: third, name: 'Greedy' })).status, 429, 'the window slides')
  clock.advance(10 * minuteMs)
  t.equal((await onboard({ invite: third, name: 'Greedy' })).status, 201)
})

t.test('an IPv6 /64 is one address, and a mapped IPv4 address is the IPv4 address', async (t) => {
  const from = async (address: string) => (await onboard({}, address)).status
  for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3'])
    t.equal(await from(address), 400)
  t.equal(await from('2001:db8::4'), 429)
  t.equal(await from('2001:db8:0:1::1'), 400)
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207'])
    t.equal(await from(address), 400)
  t.equal(await from('192.0.2.7'), 429)
})

t.test('all addresses together have thirty attempts an hour', async (t) => {
  const from = (n: number) => onboard({}, `198.51.100.${n}`)
  for (let n = 0; n < 30; n++) {
    t.equal((await from(n)).status, 400)
    clock.advance(minuteMs)
  }
  const response = await from(30)
  t.equal(response.status, 429)
  t.equal(response.headers['retry-after'], '1800')
  t.match(response.json.error, /overall.*1800 seconds/)
  clock.advance(30 * minuteMs)
  t.equal((await from(30)).status, 400, 'the first of the thirty has left the window')
  t.equal((await from(31)).status, 429)
})

t.test('if both limits apply, the answer names the longer wait', async (t) => {
  for (let n = 0; n < 27; n++) await onboard({}, `203.0.113.${n}`)
  clock.advance(30 * minuteMs)
  for (let n = 0; n < 3; n++) await onboard({}, '203.0.113.99')
  const both = await onboard({}, '203.0.113.99')
  t.match([both.headers['retry-after'], both.json.error], ['3600', /your address/])
  const all = await onboard({}, '203.0.113.100')
  t.match([all.headers['retry-after'], all.json.error], ['1800', /overall/])
})

t.test('a clock that is set back blocks nobody for longer than an hour', async (t) => {
  for (let n = 0; n < 4; n++) await onboard({})
  clock.advance(-24 * hourMs)
  t.equal((await onboard({})).status, 400)
  clock.advance(24 * hourMs)
})

t.test('without a trusted proxy the address is that of the socket', async (t) => {
  const direct = await startWorkroom(t)
  const from = async (address: string) =>
    (await direct.request('POST', '/v1/onboard', { key: undefined, headers: { 'X-Forwarded-For': address } }))
      .status
  for (let n = 0; n < 3; n++) t.equal(await from(`192.0.2.${n}`), 400)
  t.equal(await from('192.0.2.9'), 429)
})

t.test('no key and no code is in the log', async (t) => {
  const invite = await codeOf()
  const { json } = await onboard({ invite, name: 'Quiet' })
  t.match(workroom.log.text(), '/v1/onboard')
  for (const secret of [invite, json.key]) t.notMatch(workroom.log.text(), secret)
})
