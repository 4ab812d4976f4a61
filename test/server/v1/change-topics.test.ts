import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { fetchNewestCursor, holdRequest, pollEvents } from '../../support/live-events.ts'

const chat = await openChat(t)
const { clock, home, owner, request, workspace } = chat
const grace = await chat.person('Grace', 'general')
const linus = await chat.person('Linus')
const bot = await chat.agent('Bot', { ownerId: grace.member.id })
const room = (await chat.room(owner, { name: 'Talk', members: [grace.member.id, bot.member.id] }))._id
const closed = (await chat.room(owner, { name: 'Closed', type: 'closed' }))._id
const project = workspace.stores.projects.find('general')!
const tree = '/v1/fs/projects/general'

const member = ({ member }: Actor) => `member:${member.id}`
const ofRoom = `room:${room}`
const ofProject = `project:${project.id}`

const send = async (method: string, path: string, options: RequestOptions = {}) => {
  const response = await request(method, path, options)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response.json
}
const post = (path: string, body: unknown, { key }: Actor = owner) => send('POST', path, { body, key })
const write = (path: string, body: string, { key }: Actor = owner) =>
  send('PUT', `${tree}/${path}`, { body, key })

/** Returns which of the topics changed after a sequence, and up to which sequence that is. */
async function touchedAfter(sequence: number | string, topics: readonly string[], actor: Actor = owner) {
  const { headers } = await pollEvents(chat, actor, `wait=0&touch=${topics.join()}&touched=${sequence}`)
  const touched = String(headers['x-service-touched'])
  return {
    topics: touched === '' ? [] : touched.split(','),
    sequence: Number(headers['x-service-touches']),
  }
}

const { id: document } = await write('docs/plan.md', '# Plan\n\nOne.\n')
const { id: draft } = await write('drafts/next.md', '# Next\n\nOne.\n', grace)
const { post: announced } = await post('/v1/posts', { projectId: 'general', title: 'News', body: 'Text.' })
const { id: card } = await write('board/todo/fix.md', '# Fix\n\nIt.\n')
const messageId = await chat.post(owner, room, 'Hello')
const ofDocument = `document:${document}`
const ofPost = `document:${announced._id}`
const ofPresence = `here:${document}`
const ofBoard = `board:${project.id}`

/** Every topic that could change. */
const everything = [
  ...['workspace', 'presence', ofRoom, `room:${closed}`, ofProject, ofDocument, ofPost],
  ...[ofPresence, ofBoard, `document:${card}`, member(owner), member(grace), member(linus), member(bot)],
]

const webhook = `/api/members/${bot.member.id}/webhook`
const general = `/v1/projects/${project.id}`
let raised = ''
let invited = ''
let commented = ''

