import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import type { CommentView } from '../../../core/comments/types.ts'
import { type Actor, mention } from '../../support/chat.ts'
import { eventsOf } from '../../support/event-log.ts'
import type { RequestOptions } from '../../support/http-client.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { clock, owner, request } = workroom
const project = '/v1/fs/projects/general'
const grace = await workroom.addMember({ name: 'Grace', type: 'human' }, 'general')
const admin = await workroom.addMember({ name: 'Alan', type: 'human', role: 'admin' }, 'general')
const bot = await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')
const stranger = await workroom.addMember({ name: 'Stranger', type: 'human' })
const outsider = await workroom.addMember({ name: 'Outsider', type: 'agent' })
const reader = await workroom.addMember({ name: 'Reader', type: 'agent', scopes: ['posts:read'] }, 'general')
const writer = await workroom.addMember({ name: 'Writer', type: 'agent', scopes: ['posts:write'] }, 'general')

/** Publishes a post, or saves a draft. */
async function write(title: string, { folder = 'posts', actor = owner as Actor, text = 'Text.' } = {}) {
  clock.advance(1000)
  const name = title.toLowerCase().replaceAll(' ', '-')
  const body = `# ${title}\n\n${text}\n`
  const {
    json,
    status,
    text: said,
  } = await request('PUT', `${project}/${folder}/${name}.md`, { body, key: actor.key })
  if (status !== 201) throw new Error(said)
  return json as { id: string; path: string }
}
const pathOf = (postId: string) => `/v1/posts/${postId}/comments`
/** Sends a request about comments, and returns any answer. */
const send = (actor: Actor, method: string, path: string, body?: unknown, options: RequestOptions = {}) =>
  request(method, path, { key: actor.key, ...(body !== undefined && { body }), ...options })
async function comment(actor: Actor, postId: string, body: string, parentId?: string): Promise<CommentView> {
  clock.advance(1000)
  const response = await send(actor, 'POST', pathOf(postId), { body, ...(parentId && { parentId }) })
  if (response.status !== 201) throw new Error(`${response.status} ${response.text}`)
  return response.json.comment
}
const list = async (postId: string, query = ''): Promise<CommentView[]> =>
  (await send(grace, 'GET', `${pathOf(postId)}${query}`)).json.comments
const bodies = async (postId: string) => (await list(postId)).map(({ body }) => body)
const remove = (actor: Actor, postId: string, id: string) => send(actor, 'DELETE', `${pathOf(postId)}/${id}`)
const inboxOf = async ({ key }: Actor) => (await request('GET', '/v1/fs/inbox/mentions.md', { key })).text
const countIn = async (path: string) =>
  Number(/^comments: (\d+)$/m.exec((await request('GET', path)).text)?.[1])
const rowsOf = (sql: string, ...values: string[]) => {
  const db = new Sqlite(join(workroom.home, '.workroom', 'workroom.db'), { readonly: true })
  try {
    return db.prepare(sql).all(...values)
  } finally {
    db.close()
  }
}
const isFound = (id: string) =>
  rowsOf("SELECT 1 FROM search_entries WHERE type = 'comment' AND subject_id = ?", id).length === 1

t.test('a comment is answered as it is read, and comments are listed oldest first', async (t) => {
  const { id: postId } = await write('Talked about')
  t.same((await send(grace, 'GET', pathOf(postId))).json, { comments: [], nextCursor: null })
  const body = `Dear ${mention(owner)}, “ü” 🎉 \u2028\n\n# no heading`
  const response = await send(grace, 'POST', pathOf(postId), { body })
  t.equal(response.status, 201)
  const first = response.json.comment
  t.match(first._id, /^cmt_[0-9a-hjkmnp-tv-z]{26}$/)
  t.strictSame(response.json, {
    comment: {
      _id: first._id,
      postId,
      parentId: null,
      body,
      author: { _id: grace.member.id, name: 'Grace', type: 'human' },
      createdAt: clock.now(),
    },
  })
  const second = await comment(bot, postId, 'Agreed', first._id)
  t.match(second, { parentId: first._id, author: { type: 'agent' } })
  const third = await comment(owner, postId, 'And more')
  t.strictSame(await list(postId), [first, second, third])
  t.strictSame(await list(postId.toUpperCase()), [first, second, third], 'ids are read in either case')
  t.ok(
    [first, second, third].every(({ _id }) => isFound(_id)),
    'all of them can be found',
  )
})

