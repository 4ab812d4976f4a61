import t from 'tap'
import { agentScopes } from '../../../core/access/member.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, workspace } = workroom
const project = '/v1/fs/projects/general'
const bot = (await workroom.addMember({ name: 'Bot', type: 'agent' }, 'general')).member

const keyWith = async (...scopes: string[]) => (await workspace.stores.members.addKey(bot.id, { scopes })).key
const all = await keyWith(...agentScopes)
const draft = (await request('PUT', `${project}/drafts/d.md`, { key: all, body: '# D\n' })).json
const card = (await request('PUT', `${project}/board/todo/c.md`, { key: all, body: '# C\n' })).json
const doc = (await request('PUT', `${project}/docs/x.md`, { key: all, body: '# X\n' })).json
const post = (await request('PUT', `${project}/posts/p.md`, { key: all, body: '# P\n' })).json

/** Each call of the tree that needs a scope. */
const guarded: [method: string, path: string, scope: (typeof agentScopes)[number]][] = [
  ['GET', '/v1/fs/projects', 'projects:read'],
  ['GET', project, 'projects:read'],
  ['GET', '/v1/fs/inbox/mentions.md', 'mentions:read'],
  ['GET', '/v1/fs/rooms', 'rooms:read'],
  ['GET', `${project}/posts`, 'posts:read'],
  ['GET', post.path, 'posts:read'],
  ['GET', `${post.path}?view=blocks`, 'posts:read'],
  ['GET', `${post.path}/_revisions`, 'posts:read'],
  ['PUT', post.path, 'posts:write'],
  ['DELETE', post.path, 'posts:write'],
  ['GET', `${project}/drafts`, 'drafts:read'],
  ['GET', draft.path, 'drafts:read'],
  ['PUT', draft.path, 'drafts:write'],
  ['PUT', `${draft.path}?block=k1234567`, 'drafts:write'],
  ['DELETE', draft.path, 'drafts:write'],
  ['GET', `${project}/library`, 'documents:read'],
  ['GET', `${project}/library/documents`, 'documents:read'],
  ['GET', `${project}/docs`, 'documents:read'],
  ['GET', doc.path, 'documents:read'],
  ['GET', `${doc.path}?revision=x`, 'documents:read'],
  ['PUT', doc.path, 'documents:write'],
  ['DELETE', doc.path, 'documents:write'],
  ['GET', `${project}/trash`, 'documents:read'],
  ['GET', `${project}/board`, 'cards:read'],
  ['GET', `${project}/board/todo`, 'cards:read'],
  ['GET', card.path, 'cards:read'],
  ['PUT', card.path, 'cards:write'],
  ['POST', `${card.path}/_move`, 'cards:write'],
  ['POST', `${card.path}/_restore`, 'cards:write'],
  ['DELETE', card.path, 'cards:write'],
]

t.test('a call outside of a key’s scopes is 403 and names the missing scope', async (t) => {
  for (const [method, path, scope] of guarded) {
    const key = await keyWith(...agentScopes.filter((other) => other !== scope))
    const fields = path.endsWith('_move') ? { toColumn: 'done' } : { revision: 'x' }
    const body = method === 'POST' ? fields : method === 'PUT' ? '# X\n' : undefined
    const { status, json } = await request(method, path, { key, body })
    t.match([status, json], [403, { error: 'forbidden', message: scope }], `${method} ${path}`)
  }
  for (const { path } of [draft, card, doc, post])
    t.equal((await request('GET', path, { key: all })).status, 200)
})

t.test('each request needs no scope but its own', async (t) => {
  for (const [method, path, scope] of guarded.filter(([method]) => method === 'GET')) {
    const { status } = await request(method, path, { key: await keyWith(scope) })
    t.equal(status, path.includes('?revision=') ? 404 : 200, path)
  }
  const writer = await keyWith('documents:write')
  t.equal((await request('PUT', `${project}/docs/w.md`, { key: writer, body: '# W\n' })).status, 201)
  t.equal((await request('GET', `${project}/docs/w.md`, { key: writer })).status, 403)
})

t.test('publishing a draft needs the scopes for drafts and for posts', async (t) => {
  const publish = async (...scopes: string[]) =>
    request('POST', `${draft.path}/_publish`, { key: await keyWith(...scopes) })
  t.match((await publish('posts:write', 'drafts:read')).json, { error: 'forbidden', message: /drafts:write/ })
  t.match((await publish('drafts:write', 'drafts:read')).json, { error: 'forbidden', message: /posts:write/ })
  t.equal((await request('GET', draft.path, { key: all })).status, 200)
  t.equal((await publish('drafts:write', 'posts:write')).status, 201)
})

t.test('scheduling a file needs a key that may publish', async (t) => {
  const key = await keyWith('drafts:write', 'drafts:read')
  const body = '---\nscheduledFor: 2100-01-01T00:00:00Z\n---\n# Later\n'
  t.match((await request('PUT', `${project}/drafts/later.md`, { key, body })).json, {
    error: 'forbidden',
    message: /posts:write/,
  })
  const both = await keyWith('drafts:write', 'posts:write')
  const { json } = await request('PUT', `${project}/drafts/later.md`, { key: both, body })
  const text = body.replace('# Later\n', '# Later\n\nMore.\n')
  t.equal((await request('PUT', json.path, { key, body: text })).status, 201, 'the time was there already')
})

t.test('identity needs no scope, and shows the scopes of the key', async (t) => {
  const { status, text, headers } = await request('GET', '/v1/fs/me/api-key', {
    key: await keyWith('rooms:read'),
  })
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/plain; charset=utf-8')
  t.equal(
    text,
    [
      `memberId: ${bot.id}`,
      'name: Bot',
      'type: agent',
      'role: member',
      `workspace: ${workspace.identity.slug}`,
      'scopes: rooms:read',
      '',
    ].join('\n'),
  )
  t.match((await request('GET', '/v1/fs/me/api-key')).text, /\nrole: owner\n[\s\S]*\nscopes: \*\n$/)
  t.match(
    (await request('GET', '/v1/fs/me/api-key', { key: all })).text,
    `scopes: ${agentScopes.join(' ')}\n`,
  )
  t.equal((await request('GET', '/v1/fs', { key: await keyWith('rooms:read') })).status, 200)
})
