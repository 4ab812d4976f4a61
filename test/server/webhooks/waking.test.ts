import t from 'tap'
import { webhookEvents } from '../../../core/webhooks/types.ts'
import { type Actor, mention } from '../../support/chat.ts'
import { openWebhookChat, type WebhookAgent } from '../../support/webhooks.ts'

const chat = await openWebhookChat(t)
const { call, clock, owner, receiver, request } = chat
const tree = '/v1/fs/projects/general'
const general = chat.workspace.stores.projects.find('general')!

const agent = async (name: string, options = {}) => {
  const bot = await chat.addAgentWithWebhook(name, { events: webhookEvents, ...options })
  await chat.workspace.stores.projects.join(general, bot.member, 'member')
  return bot
}
const events = async (bot: WebhookAgent) => (await chat.receivedRequests(bot)).map(({ json }) => json.event)
const last = async (bot: WebhookAgent) => (await chat.receivedRequests(bot)).at(-1)!.json
const inboxOf = async ({ key }: Actor) => (await request('GET', '/v1/inbox', { key })).json.records
const put = (path: string, body: string, { key }: Actor = owner) =>
  request('PUT', `${tree}/${path}`, { key, body })
const comment = (actor: Actor, path: string, body: string, parentId?: string) =>
  request('POST', `${path}/comments`, { key: actor.key, body: { body, parentId } })

t.test('a message in a direct room wakes an agent, and one in another room does not', async (t) => {
  const bot = await agent('Direct')
  const room = await chat.room(owner, { type: 'direct', members: [bot.member.id] })
  const open = await chat.room(owner)
  await chat.invite(owner, open._id, bot)
  await chat.post(owner, open._id, 'To all of you.')
  await chat.post(owner, room._id, 'To you.')
  t.strictSame(await events(bot), ['message.created'])
  t.match(await last(bot), { room: { type: 'direct' }, message: { body: 'To you.' } })
  t.equal((await chat.detail(bot, room._id)).involvement, 'everything')
  t.equal((await chat.detail(bot, open._id)).involvement, 'mentions')
})

t.test('a reply in a thread that it wrote in wakes an agent, with the earlier messages', async (t) => {
  const bot = await agent('Threaded')
  const off = await agent('Unthreaded', { events: ['mention'] })
  const all = await agent('Everything')
  const room = await chat.room(owner)
  for (const one of [bot, off, all]) await chat.invite(owner, room._id, one)
  await call(all, 'PUT', `/rooms/${room._id}/involvement`, { involvement: 'everything' })
  const threadId = await chat.post(owner, room._id, `Who can help? ${mention(owner)}`)
  for (const one of [bot, off, all]) await chat.post(one, room._id, `I, ${one.name}.`, { threadId })
  await chat.advance(1000)
  const before = (await events(all)).length
  const messageId = await chat.post(owner, room._id, 'Thank you.', { threadId })
  const { event, message, thread } = await last(bot)
  t.match([event, message], ['reply', { id: messageId, threadId, body: 'Thank you.' }])
  t.strictSame(thread.id, threadId)
  t.match(
    thread.earlier.map(({ bodyText }: { bodyText: string }) => bodyText),
    ['Who can help? @Ada', 'I, Threaded.', 'I, Unthreaded.', 'I, Everything.'],
  )
  t.match(thread.earlier[0], { id: threadId, authorId: owner.member.id, authorType: 'human' })
  t.strictSame((await chat.receivedRequests(off)).length, 0)
  t.strictSame((await events(all)).slice(before), ['message.created'], 'one call for a message')
  t.match(await inboxOf(bot), [{ kind: 'reply', _id: messageId }])
})

t.test('a comment on its post wakes an agent, and so does a reply to its comment', async (t) => {
  const bot = await agent('Author')
  const post = (await put('posts/mine.md', '# Mine\n', bot)).json
  const path = `/v1/posts/${post.id}`
  receiver.respondWith(bot.name, 'Thanks!')
  const first = (await comment(owner, path, 'Well done.')).json.comment
  t.match(await last(bot), { event: 'comment', post: { id: post.id }, comment: { id: first._id } })
  const { comments } = (await request('GET', `${path}/comments`)).json
  t.match(comments.at(-1), { body: 'Thanks!', parentId: first._id, author: { name: 'Author' } })
  receiver.respondWith(bot.name, 204)
  await comment(owner, path, 'You are welcome.', first._id)
  const reply = await last(bot)
  t.match(reply, { event: 'reply', thread: { id: first._id } })
  t.strictSame(
    reply.thread.earlier.map(({ bodyText }: { bodyText: string }) => bodyText),
    ['Well done.', 'Thanks!'],
  )
  t.match(
    (await inboxOf(bot)).map(({ kind }: { kind: string }) => kind),
    ['reply', 'comment'],
  )
})

