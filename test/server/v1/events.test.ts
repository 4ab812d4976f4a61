import { appendFileSync } from 'node:fs'
import t from 'tap'
import { type Actor, mention, openChat } from '../../support/chat.ts'
import { type EventView, fetchEvents, fetchNewestCursor } from '../../support/live-events.ts'

const chat = await openChat(t)
const { clock, home, owner, request, workspace } = chat
const project = '/v1/fs/projects/general'
const grace = await chat.person('Grace', 'general')
const bot = await chat.agent('Bot')
const { _id: room } = await chat.room(grace, { name: 'Talk', members: [bot.member.id] })

const put = async (actor: Actor, path: string, body: string) =>
  (await request('PUT', path, { body, key: actor.key })).json
const since = () => fetchNewestCursor(chat)
const eventsSince = async (actor: Actor, cursor: number, query = ''): Promise<EventView[]> =>
  (await fetchEvents(chat, actor, cursor, query)).events

t.test('a message is an event for members of the room, with its room, author and text', async (t) => {
  const cursor = await since()
  clock.advance(1000)
  const messageId = await chat.post(bot, room, 'Hello, room')
  t.strictSame(await eventsSince(grace, cursor), [
    {
      type: 'message',
      ts: clock.now(),
      roomId: room,
      roomName: 'Talk',
      messageId,
      author: 'Bot',
      authorId: bot.member.id,
      authorType: 'agent',
      preview: 'Hello, room',
      mentioned: false,
    },
  ])
  t.same(await eventsSince(owner, cursor), [], 'nothing for a member outside of the room')
  const replyId = await chat.post(grace, room, 'Hello, Bot', { threadId: messageId })
  t.match(
    await eventsSince(bot, cursor),
    [{ messageId: replyId, threadId: messageId }],
    'a reply names its thread',
  )
})

t.test('own messages come only with includeOwn=1', async (t) => {
  const cursor = await since()
  const messageId = await chat.post(grace, room, 'I said')
  t.same(await eventsSince(grace, cursor), [])
  t.same(await eventsSince(grace, cursor, 'includeOwn=true'), [])
  t.match(await eventsSince(grace, cursor, 'includeOwn=1'), [{ messageId, author: 'Grace' }])
})

t.test('mentioned is true for a mention by id and for a broadcast', async (t) => {
  const cursor = await since()
  const texts = [
    'Nobody',
    `You: ${mention(bot)}`,
    `Me: ${mention(grace)}`,
    '@[here](__here__)',
    '@Bot (mem_1)',
  ]
  for (const text of texts) await chat.post(grace, room, text)
  for (const id of ['channel', 'everyone']) await chat.post(grace, room, `@[${id}](__${id}__)`)
  const events = await eventsSince(bot, cursor)
  t.same(
    events.map(({ mentioned }) => mentioned),
    [false, true, false, true, false, true, true],
  )
  t.equal(events[1]!.preview, 'You: @Bot')
})

t.test('a preview is 280 characters of the current text, and splits no character', async (t) => {
  const cursor = await since()
  const messageId = await chat.post(grace, room, 'first')
  await chat.post(grace, room, `${'🎉'.repeat(279)}👍🏽 and more`)
  await chat.edit(grace, room, messageId, `second, ${mention(bot)}`)
  const [edited, long] = await eventsSince(bot, cursor)
  t.match(edited, { preview: 'second, @Bot', mentioned: true })
  t.equal(long!.preview, `${'🎉'.repeat(279)}👍`)
})

t.test('a deleted message is skipped', async (t) => {
  const cursor = await since()
  const ids = []
  for (const text of ['one', 'two', 'three']) ids.push(await chat.post(grace, room, text))
  await chat.remove(grace, room, ids[1]!)
  const events = await eventsSince(bot, cursor)
  t.same(
    events.map(({ messageId }) => messageId),
    [ids[0], ids[2]],
  )
})