t.test('a comment shows on its post at once, without a write of the post', async (t) => {
  const { id, path } = await write('Noted')
  await write('Later')
  const before = await request('GET', path)
  const since = eventsOf(workroom.home).length
  await comment(grace, id, 'First')
  const headers = { 'If-None-Match': before.headers.etag as string }
  const after = await request('GET', path, { headers })
  t.equal(after.status, 200, 'the envelope has changed: no 304')
  t.match(after.text, /^comments: 1$/m)
  t.equal(after.headers.etag, before.headers.etag)
  t.equal(after.text.replace('comments: 1', 'comments: 0'), before.text)
  t.equal((await request('GET', `${path}/_revisions`)).json.revisions.length, 1)
  t.equal(eventsOf(workroom.home).length, since, 'no doc.write is logged')
  const { posts } = (await request('GET', `${project}/posts`)).json
  t.equal(posts[0].id, id, 'the post with the latest activity comes first')
})

t.test('an invalid comment is refused, and nothing is written', async (t) => {
  const post = await write('Strict')
  const other = await write('Other')
  const draft = await write('Mine', { folder: 'drafts' })
  const hers = await write('Hers', { folder: 'drafts', actor: grace })
  const document = await write('Plan', { folder: 'docs' })
  const top = await comment(grace, post.id, 'Top')
  const reply = await comment(grace, post.id, 'Reply', top._id)
  const elsewhere = await comment(grace, other.id, 'Elsewhere')
  const gone = await comment(grace, post.id, 'Gone')
  await remove(grace, post.id, gone._id)
  const on = (postId: string, body: unknown, status: number, message: RegExp) =>
    [postId, body, status, message] as const
  for (const [postId, body, status, message] of [
    on(post.id, {}, 400, /must contain the field body/),
    on(post.id, { body: 7 }, 400, /body must be a text/),
    on(post.id, { body: 'x', parentId: 7 }, 400, /parentId must be a text/),
    on(post.id, { body: ' \n\t' }, 400, /must not be blank/),
    on(post.id, { body: 'é'.repeat(32_001) }, 400, /at most 32000 characters/),
    on(post.id, { body: 'a\0b' }, 400, /an invalid character/),
    on(post.id, { body: 'x', parentId: reply._id }, 400, new RegExp(`is a reply itself.* ${top._id}`)),
    on(post.id, { body: 'x', parentId: gone._id }, 400, /was deleted/),
    on(post.id, { body: 'x', parentId: elsewhere._id }, 404, /no comment cmt_.* on this post/),
    on(post.id, { body: 'x', parentId: 'cmt_none' }, 404, /no comment cmt_none/),
    on('doc_none', { body: 'x' }, 404, /no post "doc_none"/),
    on(document.id, { body: 'x' }, 404, /no post/),
    on(hers.id, { body: 'x' }, 404, /no post/),
    on(draft.id, { body: 'x' }, 400, /a draft. Publish it first/),
  ]) {
    const response = await send(owner, 'POST', pathOf(postId), body)
    t.match([response.status, response.json.error], [status, message])
  }
  t.same(await bodies(post.id), ['Top', 'Reply'], 'none of these was written')
  t.equal(
    (await send(owner, 'POST', pathOf(post.id), { body: 'é'.repeat(32_000), parentId: null })).status,
    201,
  )
  t.equal(await countIn(post.path), 3)
})