t.test('a card that is assigned to an agent wakes it, at each assignment', async (t) => {
  const bot = await agent('Worker')
  receiver.respondWith(bot.name, 'I am on it.')
  const written = '---\nassignees: [Worker]\n---\n# Fix the door\n\nIt squeaks.\n'
  const card = (await put('board/02-todo/new.md', written)).json
  const delivery = await last(bot)
  t.match(delivery, {
    event: 'assigned',
    project: { slug: 'general' },
    card: { id: card.id, title: 'Fix the door', column: '02-todo', path: card.path },
    assignedBy: { id: owner.member.id, name: 'Ada', type: 'human' },
  })
  t.match(delivery.card.bodyText, 'It squeaks.')
  const { comments } = (await request('GET', `/v1/documents/${card.id}/comments`)).json
  t.match(comments, [{ body: 'I am on it.', author: { name: 'Worker' } }])
  t.match(await inboxOf(bot), [{ kind: 'card', title: 'Fix the door' }])
  await request('PUT', card.path, { body: '# Fix the door\n' })
  await request('PUT', card.path, { body: written })
  t.strictSame(await events(bot), ['assigned', 'assigned'])
})

t.test('an ask assigned to an agent wakes it, and its answer goes below the announcement', async (t) => {
  const bot = await agent('Asked')
  const room = await chat.room(owner, { projectId: general.id })
  await chat.invite(owner, room._id, bot)
  receiver.respondWith(bot.name, 'Mine.')
  const fields = { project: 'general', title: 'Count the boats', body: 'All of them.', roomId: room._id }
  const { askId } = (await call(owner, 'POST', '/asks', fields)).json
  await call(owner, 'PUT', `/asks/${askId}/assignees`, { assignees: [bot.member.id] })
  const assigned = await last(bot)
  t.match(assigned, {
    event: 'assigned',
    ask: { id: askId, title: 'Count the boats', bodyText: 'All of them.', state: 'open' },
  })
  t.equal((await request('GET', assigned.ask.path, { key: bot.key })).json.ask._id, askId)
  const { page } = await chat.page(owner, room._id)
  t.match((await chat.page(owner, room._id, `thread=${page[0]!._id}`)).page.at(-1), { body: 'Mine.' })
  t.match(await inboxOf(bot), [{ kind: 'ask' }])
  await call(owner, 'POST', '/asks', { ...fields, assignees: [bot.member.id] })
  t.strictSame(await events(bot), ['assigned', 'mention'], 'one call for an ask that mentions it')
})

t.test('each kind of wake can be switched off', async (t) => {
  const kinds = ['reply', 'comment', 'assigned'] as const
  for (const off of kinds) {
    const name = `Without ${off}`
    const bot = await agent(name, { events: webhookEvents.filter((event) => event !== off) })
    const post = (await put(`posts/${off}.md`, `# By ${name}\n`, bot)).json
    const own = (await comment(bot, `/v1/posts/${post.id}`, 'Mine.')).json.comment
    await comment(owner, `/v1/posts/${post.id}`, 'A comment.')
    await comment(owner, `/v1/posts/${post.id}`, 'A reply.', own._id)
    await put(`board/02-todo/${off}.md`, `---\nassignees: [${name}]\n---\n# For ${name}\n`)
    const on = kinds.filter((kind) => kind !== off).sort()
    t.strictSame((await events(bot)).sort(), on, name)
    const kindsInInbox = (await inboxOf(bot)).map(({ kind }: { kind: string }) => kind)
    t.strictSame(kindsInInbox.sort(), ['card', 'comment', 'reply'], 'the inbox has all')
  }
})

t.test('agents that assign a card to each other are stopped', async (t) => {
  const [one, other] = [await agent('Ping'), await agent('Pong')]
  const card = (await put('board/01-triage/ball.md', '# Ball\n')).json
  for (let turn = 0; turn < 30; turn++) {
    const [from, to] = turn % 2 === 0 ? [one, other] : [other, one]
    const body = `---\nassignees: [${to.name}]\n---\n# Ball\n`
    await request('PUT', card.path, { key: from.key, body })
  }
  const held = (await chat.deliveries(other)).filter(({ state }) => state === 'held')
  t.ok(held.length > 0, `${held.length} are held`)
})

t.test('only its owner and a workspace owner set an agent’s webhook, keys and involvement', async (t) => {
  const [grace, linus] = [await chat.person('Grace', 'general'), await chat.person('Linus', 'general')]
  const bot = await chat.agent('Hers', { ownerId: grace.member.id })
  const room = await chat.room(owner)
  await chat.invite(owner, room._id, bot)
  const involvement = { involvement: 'everything', memberId: bot.member.id }
  const steps: [string, string, object][] = [
    ['PUT', `/rooms/${room._id}/involvement`, involvement],
    ['PUT', `/members/${bot.member.id}/webhook`, { url: receiver.urlOf('Hers') }],
    ['POST', `/members/${bot.member.id}/keys`, { label: 'second' }],
  ]
  for (const [method, path, body] of steps) {
    t.equal((await call(linus, method, path, body)).status, 403, `${method} ${path}`)
    t.ok((await call(grace, method, path, body)).status < 300, `${method} ${path}`)
    t.ok((await call(owner, method, path, body)).status < 300, `${method} ${path}`)
  }
  t.equal((await chat.detail(bot, room._id)).involvement, 'everything')
  const unknown = await call(owner, 'PUT', `/rooms/${room._id}/involvement`, {
    ...involvement,
    memberId: 'x',
  })
  t.equal(unknown.status, 404)
  clock.advance(1000)
})