/** What somebody does, and all topics that it changes, in the order of the list above. */
const changes: [what: string, act: () => unknown, topics: string[]][] = [
  ['a message', () => chat.post(grace, room, 'More'), [ofRoom]],
  ['an edited message', () => chat.edit(owner, room, messageId, 'Hello!'), [ofRoom]],
  ['a reply', () => chat.post(grace, room, 'Yes', { threadId: messageId }), [ofRoom, member(owner)]],
  ['a deleted message', () => chat.remove(owner, room, messageId), [ofRoom]],
  ['a mention', () => chat.post(owner, room, mention(grace)), [ofRoom, member(grace)]],
  ['a mention that is read', () => post('/api/inbox/read', {}, grace), [member(grace)]],
  [
    'an involvement',
    () => chat.call(grace, 'PUT', `/rooms/${room}/involvement`, { involvement: 'mentions' }),
    [member(grace)],
  ],
  ['somebody joins', () => chat.join(linus, room), [ofRoom, member(linus)]],
  ['somebody leaves', () => chat.leave(linus, room), [ofRoom, member(linus)]],
  [
    'a new name of a room',
    () => chat.call(owner, 'PATCH', `/rooms/${room}`, { name: 'Chat' }),
    ['workspace', ofRoom],
  ],
  ['somebody begins to type', () => chat.call(bot, 'POST', `/rooms/${room}/typing`), [ofRoom]],
  ['and goes on', () => chat.call(bot, 'POST', `/rooms/${room}/typing`), []],
  ['and stops', () => chat.call(bot, 'DELETE', `/rooms/${room}/typing`), [ofRoom]],
  ['and again', () => chat.call(bot, 'POST', `/rooms/${room}/typing`, { ttlSeconds: 5 }), [ofRoom]],
  ['and the signal ends by itself', () => clock.advance(5000), [ofRoom]],
  [
    'somebody comes online, in a room',
    () => chat.call(grace, 'POST', '/presence', { roomId: room }),
    ['presence', ofRoom],
  ],
  ['and stays', () => chat.call(grace, 'POST', '/presence', { roomId: room }), []],
  ['and goes out of it', () => chat.call(grace, 'POST', '/presence'), [ofRoom]],
  ['and is no longer online', () => clock.advance(90_000), ['presence', ofRoom, ofPresence]],

  [
    'a comment',
    async () => {
      commented = (await post(`/v1/posts/${announced._id}/comments`, { body: 'Good' })).comment._id
    },
    [ofProject, ofPost],
  ],
  [
    'a deleted comment',
    () => send('DELETE', `/v1/posts/${announced._id}/comments/${commented}`),
    [ofProject, ofPost],
  ],
  ['a pin', () => post(`/v1/posts/${announced._id}/pin`, {}), [ofProject, ofPost]],
  [
    'an attachment',
    () =>
      send('POST', `${tree}/posts/${announced.filename}/attachments?name=a.txt`, {
        body: 'a',
        headers: { 'content-type': 'text/plain' },
      }),
    [ofProject, ofPost],
  ],
  ['a document', () => write('docs/plan.md', '# Plan\n\nTwo.\n', grace), [ofProject, ofDocument, ofPresence]],
  ['nothing new', () => write('docs/plan.md', '# Plan\n\nTwo.\n', grace), []],
  [
    'somebody is in a document',
    () => send('POST', `${tree}/docs/plan.md/_presence?kind=viewing`),
    [ofPresence],
  ],
  ['and still is', () => send('POST', `${tree}/docs/plan.md/_presence?kind=viewing`), []],
  ['and leaves', () => send('POST', `${tree}/docs/plan.md/_presence?leave`), [ofPresence]],
  ['and the others are forgotten', () => clock.advance(90_000), [ofPresence]],
  ['a draft', () => write('drafts/next.md', '# Next\n\nTwo.\n', grace), [member(grace)]],
  [
    'a moved card',
    () => post(`${tree}/board/todo/1/_move`, { toColumn: 'done' }),
    [ofProject, ofBoard, `document:${card}`],
  ],
  ['a deleted document', () => send('DELETE', `${tree}/board/done/1`), [ofProject, ofBoard]],

  [
    'an ask',
    async () => {
      raised = (await post('/api/asks', { project: 'general', title: 'Do', assignees: [grace.member.id] }))
        .askId
    },
    [ofProject, member(owner), member(grace)],
  ],
  ['a claim', () => post(`/api/asks/${raised}/claim`, {}, grace), [ofProject, member(owner), member(grace)]],
  [
    'other assignees',
    () => send('PUT', `/api/asks/${raised}/assignees`, { body: { assignees: [] }, key: grace.key }),
    [ofProject, member(owner), member(grace)],
  ],
  ['the goal', () => write('plan.md', '## the goal\n\nMore.\n'), [ofProject]],
  ['the links', () => write('links.md', '- [a](https://a.example)\n'), [ofProject]],
  [
    'an uploaded file',
    () =>
      send('POST', `${tree}/library/files?name=a.txt`, {
        body: 'a',
        headers: { 'content-type': 'text/plain' },
      }),
    [ofProject],
  ],
  ['a removed file', () => send('DELETE', `${tree}/library/files/a.txt`), [ofProject]],
  [
    'a skill',
    () =>
      post('/v1/skills', {
        project: 'general',
        name: 'tea',
        files: { 'SKILL.md': '---\nname: tea\ndescription: Makes tea\n---\n' },
        expectedVersion: 0,
        expectedDraftRevision: 0,
      }),
    [ofProject],
  ],
  [
    'a member of the project',
    () => post(`${general}/members`, { memberId: linus.member.id }),
    [ofProject, member(linus)],
  ],
  [
    'one who is so no more',
    () => send('DELETE', `${general}/members/${linus.member.id}`),
    [ofProject, member(linus)],
  ],
  [
    'an archived project',
    () => send('PATCH', general, { body: { archived: true } }),
    ['workspace', ofProject, ofBoard],
  ],
  [
    'an opened one',
    () => send('PATCH', general, { body: { archived: false } }),
    ['workspace', ofProject, ofBoard],
  ],

  ['a new project', () => post('/v1/projects', { name: 'Other' }), ['workspace', member(owner)]],
  [
    'a profile',
    () => chat.call(linus, 'PATCH', `/members/${linus.member.id}`, { statusText: 'Here' }),
    ['workspace', member(linus)],
  ],
  ['a key', () => post(`/api/members/${bot.member.id}/keys`, { label: 'more' }), [member(bot)]],
  [
    'a webhook',
    () => send('PUT', webhook, { body: { url: 'https://hook.example/', events: ['mention'] } }),
    [member(bot)],
  ],
  [
    'an invite',
    async () => {
      invited = (await post('/api/invites', {})).id
    },
    ['workspace'],
  ],
  ['a revoked one', () => send('DELETE', `/api/invites/${invited}`), ['workspace']],
  ['reading', () => send('GET', `${tree}/docs/plan.md`), []],
]

for (const [what, act, topics] of changes) {
  t.test(`changed topics: ${what}`, async (t) => {
    const { sequence } = workspace.events.changeTopics
    await act()
    const touched = await touchedAfter(sequence, everything)
    t.same(touched.topics, topics)
    t.equal(touched.sequence, workspace.events.changeTopics.sequence)
  })
}

