import t from 'tap'
import type { CommentView } from '../../../core/comments/types.ts'
import { type Actor, mention } from '../../support/chat.ts'
import { openWebhookChat } from '../../support/webhooks.ts'

const chat = await openWebhookChat(t)
const { clock, owner, request } = chat
const grace = await chat.addMember({ name: 'Grace', type: 'human' }, 'general')
const bot = await chat.addAgentWithWebhook('Bot')
await chat.workspace.stores.projects.join(
  chat.workspace.stores.projects.find('general')!,
  bot.member,
  'member',
)
const stranger = await chat.addMember({ name: 'Stranger', type: 'human' })
const reader = await chat.addMember({ name: 'Reader', type: 'agent', scopes: ['documents:read'] }, 'general')
const tree = '/v1/fs/projects/general'

async function put(path: string, title: string): Promise<{ id: string; path: string }> {
  clock.advance(1000)
  const { json, status, text } = await request('PUT', `${tree}/${path}`, { body: `# ${title}\n\nText.\n` })
  if (status !== 201) throw new Error(text)
  return json
}
const document = await put('docs/tides.md', 'Tides')
const card = await put('board/02-todo/berth.md', 'Berth')
const pathOf = (id: string) => `/v1/documents/${id}/comments`
const send = (actor: Actor, method: string, path: string, body?: unknown) =>
  request(method, path, { key: actor.key, ...(body !== undefined && { body }) })
async function comment(actor: Actor, id: string, body: string, parentId?: string): Promise<CommentView> {
  clock.advance(1000)
  const response = await send(actor, 'POST', pathOf(id), { body, ...(parentId && { parentId }) })
  if (response.status !== 201) throw new Error(`${response.status} ${response.text}`)
  return response.json.comment
}
const bodies = async (id: string) =>
  (await send(grace, 'GET', pathOf(id))).json.comments.map(({ body }: CommentView) => body)
const countIn = async (path: string) =>
  Number(/^comments: (\d+)$/m.exec((await request('GET', path)).text)?.[1])
const inboxOf = async ({ key }: Actor) => (await request('GET', '/v1/fs/inbox/mentions.md', { key })).text

t.test('documents and cards have comments as posts do, with a correct count', async (t) => {
  for (const { id, path } of [document, card]) {
    const before = (await request('GET', path)).headers.etag
    const top = await comment(grace, id, 'Is this right?')
    t.match(top, { postId: id, parentId: null, author: { name: 'Grace' } })
    const reply = await comment(owner, id, 'It is.', top._id)
    t.strictSame(await bodies(id), ['Is this right?', 'It is.'])
    t.equal(await countIn(path), 2)
    t.equal((await request('GET', path)).headers.etag, before, 'a comment is no revision')
    t.equal((await send(grace, 'DELETE', `${pathOf(id)}/${reply._id}`)).status, 403)
    t.equal((await send(owner, 'DELETE', `${pathOf(id)}/${reply._id}`)).status, 200)
    t.equal(await countIn(path), 1)
    t.match((await request('PUT', `${path}`, { body: '# Changed\n\nText.\n' })).status, 201)
    t.strictSame(await bodies(id), ['Is this right?'], 'they stay when the text changes')
  }
})

t.test('a mention in a comment on a document or card notifies, calls agents and can be found', async (t) => {
  for (const [{ id }, kind] of [
    [document, 'document'],
    [card, 'card'],
  ] as const) {
    const body = `${mention(grace)} and ${mention(bot)} see the ${kind}nautilus`
    const { _id } = await comment(owner, id, body)
    t.match(await inboxOf(grace), `a comment (\`${pathOf(id)}\`) on `)
    const call = (await chat.receivedRequests(bot)).at(-1)!.json
    t.match(call, { event: 'mention', document: { id, kind }, comment: { id: _id } })
    t.notOk('post' in call)
    const find = async (actor: Actor) =>
      (await send(actor, 'GET', `/v1/search?q=${kind}nautilus`)).json.results.map(
        (one: { id: string }) => one.id,
      )
    t.strictSame(await find(grace), [_id])
    t.strictSame(await find(stranger), [])
    t.strictSame(await find(reader), kind === 'document' ? [_id] : [], 'a key finds what its scopes allow')
    const page = await request('GET', `/v1/search?q=${kind}nautilus`)
    t.match(page.json.results[0].url, `?at=${_id}#${_id}`)
  }
  await send(grace, 'POST', '/api/inbox/read', {})
})

t.test('comments are refused outside of the project, and to a key without the scope', async (t) => {
  const { id } = document
  t.equal((await send(stranger, 'GET', pathOf(id))).status, 403)
  t.equal((await send(stranger, 'POST', pathOf(id), { body: 'x' })).status, 403)
  t.equal((await send(reader, 'GET', pathOf(id))).status, 200)
  t.equal((await send(reader, 'POST', pathOf(id), { body: 'x' })).status, 403)
  t.equal((await send(reader, 'GET', pathOf(card.id))).status, 403)
  t.equal((await send(owner, 'GET', pathOf('doc_00000000000000000000000000'))).status, 404)
  t.equal((await send(owner, 'POST', `/v1/posts/${id}/comments`, { body: 'x' })).status, 404, 'it is no post')
  t.equal((await send(owner, 'POST', pathOf(id), { body: ' ' })).status, 400)
  t.equal((await send(owner, 'POST', pathOf(id), { body: 'x', colour: 'red' })).status, 400)
})

t.test('an author can change a comment, and only new mentions notify', async (t) => {
  const post = await put('posts/news.md', 'News')
  for (const list of [pathOf(document.id), `/v1/posts/${post.id}/comments`]) {
    const sent = (await send(owner, 'POST', list, { body: `First ${mention(bot)}` })).json.comment
    const path = `${list}/${sent._id}`
    const called = (await chat.receivedRequests(bot)).length
    clock.advance(1000)
    const response = await send(owner, 'PATCH', path, { body: `Second ${mention(bot)} ${mention(grace)}` })
    t.equal(response.status, 200)
    t.strictSame(response.json.comment, {
      ...sent,
      body: `Second ${mention(bot)} ${mention(grace)}`,
      editedAt: clock.now(),
    })
    t.match(await inboxOf(grace), sent._id)
    t.equal((await chat.receivedRequests(bot)).length, called, 'nobody is called twice')
    clock.advance(1000)
    await send(owner, 'PATCH', path, { body: 'Third' })
    t.notMatch(await inboxOf(grace), sent._id, 'a removed mention is gone')
    t.equal((await send(grace, 'PATCH', path, { body: 'Mine' })).status, 403)
    t.equal((await send(owner, 'PATCH', path, { body: '' })).status, 400)
    await send(owner, 'DELETE', path)
    t.equal((await send(owner, 'PATCH', path, { body: 'Back' })).status, 409)
    t.equal((await send(owner, 'PATCH', `${list}/cmt_0`, { body: 'x' })).status, 404)
  }
})