t.test('a room set to nothing or invisible has no events, not even for mentions', async (t) => {
  const set = (involvement: string) => chat.call(bot, 'PUT', `/rooms/${room}/involvement`, { involvement })
  const cursor = await since()
  await chat.post(grace, room, `Psst ${mention(bot)}`)
  for (const [involvement, count] of [
    ['nothing', 0],
    ['invisible', 0],
    ['mentions', 1],
    ['everything', 1],
  ] as const) {
    await set(involvement)
    t.equal((await eventsSince(bot, cursor)).length, count, involvement)
  }
})

t.test('a room that was left has no events until its member returns', async (t) => {
  const cursor = await since()
  await chat.post(grace, room, 'before')
  await chat.leave(bot, room)
  await chat.post(grace, room, 'between')
  t.same(await eventsSince(bot, cursor), [])
  await chat.join(bot, room)
  t.match(await eventsSince(bot, cursor), [{ preview: 'before' }, { preview: 'between' }])
})

t.test('a write is an event for members of the project, with what it changed and its path', async (t) => {
  const cursor = await since()
  clock.advance(1000)
  const written = await put(owner, `${project}/docs/plan.md`, '# Plan\n\nOne.\n')
  const [event] = await eventsSince(grace, cursor)
  t.strictSame(event, {
    type: 'doc.write',
    ts: clock.now(),
    projectId: workspace.stores.projects.find('general')!.id,
    docType: 'note',
    docId: written.id,
    title: 'Plan',
    path: written.path,
    url: written.url,
    author: 'Ada',
    authorId: owner.member.id,
    authorType: 'human',
    via: 'api',
    changed: true,
    created: true,
    blockIds: written.blockIds,
  })
  t.same(await eventsSince(bot, cursor), [], 'nothing for a member outside of the project')
})

t.test('an event says whether it is a rename, a move or a deletion', async (t) => {
  const first = await put(owner, `${project}/docs/old-name.md`, '# Old name\n')
  const card = await put(owner, `${project}/board/todo/c.md`, '# Card\n')
  const cursor = await since()
  const renamed = await put(owner, first.path, '# New name\n')
  const moved = (await request('POST', `${card.path}/_move`, { body: { toColumn: 'done' } })).json
  await request('DELETE', renamed.path)
  const events = await eventsSince(grace, cursor)
  t.match(events, [
    { type: 'doc.write', docId: first.id, title: 'New name', path: renamed.path, previousPath: first.path },
    {
      type: 'doc.write',
      docType: 'card',
      docId: card.id,
      path: moved.path,
      previousPath: card.path,
      url: moved.url,
    },
    {
      type: 'doc.delete',
      docId: first.id,
      title: 'New name',
      path: renamed.path,
      url: renamed.url,
      deleted: true,
    },
  ])
  t.notOk(events.some((event) => 'created' in event))
  const trash = (await request('GET', `${project}/trash`)).json
  await request('POST', trash.trash[0].path)
  await put(owner, `${project}/docs/brand-new.md`, '# Brand new\n')
  t.match((await eventsSince(grace, cursor)).slice(3), [{ created: true }, { created: true }])
  t.notOk('changed' in events[2]! || 'blockIds' in events[2]! || 'previousPath' in events[2]!)
})

t.test('an event of each kind of file has the URL of its page', async (t) => {
  const cursor = await since()
  const paths = ['docs/guides/x.md', 'posts/p.md', 'board/todo/y.md', 'drafts/d.md']
  const written = []
  for (const [index, path] of paths.entries()) {
    written.push(await put(owner, `${project}/${path}`, `# Pagé ${index}\n`))
  }
  const events = await eventsSince(owner, cursor, 'self=include')
  t.match(
    events,
    written.map(({ id, url, path }) => ({ docId: id, url, path })),
  )
  t.same(
    events.map(({ docType }) => docType),
    ['note', 'post', 'card', 'post'],
  )
})