t.test('commenting needs membership of the project, and a key with the scope', async (t) => {
  const { id: postId } = await write('Closed')
  const top = await comment(grace, postId, 'Hers')
  const one = `${pathOf(postId)}/${top._id}`
  const call = (actor: Actor, method: string, path: string, status: number, message = /^$/) =>
    [actor, method, path, status, message] as const
  for (const [actor, method, path, status, message] of [
    call(stranger, 'GET', pathOf(postId), 403, /not a member of the project general/),
    call(stranger, 'POST', pathOf(postId), 403, /not a member of the project general/),
    call(stranger, 'DELETE', one, 403, /not a member of the project general/),
    call(outsider, 'POST', pathOf(postId), 403, /not a member of the project general/),
    call(reader, 'GET', pathOf(postId), 200),
    call(reader, 'POST', pathOf(postId), 403, /lacks the scope posts:write/),
    call(reader, 'DELETE', one, 403, /lacks the scope posts:write/),
    call(writer, 'GET', pathOf(postId), 403, /lacks the scope posts:read/),
    call(writer, 'POST', pathOf(postId), 201),
    call(admin, 'GET', pathOf(postId), 200),
    call(admin, 'POST', pathOf(postId), 201),
    call(writer, 'DELETE', one, 403, /Only its author or a workspace owner or admin may delete this comment/),
    call(bot, 'DELETE', `${pathOf(postId)}/cmt_none`, 404, /no comment cmt_none/),
    call(bot, 'PUT', one, 405, /PUT/),
  ]) {
    const response = await send(actor, method, path, method === 'POST' ? { body: 'x' } : undefined)
    t.match([response.status, response.json.error ?? ''], [status, message], `${actor.member.name} ${method}`)
  }
  t.equal((await request('GET', pathOf(postId), { key: undefined })).status, 401)
})

t.test('a deleted comment stays for its replies without its text, and is gone without any', async (t) => {
  const { id: postId, path } = await write('Cleared')
  const other = await write('Not cleared')
  const [one, two, three] = [
    await comment(grace, postId, `One ${mention(bot)}`),
    await comment(bot, postId, 'Two'),
    await comment(grace, postId, 'Three'),
  ]
  const reply = await comment(owner, postId, 'To one', one._id)
  t.match(await inboxOf(bot), one._id)
  t.equal((await remove(grace, other.id, one._id)).status, 404, 'on another post it is not found')
  for (const [actor, { _id }] of [
    [grace, one],
    [grace, one],
    [admin, two],
    [owner, three],
  ] as const) {
    const response = await remove(actor, postId, _id)
    t.same([response.status, response.json], [200, { ok: true }])
    t.notOk(isFound(_id))
  }
  t.strictSame(await list(postId), [{ ...one, body: '', deleted: true }, reply])
  t.equal(await countIn(path), 1)
  t.notMatch(await inboxOf(bot), one._id)
  await remove(owner, postId, reply._id)
  t.same(await list(postId), [], 'without replies nothing is left of it')
  t.equal(await countIn(path), 0)
})

t.test('requests with the same Idempotency-Key post one comment', async (t) => {
  const { id: postId, path } = await write('Once')
  const headers = { 'Idempotency-Key': 'key 1' }
  const rooms = (await request('GET', '/api/rooms')).json
  await request('POST', `/api/rooms/${rooms[0]._id}/messages`, { body: { body: 'Hello' }, headers })
  const post = (body: string, actor: Actor = owner) =>
    send(actor, 'POST', pathOf(postId), { body }, { headers })
  const responses = await Promise.all([post('One'), post('One')])
  t.same(responses[0]!.json, responses[1]!.json)
  t.same((await post('Else')).json, responses[0]!.json)
  t.match((await post('Hers', grace)).json.comment, { body: 'Hers' })
  t.same(await bodies(postId), ['One', 'Hers'], 'the key of a message is another one')
  t.equal(await countIn(path), 2)
  const long = { headers: { 'Idempotency-Key': 'k'.repeat(129) } }
  t.equal((await send(owner, 'POST', pathOf(postId), { body: 'x' }, long)).status, 400)
})

