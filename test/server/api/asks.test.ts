import t from 'tap'
import { agentScopes, type Scope } from '../../../core/access/member.ts'
import { type Actor, openChat } from '../../support/chat.ts'
import { leaveProject } from '../../support/leave-project.ts'

const chat = await openChat(t)
const { call, clock, home, owner, refusal, workspace } = chat
const grace = await chat.person('Grace', 'general')
const stranger = await chat.person('Stranger')
const bot = await chat.addMember({ name: 'Bot', type: 'agent' }, 'general')
const helper = await chat.addMember({ name: 'Helper', type: 'agent' }, 'general')
const chief = await chat.addMember({ name: 'Chief', type: 'agent', role: 'admin' }, 'general')
const general = workspace.stores.projects.find('general')!

const options = ['Red', 'Blue']
const raise = async (actor: Actor, ask: object = {}): Promise<string> => {
  const { status, json } = await call(actor, 'POST', '/asks', { project: 'general', title: 'Sort', ...ask })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`)
  return json.askId
}
const step = (actor: Actor, askId: string, name: string, body?: object) =>
  call(actor, name === 'assignees' ? 'PUT' : 'POST', `/asks/${askId}/${name}`, body)
const refused = async (actor: Actor, askId: string, name: string, body?: object) => {
  const { status, json } = await step(actor, askId, name, body)
  return [status, json.error]
}
const done = async (...request: Parameters<typeof step>) => {
  const { status, json } = await step(...request)
  if (status !== 200) throw new Error(`${request[2]}: ${status} ${JSON.stringify(json)}`)
  return json
}
const read = async (askId: string, actor = owner) => (await call(actor, 'GET', `/asks/${askId}`)).json.ask
const ids = async (actor: Actor, query = '') => {
  const { asks } = (await call(actor, 'GET', `/asks?${query}`)).json
  return asks.map(({ _id }: { _id: string }) => _id)
}

t.test('any member of a project can raise an ask, and reads it as it was raised', async (t) => {
  const { status, json } = await call(bot, 'POST', '/asks', {
    projectId: general.id,
    title: 'Which colour?',
    body: 'For the *door*.',
    options,
    assignees: ['Grace', bot.member.id, 'grace'],
  })
  t.equal(status, 201)
  t.match(json, { askId: /^ask_[0-9a-z]{26}$/ })
  t.strictSame(await read(json.askId, grace), {
    _id: json.askId,
    projectId: general.id,
    kind: 'question',
    title: 'Which colour?',
    body: 'For the *door*.',
    options,
    state: 'open',
    createdBy: bot.member.id,
    assignees: [grace.member.id, bot.member.id],
    claimedBy: null,
    chosenOption: null,
    resolution: null,
    createdAt: clock.now(),
    updatedAt: clock.now(),
  })
  const work = await read(await raise(grace))
  t.match(work, { kind: 'work', body: '', options: [], assignees: [] })
})

t.test('invalid fields of an ask are 400, and the message names the rule', async (t) => {
  const four = ['a', 'b', 'c', 'd']
  const good = [
    { title: '😀'.repeat(200), body: '😀'.repeat(32_000) },
    { options: [...four.slice(1), 'x'.repeat(79)] },
    { kind: 'question', options },
  ]
  for (const ask of good) t.ok(await raise(owner, ask))
  const bad: [body: object, message: RegExp][] = [
    [{ project: undefined }, /project/],
    [{ title: undefined }, /title/],
    [{ title: ' ' }, /1 to 200/],
    [{ title: 'x'.repeat(201) }, /1 to 200/],
    [{ title: 'two\nlines' }, /one line/],
    [{ title: 'half \ud83d' }, /one line/],
    [{ body: 'x'.repeat(32_001) }, /32000/],
    [{ body: 'nul \0' }, /character/],
    [{ kind: 'wish' }, /question, work/],
    [{ kind: 'question' }, /2 to 4 options/],
    [{ kind: 'work', options }, /Work has no options/],
    [{ options: ['one'] }, /2 to 4/],
    [{ options: [...four, 'e'] }, /2 to 4/],
    [{ options: ['a', 'x'.repeat(80)] }, /1 to 79/],
    [{ options: ['a', ' '] }, /1 to 79/],
    [{ options: ['a', 'a '] }, /different/],
    [{ options: ['a', 'b\nc'] }, /line/],
    [{ options: 'Red' }, /list of texts/],
    [{ assignees: ['Nobody'] }, /"Nobody" is no active member of the project general/],
    [{ assignees: ['Stranger'] }, /"Stranger" is no active member/],
    [{ assignees: Array(51).fill('Grace') }, /at most 50/],
  ]
  for (const [body, message] of bad) {
    const [status, error] = await refusal(owner, 'POST', '/asks', {
      project: 'general',
      title: 'Sort',
      ...body,
    })
    t.match([status, error], [400, message], JSON.stringify(body).slice(0, 80))
  }
  t.match(await refusal(owner, 'POST', '/asks', { project: 'nothing', title: 'x' }), [404, /nothing/])
})

t.test('outside of its project an ask is 403, and an unknown ask is 404', async (t) => {
  const id = await raise(owner)
  const steps: [name: string, body?: object][] = [
    ['claim'],
    ['release'],
    ['resolve', {}],
    ['cancel'],
    ['assignees', { assignees: [] }],
  ]
  for (const [name, body] of steps) {
    t.match(await refused(stranger, id, name, body), [403, /not a member of the project general/], name)
    t.match(await refused(owner, 'ask_none', name, body), [404, /There is no ask ask_none/], name)
  }
  t.match(await refusal(stranger, 'GET', `/asks/${id}`), [403, /not a member/])
  t.match(await refusal(stranger, 'GET', '/asks?project=general'), [403, /not a member/])
  t.match(await refusal(stranger, 'POST', '/asks', { project: 'general', title: 'x' }), [403, /not a member/])
  t.match(await refusal(owner, 'GET', '/asks/ask_none'), [404, /ask_none/])
  t.match(await refusal(owner, 'GET', '/asks?project=none'), [404, /none/])
  t.strictSame(await ids(stranger), [])
})

t.test('asks are listed newest first, by project and state, page by page', async (t) => {
  const { slug } = await workspace.projects.create(workspace.stores.members.authenticate(grace.key)!, {
    name: 'Lists',
  })
  const made: string[] = []
  for (let n = 0; n < 5; n++) made.unshift(await raise(grace, { project: slug }))
  await done(grace, made[1]!, 'claim')
  await done(grace, made[3]!, 'claim')
  t.strictSame(await ids(grace, `project=${slug}`), made)
  t.strictSame((await ids(grace)).slice(0, 5), made, 'without a project, asks of all visible ones')
  t.strictSame(await ids(grace, `project=${slug}&state=claimed`), [made[1], made[3]])
  t.strictSame((await ids(grace, 'state=claimed')).slice(0, 2), [made[1], made[3]])
  t.notOk((await ids(bot)).includes(made[0]!))

  const page = async (query: string) =>
    (await call(grace, 'GET', `/asks?project=${slug}&limit=3&${query}`)).json
  const first = await page('')
  t.strictSame([first.asks.length, first.nextCursor], [3, made[2]])
  await raise(grace, { project: slug })
  const second = await page(`cursor=${first.nextCursor}`)
  t.strictSame(
    second.asks.map(({ _id }: { _id: string }) => _id),
    made.slice(3),
  )
  t.equal(second.nextCursor, null)

  t.equal((await call(grace, 'GET', '/asks?limit=1000')).status, 200)
  for (const query of ['limit=0', 'limit=x', 'state=done', 'cursor=ask_none', 'state=open&state=claimed'])
    t.equal((await refusal(grace, 'GET', `/asks?${query}`))[0], 400, query)
  t.match(await refusal(grace, 'GET', '/asks?state=done'), [400, /open, claimed, resolved, cancelled/])
  t.equal((await refusal(stranger, 'GET', `/asks?cursor=${made[0]}`))[0], 403)
})

t.test('of many claims at once one wins, and the others learn who has claimed the ask', async (t) => {
  const id = await raise(owner)
  const claimers = [grace, bot, helper, owner]
  const responses = await Promise.all(claimers.map((actor) => step(actor, id, 'claim')))
  const winners = responses.filter(({ status }) => status === 200)
  t.equal(winners.length, 1)
  const winner = claimers[responses.indexOf(winners[0]!)]!
  t.strictSame(winners[0]!.json, { askId: id, state: 'claimed', claimedBy: winner.member.id })
  for (const { status, json } of responses.filter((response) => response !== winners[0]))
    t.match([status, json.error], [409, `Already claimed by ${winner.member.name}`])
  t.strictSame((await step(winner, id, 'claim')).json, winners[0]!.json, 'claiming again changes nothing')
})

t.test('a closed ask cannot be claimed, and neither can a question', async (t) => {
  const resolved = await raise(owner)
  await done(owner, resolved, 'resolve', {})
  t.strictSame(await refused(bot, resolved, 'claim'), [409, 'Ask is resolved, not open'])
  const cancelled = await raise(owner)
  await done(owner, cancelled, 'cancel')
  t.strictSame(await refused(bot, cancelled, 'claim'), [409, 'Ask is cancelled, not open'])
  const question = await raise(owner, { options })
  t.match(await refused(bot, question, 'claim'), [400, /person answers it with POST .*\/resolve/])
})

t.test('a claim is released by its holder, an owner or an admin', async (t) => {
  const id = await raise(grace)
  t.strictSame(await refused(grace, id, 'release'), [409, 'Ask is open, not claimed'])
  for (const releaser of [bot, owner, chief]) {
    await done(bot, id, 'claim')
    t.match(await refused(grace, id, 'release'), [403, /Only the member who claimed this ask/])
    t.strictSame(await done(releaser, id, 'release'), { askId: id, state: 'open', claimedBy: null })
  }
  t.equal((await done(helper, id, 'claim')).claimedBy, helper.member.id)
})

t.test('a claim ends when its holder leaves the project or is deactivated', async (t) => {
  const leaver = await chat.addMember({ name: 'Leaver', type: 'agent' }, 'general')
  const left = await raise(owner)
  await done(leaver, left, 'claim')
  await leaveProject(home, general.id, leaver.member.id)
  t.equal((await done(bot, left, 'claim')).claimedBy, bot.member.id)

  const fired = await chat.person('Fired', 'general')
  const id = await raise(owner)
  await done(fired, id, 'claim')
  await workspace.stores.members.setStatus(fired.member.id, 'deactivated')
  t.equal((await done(bot, id, 'claim')).claimedBy, bot.member.id)
  t.strictSame(await refused(helper, id, 'claim'), [409, 'Already claimed by Bot'])
})

t.test('work is resolved by the member who has claimed it, an owner or an admin', async (t) => {
  const id = await raise(grace)
  t.match(await refused(bot, id, 'resolve', {}), [403, /Claim it first: POST .*\/claim/])
  t.match(await refused(grace, id, 'resolve', {}), [403, /Claim it first/], 'nor by its creator')
  await done(bot, id, 'claim')
  t.match(await refused(grace, id, 'resolve', {}), [403, /Only the member who claimed/])
  const wrong: [answer: object, message: RegExp][] = [
    [{ chosenOption: 'Red' }, /no options/],
    [{ resolution: 'x'.repeat(32_001) }, /32000/],
    [{ resolution: 1 }, /resolution/],
  ]
  for (const [answer, message] of wrong) t.match(await refused(bot, id, 'resolve', answer), [400, message])
  t.strictSame(await done(bot, id, 'resolve', { resolution: 'Sorted.' }), {
    askId: id,
    state: 'resolved',
    chosenOption: null,
    resolution: 'Sorted.',
  })
  t.match(await read(id), { state: 'resolved', claimedBy: bot.member.id, resolution: 'Sorted.' })
  for (const [name, body] of [['resolve'], ['cancel'], ['assignees', { assignees: [] }]] as const)
    t.strictSame(await refused(owner, id, name, body), [409, 'Ask is resolved, not open'], name)
  const other = await raise(grace)
  t.match(await done(chief, other, 'resolve', { resolution: ' ' }), { state: 'resolved', resolution: null })
})

t.test('a question is answered by a person in the project, with one of its options', async (t) => {
  const id = await raise(bot, { options })
  t.match(await refused(helper, id, 'resolve', { chosenOption: 'Red' }), [403, /Only a person/])
  t.match(await refused(chief, id, 'resolve', { chosenOption: 'Red' }), [403, /Only a person/])
  for (const answer of [{}, { chosenOption: 'Green' }, { resolution: 'Blue' }])
    t.match(await refused(grace, id, 'resolve', answer), [400, /"Red", "Blue"/])
  t.strictSame(await done(grace, id, 'resolve', { chosenOption: 'Blue', resolution: 'As the sea.' }), {
    askId: id,
    state: 'resolved',
    chosenOption: 'Blue',
    resolution: 'As the sea.',
  })
  t.strictSame(await refused(grace, id, 'resolve', { chosenOption: 'Red' }), [
    409,
    'Ask is resolved, not open',
  ])
})

t.test('an ask is cancelled by its creator, an owner or an admin', async (t) => {
  for (const canceller of [bot, owner, chief]) {
    const id = await raise(bot)
    await done(helper, id, 'claim')
    t.match(await refused(helper, id, 'cancel'), [403, /Only the member who created this ask/])
    t.strictSame(await done(canceller, id, 'cancel'), { askId: id, state: 'cancelled' })
    t.strictSame(
      await done(canceller, id, 'cancel'),
      { askId: id, state: 'cancelled' },
      'a second cancellation changes nothing',
    )
  }
})

t.test('any member of the project can assign an ask that nobody else has claimed', async (t) => {
  const id = await raise(owner, { assignees: ['Grace'] })
  t.strictSame(await done(bot, id, 'assignees', { assignees: ['Bot', helper.member.id] }), {
    askId: id,
    state: 'open',
    assignees: [bot.member.id, helper.member.id],
  })
  t.match(await refused(bot, id, 'assignees', { assignees: ['Stranger'] }), [400, /"Stranger"/])
  t.match(await refused(bot, id, 'assignees', {}), [400, /assignees/])
  await done(grace, id, 'claim')
  for (const actor of [bot, owner])
    t.strictSame(await refused(actor, id, 'assignees', { assignees: [] }), [409, 'Already claimed by Grace'])
  t.strictSame((await done(grace, id, 'assignees', { assignees: [] })).assignees, [])
})

t.test('the creator of an ask sees it, and can cancel it, after leaving its project', async (t) => {
  const leaver = await chat.person('Traveller', 'general')
  const id = await raise(leaver)
  await leaveProject(home, general.id, leaver.member.id)
  t.equal((await read(id, leaver)).state, 'open')
  t.strictSame(await ids(leaver), [id])
  t.strictSame(await ids(leaver, 'state=open'), [id])
  t.equal((await refused(leaver, id, 'claim'))[0], 403)
  t.equal((await refused(leaver, id, 'assignees', { assignees: [] }))[0], 403)
  t.equal((await done(leaver, id, 'cancel')).state, 'cancelled')
})

t.test('an ask is announced in its room, and its resolution is a reply there', async (t) => {
  const members = [grace.member.id, bot.member.id]
  const { _id: room } = await chat.room(owner, { name: 'Talk', members })
  const body = 'x'.repeat(3000)
  const id = await raise(bot, { roomId: room, title: 'Which one?', body, options, assignees: ['Grace'] })
  const [said] = (await chat.page(grace, room)).page
  const messageId = said!._id
  t.equal(said!.author._id, bot.member.id)
  for (const part of [
    '**Ask:** Which one?',
    '- Red\n- Blue',
    `@[Grace](${grace.member.id})`,
    `${id}/resolve`,
  ])
    t.match(said!.body, part)
  t.ok(said!.body.length < 2500, 'a long text is cut')
  t.match(await chat.inbox(grace), messageId)

  await done(owner, id, 'resolve', { chosenOption: 'Blue', resolution: 'As it was.' })
  const [reply] = (await chat.page(grace, room, `thread=${messageId}`)).page
  t.match(reply, { author: { _id: owner.member.id }, body: /Blue\n\nAs it was\./ })
  t.match(await chat.inbox(bot), reply!._id, 'its creator is notified')
})

t.test('an ask is announced where its creator may speak, in a room of its project or of none', async (t) => {
  const other = await workspace.projects.create(workspace.stores.members.authenticate(owner.key)!, {
    name: 'Other',
  })
  const { _id: foreign } = await chat.room(owner, { name: 'Foreign', projectId: other.id })
  const { _id: room } = await chat.room(owner, { name: 'Quiet' })
  const before = await ids(owner)
  const ask = (roomId: string) => ({ project: 'general', title: 'x', roomId })
  t.match(await refusal(bot, 'POST', '/asks', ask(room)), [403, /Join it first/])
  t.match(await refusal(owner, 'POST', '/asks', ask('nowhere')), [404, /no room nowhere/])
  t.match(await refusal(owner, 'POST', '/asks', ask(foreign)), [400, /another project/])
  const scopes = agentScopes.filter((scope) => scope !== 'rooms:write')
  const { key } = await workspace.stores.members.addKey(bot.member.id, { scopes })
  t.match(await refusal({ ...bot, key }, 'POST', '/asks', ask(room)), [403, /rooms:write/])
  t.strictSame(await ids(owner), before, 'nothing was raised')

  // If the resolver is not in the room, or the announcement is deleted, no reply is sent.
  const silent = await raise(owner, { roomId: room })
  await done(bot, silent, 'claim')
  await done(bot, silent, 'resolve', {})
  const removed = await raise(owner, { roomId: room })
  const [announcement] = (await chat.page(owner, room)).page
  await chat.remove(owner, room, announcement!._id)
  await done(owner, removed, 'resolve', {})
  t.strictSame(
    (await chat.page(owner, room)).page.map(({ replyCount }) => replyCount),
    [undefined],
  )
})

t.test('a request repeated with its Idempotency-Key raises no second ask', async (t) => {
  const send = (key: string) =>
    call(bot, 'POST', '/asks', { project: 'general', title: 'Once' }, { 'Idempotency-Key': key })
  const { _id: room } = await chat.room(owner, { name: 'Keys', members: [bot.member.id] })
  await call(bot, 'POST', `/rooms/${room}/messages`, { body: 'x' }, { 'Idempotency-Key': 'one' })
  const [first, again] = await Promise.all([send('one'), send('one')])
  t.strictSame([again.status, again.json], [201, first.json])
  t.match(first.json.askId, /^ask_/, 'even if a message had the same key')
  t.not((await send('two')).json.askId, first.json.askId)
  t.match((await send('')).json.error, /Idempotency-Key/)
})

t.test('in an archived project no ask can be raised or changed', async (t) => {
  const caller = workspace.stores.members.authenticate(owner.key)!
  const project = await workspace.projects.create(caller, { name: 'Old' })
  const id = await raise(owner, { project: project.slug })
  await workspace.stores.projects.change(project, { archived: true })
  t.match(await refusal(owner, 'POST', '/asks', { project: 'old', title: 'x' }), [409, /archived/])
  t.match(await refused(owner, id, 'claim'), [409, /archived/])
  t.equal((await read(id)).state, 'open')
})

t.test('a key without the scope is 403, and the message names the scope', async (t) => {
  const id = await raise(owner)
  const keyWithout = async (scope: Scope) => {
    const scopes = agentScopes.filter((one) => one !== scope)
    return { ...bot, key: (await workspace.stores.members.addKey(bot.member.id, { scopes })).key }
  }
  const reader = await keyWithout('asks:write')
  const writer = await keyWithout('asks:read')
  for (const name of ['claim', 'release', 'resolve', 'cancel'])
    t.match(await refused(reader, id, name), [403, /asks:write/], name)
  t.match(await refused(reader, id, 'assignees', { assignees: [] }), [403, /asks:write/])
  t.match(await refusal(reader, 'POST', '/asks', { project: 'general', title: 'x' }), [403, /asks:write/])
  for (const path of ['/asks', `/asks/${id}`, '/asks/ask_none'])
    t.match(await refusal(writer, 'GET', path), [403, /asks:read/], path)
  t.equal((await step(writer, id, 'claim')).status, 200)
})