t.test('own writes come only with self=include, but an edit on the disk is not an own write', async (t) => {
  const { path, id } = await put(owner, `${project}/docs/mine.md`, '# Mine\n')
  const cursor = await since()
  await put(owner, path, '# Mine\n\nMore.\n')
  t.same(await eventsSince(owner, cursor), [])
  t.same(await eventsSince(owner, cursor, 'self=1'), [])
  t.match(await eventsSince(owner, cursor, 'self=include'), [{ docId: id, via: 'api' }])
  await put(grace, path, '# Mine\n\nAnd more.\n')
  appendFileSync(`${home}/projects/general/documents/mine.md`, 'By hand.\n')
  await request('GET', path)
  t.match(await eventsSince(owner, cursor), [
    { authorId: grace.member.id },
    { authorId: owner.member.id, via: 'disk' },
  ])
})

t.test('a draft is restricted for everyone but its author, even after it is published', async (t) => {
  const cursor = await since()
  const draft = await put(owner, `${project}/drafts/secret.md`, '# Secret plan\n')
  const restricted = {
    type: 'doc.write',
    ts: clock.now(),
    projectId: workspace.stores.projects.find('general')!.id,
    docType: 'post',
    docId: draft.id,
    restricted: true,
    author: 'Ada',
    authorId: owner.member.id,
    authorType: 'human',
    via: 'api',
    changed: true,
    blockIds: draft.blockIds,
  }
  t.strictSame(await eventsSince(grace, cursor), [restricted])
  t.match(await eventsSince(owner, cursor, 'self=include'), [{ title: 'Secret plan', path: draft.path }])

  const post = (await request('POST', `${draft.path}/_publish`)).json
  const [before, published] = await eventsSince(grace, cursor)
  t.strictSame(before, restricted)
  t.match(published, { docId: draft.id, title: 'Secret plan', path: post.path, created: true })
  t.notOk('previousPath' in published!, 'the path of the draft stays private')
  const [, own] = await eventsSince(owner, cursor, 'self=include')
  t.equal(own!.previousPath, draft.path)

  const gone = await put(owner, `${project}/drafts/gone.md`, '# Gone\n')
  await request('DELETE', gone.path)
  const [deleted] = (await eventsSince(grace, cursor)).slice(-1)
  t.match(deleted, { type: 'doc.delete', docId: gone.id, restricted: true, deleted: true })
  for (const field of ['title', 'path', 'url']) t.notOk(field in deleted!, field)
})

t.test('project= shows only the documents and rooms of that project', async (t) => {
  await request('POST', '/v1/fs/projects', { body: { name: 'Other' } })
  await workspace.stores.projects.join(workspace.stores.projects.find('other')!, grace.member, 'member')
  const inOther = await chat.room(owner, { projectId: 'other', members: [grace.member.id] })
  await chat.join(owner, room)
  const cursor = await since()
  await chat.post(owner, room, 'general talk')
  const messageId = await chat.post(owner, inOther._id, 'other talk')
  const here = await put(owner, '/v1/fs/projects/other/docs/here.md', '# Here\n')
  const there = await put(owner, `${project}/docs/there.md`, '# There\n')
  const { id } = workspace.stores.projects.find('other')!
  for (const query of ['project=other', `project=${id}`]) {
    t.match(await eventsSince(grace, cursor, query), [{ messageId }, { docId: here.id }], query)
  }
  t.match(await eventsSince(grace, cursor, 'project=general'), [{ docId: there.id }])
  t.equal((await eventsSince(grace, cursor, 'project=')).length, 4, 'an empty one counts as none')
  t.match(await fetchEvents(chat, grace, cursor, 'project=nowhere'), { status: 404, error: /nowhere/ })
  t.match(await fetchEvents(chat, bot, cursor, 'project=other'), { status: 403, error: /not a member/ })
})