t.test('a mention in a comment is in the inbox, with the post', async (t) => {
  const { id: postId, path } = await write('Discussed')
  /** Returns who has the comment in the inbox. */
  const notified = async ({ _id }: CommentView) => {
    const names = []
    for (const actor of [owner, grace, bot, admin, stranger, outsider])
      if ((await inboxOf(actor)).includes(_id)) names.push(actor.member.name)
    return names
  }
  const everybody = [owner, grace, bot, stranger, outsider].map(mention).join(' ')
  const first = await comment(owner, postId, `${everybody} and @Alan`)
  t.same(await notified(first), ['Grace', 'Bot'], 'no bare name, no author, and only readers of the post')
  const line = (await inboxOf(grace)).split('\n').find((text) => text.includes(first._id))
  t.match(
    line,
    `**Ada** in a comment (\`${pathOf(postId)}\`) on *Discussed*: \`${path}\` · \`${first._id}\` · `,
  )
  t.match(line, '@Grace @Bot @Stranger')
  t.match((await request('GET', '/v1/fs', { key: grace.key })).text, first._id, 'the orientation shows it')

  await request('POST', '/api/presence', { body: {}, key: grace.key })
  t.same(await notified(await comment(bot, postId, '@[here](__here__)')), ['Grace'])
  t.same(await notified(await comment(bot, postId, '@[channel](__channel__)')), ['Ada', 'Grace', 'Alan'])
  t.same(await notified(await comment(grace, postId, '@[everyone](__everyone__)')), ['Ada', 'Bot', 'Alan'])

  const read = await send(grace, 'POST', '/api/inbox/read', { ids: [first._id] })
  t.same(read.json, { read: 1 })
  t.same(await notified(first), ['Bot'])
  await request('DELETE', path)
  t.same(await notified(first), [], 'the comments of a deleted post leave the inbox')
})

t.test('a long list of comments is read page by page', async (t) => {
  const { id: postId } = await write('Long')
  const other = await write('Short')
  const ids: string[] = []
  for (const body of ['1', '2', '3', '4', '5']) ids.push((await comment(bot, postId, body))._id)
  const pages: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await send(grace, 'GET', `${pathOf(postId)}?limit=2&cursor=${cursor}`)
    pages.push(json.comments.map(({ body }: CommentView) => body).join(' '))
    cursor = json.nextCursor
  }
  t.same(pages, ['1 2', '3 4', '5'])
  await remove(owner, postId, ids[1]!)
  const next = await send(grace, 'GET', `${pathOf(postId)}?limit=9999&cursor=${ids[1]}`)
  t.equal(next.json.comments.length, 3, 'also after a deleted one')
  for (const query of ['limit=0', 'limit=x', 'limit=-1', 'cursor=cmt_none', 'limit=1&limit=2'])
    t.equal((await send(grace, 'GET', `${pathOf(postId)}?${query}`)).status, 400, query)
  t.equal((await send(grace, 'GET', `${pathOf(other.id)}?cursor=${ids[0]}`)).status, 400)
  const text = 'x'.repeat(32_000)
  for (let n = 0; n < 32; n++)
    workroom.workspace.comments.posts.post(callerOf(owner), other.id, { body: text })
  await comment(owner, other.id, 'Last')
  const { json } = await send(grace, 'GET', pathOf(other.id))
  t.equal(json.comments.length, 31, 'a page also ends by size')
  t.equal((await list(other.id, `?cursor=${json.nextCursor}`)).at(-1)!.body, 'Last')
})

t.test('a deleted post keeps its count of comments, which are 404', async (t) => {
  const { id: postId, path } = await write('Withdrawn')
  const { _id } = await comment(grace, postId, 'Pity')
  await request('DELETE', path)
  t.same(rowsOf('SELECT comment_count FROM documents WHERE id = ?', postId), [{ comment_count: 1 }])
  for (const response of [
    await send(grace, 'GET', pathOf(postId)),
    await send(grace, 'POST', pathOf(postId), { body: 'Still there?' }),
    await remove(owner, postId, _id),
  ])
    t.equal(response.status, 404)
})

t.test('in an archived project comments can be read and not written', async (t) => {
  const { member } = owner
  const lab = await workroom.workspace.projects.create(callerOf(owner), { name: 'Lab' })
  const put = await request('PUT', `/v1/fs/projects/${lab.slug}/posts/old.md`, { body: '# Old\n' })
  const postId = put.json.id
  const { _id } = await comment(owner, postId, 'Before')
  await workroom.workspace.stores.projects.change(lab, { archived: true })
  t.equal((await send(owner, 'GET', pathOf(postId))).json.comments.length, 1)
  t.equal((await send(owner, 'POST', pathOf(postId), { body: 'x' })).status, 409)
  t.equal((await remove(owner, postId, _id)).status, 409)
  t.throws(() => workroom.workspace.stores.comments.postAs(member, postId, { body: 'x' }), {
    code: 'conflict',
  })
})

function callerOf({ member }: Actor) {
  return { member, keyId: 'key', scopes: new Set(['*'] as const) }
}