t.test('a changed topic ends the wait at once, without events and with the same cursor', async (t) => {
  const cursor = await fetchNewestCursor(chat)
  const { sequence } = workspace.events.changeTopics
  const waiting = await holdRequest(chat, grace, cursor, `touch=${ofProject},${ofRoom}&touched=${sequence}`)
  const other = await holdRequest(chat, grace, cursor, `touch=${ofRoom}`)
  await write('plan.md', '## the goal\n\nEven more.\n')
  const response = await waiting.response
  t.match(response, { status: 200, events: [], cursor })
  t.equal(response.headers['x-service-touched'], ofProject)
  t.ok(Number(response.headers['x-service-touches']) > sequence)
  clock.advance(25_000)
  const late = await other.response
  t.match(late, { events: [], cursor, headers: { 'x-service-touched': '' } })
})

t.test(
  'topics that changed before the request are answered at once, and an event comes with its topic',
  async (t) => {
    const cursor = await fetchNewestCursor(chat)
    const { sequence } = workspace.events.changeTopics
    const waiting = await holdRequest(chat, grace, cursor, `touch=${ofRoom}`)
    const id = await chat.post(owner, room, 'Both')
    t.match(await waiting.response, { events: [{ messageId: id }], headers: { 'x-service-touched': ofRoom } })
    const head = await fetchNewestCursor(chat)
    const response = await pollEvents(chat, grace, `since=${head}&touch=${ofRoom}&touched=${sequence}`)
    t.match(response, { events: [], cursor: head, headers: { 'x-service-touched': ofRoom } })
  },
)

t.test('topics that a caller may not see, and unknown topics, are ignored', async (t) => {
  const unknown = ['room:general', 'project:general', 'document:doc_1', 'member:', 'a+b', 'events:1', '']
  const seenBy = async (actor: Actor) =>
    (await touchedAfter(0, [...everything, `document:${draft}`], actor)).topics
  const own = (actor: Actor, ...topics: string[]) => ['workspace', 'presence', ...topics, member(actor)]
  const inProject = [ofProject, ofDocument, ofPost, ofPresence, ofBoard]
  t.same(await seenBy(linus), own(linus, ofRoom))
  t.same(await seenBy(grace), [...own(grace, ofRoom, ...inProject), member(bot), `document:${draft}`])
  t.same(
    await seenBy(owner),
    everything.filter((topic) => topic !== `document:${card}`),
    'administrators follow all but others’ drafts',
  )
  t.same((await touchedAfter(0, unknown)).topics, [])
  const { key } = await workspace.stores.members.addKey(bot.member.id, { scopes: ['mentions:read'] })
  t.same(await seenBy({ ...bot, key }), own(bot), 'a key follows nothing that it may not read')

  const waiting = await holdRequest(chat, grace, await fetchNewestCursor(chat), `touch=${ofProject}`)
  await workspace.stores.projects.leave(project, grace.member)
  const { sequence } = workspace.events.changeTopics
  await write('plan.md', '## the goal\n\nWithout Grace.\n')
  clock.advance(25_000)
  const { headers, events } = await waiting.response
  t.same([events, headers['x-service-touched']], [[], ''], 'nor what the caller lost while waiting')
  t.ok(Number(headers['x-service-touches']) >= sequence)
})

t.test('a write by another process changes the topic workspace', async (t) => {
  const { sequence } = workspace.events.changeTopics
  const waiting = await holdRequest(
    chat,
    owner,
    await fetchNewestCursor(chat),
    `touch=workspace&touched=${sequence}`,
  )
  const db = new Sqlite(join(home, '.workroom', 'workroom.db'))
  db.exec(`UPDATE members SET status_text = 'Elsewhere' WHERE id = '${linus.member.id}'`)
  db.close()
  t.match(await waiting.response, { events: [], headers: { 'x-service-touched': 'workspace' } })
})

t.test(
  'without touch no topic is answered, and too many topics or an invalid sequence are refused',
  async (t) => {
    const { headers } = await pollEvents(chat, owner, 'wait=0&touched=1')
    t.notOk('x-service-touches' in headers || 'x-service-touched' in headers)
    const now = await pollEvents(chat, owner, 'wait=0&touch=workspace&touched=')
    t.equal(now.headers['x-service-touched'], '', 'an empty sequence means now')
    const topics = (count: number) => Array.from({ length: count }, (_, place) => `room:${place}`).join()
    t.equal((await pollEvents(chat, owner, `wait=0&touch=${topics(20)}`)).status, 200)
    t.match(await pollEvents(chat, owner, `wait=0&touch=${topics(21)}`), {
      status: 400,
      error: /at most 20 topics/,
    })
    for (const touched of ['x', '-1', '1.5', '1e30']) {
      const refused = await pollEvents(chat, owner, `wait=0&touch=workspace&touched=${touched}`)
      t.match(refused, { status: 400, error: /X-Service-Touches/ }, touched)
    }
  },
)

t.test('after a restart all followed topics count as changed', async (t) => {
  const { sequence } = workspace.events.changeTopics
  await chat.restart()
  const touched = await touchedAfter(sequence, [ofRoom, 'workspace'])
  t.same(touched.topics, [ofRoom, 'workspace'])
  t.same((await touchedAfter(touched.sequence, [ofRoom, 'workspace'])).topics, [])
})