t.test('doc= shows only the writes and the deletion of one document', async (t) => {
  const { id, path } = await put(owner, `${project}/docs/watched.md`, '# Watched\n')
  const cursor = await since()
  await put(owner, path, '# Watched\n\nMore.\n')
  await put(owner, `${project}/docs/beside.md`, '# Beside\n')
  await chat.post(owner, room, 'meanwhile')
  await request('DELETE', path)
  t.match(await eventsSince(grace, cursor, `doc=${id}`), [
    { type: 'doc.write', docId: id },
    { type: 'doc.delete', docId: id },
  ])
  t.equal((await eventsSince(grace, cursor, `doc=${id}&project=general`)).length, 2)
  for (const query of [`doc=${id}&project=other`, 'doc=doc_nothing', 'doc=%00']) {
    t.same(await eventsSince(grace, cursor, query), [], query)
  }
  t.same(await eventsSince(bot, cursor, `doc=${id}`), [], 'nor to members who may not see it')
})

t.test('an agent’s key shows only what its scopes allow', async (t) => {
  const add = async (name: string, scopes: string[]) => {
    const agent = await chat.agent(name, { scopes })
    await workspace.stores.projects.join(workspace.stores.projects.find('general')!, agent.member, 'member')
    await chat.join(agent, room)
    return agent
  }
  const listener = await add('Listener', ['rooms:read', 'rooms:write'])
  const clerk = await add('Clerk', ['cards:read', 'rooms:write', 'drafts:read', 'drafts:write'])
  const cursor = await since()
  await chat.post(owner, room, 'to all')
  await put(owner, `${project}/docs/scoped.md`, '# Scoped\n')
  await put(owner, `${project}/posts/scoped.md`, '# Scoped post\n')
  await put(owner, `${project}/drafts/scoped.md`, '# Scoped draft\n')
  await put(owner, `${project}/board/todo/scoped.md`, '# Scoped card\n')
  await put(clerk, `${project}/drafts/own.md`, '# Own draft\n')
  const kinds = async (actor: Actor) =>
    (await eventsSince(actor, cursor, 'self=include')).map(({ type, docType }) => docType ?? type)
  t.same(await kinds(listener), ['message'])
  t.same(await kinds(clerk), ['card', 'post'])
})

t.test('names are the current ones, even of a deactivated member', async (t) => {
  const guest = await chat.person('Guest')
  await chat.join(guest, room)
  const cursor = await since()
  await chat.post(guest, room, 'Bye')
  await chat.call(guest, 'PATCH', `/members/${guest.member.id}`, { name: 'Departed' })
  await workspace.stores.members.setStatus(guest.member.id, 'deactivated')
  t.match(await eventsSince(bot, cursor), [{ author: 'Departed', authorId: guest.member.id }])
})

t.test('an invalid request is 400 with the reason', async (t) => {
  const ahead = clock.now() + 3_600_000.001
  for (const query of [
    'since=x',
    'since=-1',
    `since=${ahead}`,
    'since=1&since=2',
    'wait=1&wait=2',
    'doc=a&doc=b',
  ]) {
    const { status, json } = await request('GET', `/v1/events?${query}`)
    t.equal(status, 400, query)
    t.match(json, { error: /since|wait|doc/, requestId: /^req_/ })
  }
  t.equal((await request('GET', '/v1/events?wait=0', { key: undefined })).status, 401)
  const { status, headers } = await request('POST', '/v1/events')
  t.match({ status, allow: headers.allow }, { status: 405, allow: 'GET, HEAD' })
})

t.test('an answer has the newest and the oldest cursor, and the epoch of the database', async (t) => {
  const response = await fetchEvents(chat, grace, 0)
  t.equal(response.headers['cache-control'], 'no-store')
  t.match(response.headers['content-type'], /^application\/json/)
  t.match(response.headers['x-service-events-epoch'], /^[0-9a-f]{32}$/)
  t.equal(Number(response.headers['x-service-events-head']), response.cursor)
  t.equal(Number(response.headers['x-service-events-oldest']), clock.now() - 86_400_000)
})
