import t from 'tap'
import { openDocumentPresence } from '../../support/document-presence.ts'
import type { HttpResponse } from '../../support/http-client.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'
import { renameMember } from '../../support/rename-member.ts'

const presence = await openDocumentPresence(t)
const {
  workroom,
  markdown,
  grace,
  bot,
  sendHeartbeat,
  leave,
  presentIn,
  namesIn,
  blockOf,
  blocksOf,
  blockAt,
} = presence
const { request, clock, home, owner, workspace } = workroom
const project = '/v1/fs/projects/general'
const outsider = await workroom.addMember({ name: 'Eve', type: 'human' })

/** Holds the calls that pass through it, from the moment that it is closed. */
class Gate {
  reached: Promise<void> = Promise.resolve()
  private opened: Promise<void> = Promise.resolve()
  private reach = () => {}
  open = () => {}

  close(): void {
    this.reached = new Promise((resolve) => {
      this.reach = resolve
    })
    this.opened = new Promise((resolve) => {
      this.open = resolve
    })
  }

  async pass<T>(work: Promise<T>): Promise<T> {
    const result = await work
    this.reach()
    await this.opened
    return result
  }
}

const refused = ({ status, json }: HttpResponse) => [status, json.error, json.message]

t.test('a presence call makes the caller present in a document, by default as editing', async (t) => {
  const { id, path } = await workroom.put('Beat', 'Text.\n', { key: bot.key })
  await leave(path, { key: bot.key })
  const { status, json } = await sendHeartbeat(path)
  t.equal(status, 200)
  const ada = {
    memberId: owner.member.id,
    name: 'Ada',
    type: 'human',
    kind: 'editing',
    block: null,
    lastSeenAt: clock.now(),
  }
  t.strictSame(json, {
    document: { id, title: 'Beat', path },
    present: true,
    block: null,
    blockResolved: false,
    here: [ada],
  })
  clock.advance(1000)
  const block = await blockAt(path, 'Text.')
  t.strictSame((await sendHeartbeat(path, `?kind=viewing&block=${block}`, { key: bot.key })).json, {
    document: { id, title: 'Beat', path },
    present: true,
    block,
    blockResolved: true,
    here: [
      {
        memberId: bot.member.id,
        name: 'Bot',
        type: 'agent',
        kind: 'viewing',
        block,
        lastSeenAt: clock.now(),
      },
      ada,
    ],
  })
})

t.test('kind and block are in the query or in JSON, and the query has precedence', async (t) => {
  const { path } = await workroom.put('Either', 'One.\n\nTwo.\n')
  const [one, two] = [await blockAt(path, 'One.'), await blockAt(path, 'Two.')]
  const here = async (query: string, body?: unknown) => {
    const { json } = await sendHeartbeat(path, query, body === undefined ? {} : { body })
    return [json.here[0].kind, json.block]
  }
  t.strictSame(await here('', { kind: 'viewing', block: one }), ['viewing', one])
  t.strictSame(await here(`?block=${two}`, { kind: 'viewing', block: one }), ['viewing', two])
  t.strictSame(await here('?kind=editing', { kind: 'viewing', block: null }), ['editing', null])
})

t.test('each call replaces the whole state: what it omits is not kept', async (t) => {
  const { id, path } = await workroom.put('Whole', 'One.\n')
  await sendHeartbeat(path, `?kind=viewing&block=${await blockAt(path, 'One.')}`)
  clock.advance(10)
  t.match((await sendHeartbeat(path)).json, { block: null, blockResolved: false })
  t.match(await presentIn(id), [{ kind: 'editing', block: null, lastSeenAt: clock.now() }])
})

t.test('a document is found under both of its paths, in sub-folders, and by its old name', async (t) => {
  await request('PUT', `${docs}/guides/setup.md`, { body: '# Setup\n' })
  for (const path of [`${docs}/guides/setup.md`, `${project}/library/documents/guides/setup`])
    t.match((await sendHeartbeat(path)).json, {
      document: { title: 'Setup', path: `${project}/library/documents/guides/setup.md` },
      present: true,
    })
  await workroom.put('Old title')
  await request('PUT', `${docs}/old-title.md`, { body: '# New title\n' })
  const { json } = await sendHeartbeat(`${docs}/old-title.md`)
  t.match(json.document, { title: 'New title', path: `${project}/library/documents/new-title.md` })
})

t.test('?leave removes the caller and nobody else, and can be repeated', async (t) => {
  const { id, path } = await workroom.put('Leaving')
  await sendHeartbeat(path, '', { key: grace.key })
  for (const _ of [1, 2])
    t.match((await leave(path)).json, {
      document: { id, title: 'Leaving', path },
      present: false,
      block: null,
      blockResolved: false,
      here: [{ name: 'Grace Hopper' }],
    })
  t.match((await leave(path, { key: grace.key })).json, { present: false, here: [] })
  t.strictSame(await presentIn(id), [])
})

t.test('an invalid kind is 422 with a list of the valid ones, and the previous state stays', async (t) => {
  const { id, path } = await workroom.put('Kinds')
  await sendHeartbeat(path, '?kind=viewing')
  for (const kind of ['reading', '', 'Editing', 'constructor'])
    t.match(
      refused(await sendHeartbeat(path, `?kind=${kind}`)),
      [422, 'unprocessable', /one of viewing, editing/],
      kind,
    )
  for (const body of [{ kind: 'x' }, { kind: 1 }, { kind: null }, { block: 1 }, { block: ['x'] }])
    t.match(
      refused(await sendHeartbeat(path, '', { body })),
      [422, 'unprocessable', String],
      JSON.stringify(body),
    )
  t.equal((await sendHeartbeat(path, '?kind=viewing&kind=editing')).status, 400)
  t.equal((await sendHeartbeat(path, '?block=a&block=b')).status, 400)
  t.equal((await sendHeartbeat(path, '', { body: 'kind=viewing' })).status, 400, 'a form is not JSON')
  t.match(await presentIn(id), [{ kind: 'viewing' }])
})

t.test('posts, drafts and cards have no presence: 422, under each of their names', async (t) => {
  const put = async (path: string) => (await request('PUT', path, { body: '# Elsewhere\n' })).json.path
  const files = [
    await put(`${project}/posts/elsewhere.md`),
    await put(`${project}/drafts/elsewhere.md`),
    await put(`${project}/board/todo/elsewhere.md`),
    `${project}/posts/nothing.md`,
    `${project}/drafts/nothing.md`,
    `${project}/board/todo/nothing.md`,
  ]
  for (const path of files) {
    for (const key of [owner.key, grace.key])
      for (const query of ['', '?kind=viewing', '?leave'])
        t.match(
          refused(await sendHeartbeat(path, query, { key })),
          [422, 'unprocessable', /only documents/],
          path,
        )
    t.equal((await sendHeartbeat(path, '', { key: outsider.key })).status, 403, path)
    t.equal((await sendHeartbeat(path.replace('general', 'nowhere'))).status, 404, path)
  }
  const { documents } = (await request('GET', '/v1/presence')).json
  const titles = documents.map(({ title }: { title: string }) => title)
  t.notOk(titles.includes('Elsewhere'), 'nor does a write make anybody present')
})

t.test('presence needs documents:read and the right to read the document, but not to write', async (t) => {
  const { path } = await workroom.put('Guarded')
  const keyWith = async (...scopes: string[]) =>
    (await workspace.stores.members.addKey(bot.member.id, { scopes })).key
  const writer = await keyWith('documents:write', 'posts:read', 'cards:read', 'drafts:read')
  for (const query of ['', '?leave'])
    t.match(refused(await sendHeartbeat(path, query, { key: writer })), [403, 'forbidden', /documents:read/])
  const reader = await keyWith('documents:read')
  t.equal((await sendHeartbeat(path, '', { key: reader })).status, 200)
  t.match(refused(await sendHeartbeat(path, '', { key: outsider.key })), [403, 'forbidden', /not a member/])
  t.match(refused(await sendHeartbeat(`${docs}/nothing.md`)), [404, 'not_found', String])
  t.equal((await sendHeartbeat('/v1/fs/projects/nowhere/docs/guarded.md')).status, 404)
  t.equal((await sendHeartbeat(path, '', { key: undefined })).status, 401)
})

t.test('only POST sets presence, and only DELETE removes it', async (t) => {
  const { path } = await workroom.put('Methods')
  for (const file of [path, `${docs}/methods`, `${project}/posts/x`, `${project}/board/02-todo/x`])
    for (const method of ['GET', 'PUT', 'PATCH']) {
      const { status, headers } = await request(method, `${file}/_presence`)
      t.strictSame([status, headers.allow], [405, 'DELETE, POST'], `${method} ${file}`)
    }
})

t.test('a caller who leaves is removed, with each spelling of the request', async (t) => {
  const { id, path } = await workroom.put('Going away')
  const ways: [what: string, go: () => Promise<HttpResponse>][] = [
    ['leave', () => sendHeartbeat(path, '', { body: { leave: true } })],
    ['present', () => sendHeartbeat(path, '', { body: { present: false } })],
    ['both', () => sendHeartbeat(path, '', { body: { present: false, leave: true, kind: 'viewing' } })],
    ['query', () => sendHeartbeat(path, '?leave=true', { body: {} })],
    ['DELETE', () => request('DELETE', `${path}/_presence`)],
    ['DELETE of nobody', () => request('DELETE', `${path}/_presence`)],
  ]
  for (const [what, go] of ways) {
    if (what !== 'DELETE of nobody') t.match((await sendHeartbeat(path)).json, { present: true }, what)
    t.match(await go(), { status: 200, json: { document: { id }, present: false, here: [] } }, what)
    t.same(await namesIn(id), [], what)
  }
  for (const [query, body] of [
    ['', { present: true }],
    ['', { leave: false }],
    ['?leave=false', {}],
  ] as const)
    t.match((await sendHeartbeat(path, query, { body })).json, { present: true })
  t.equal((await request('GET', path)).status, 200, 'and the document still exists')
})

t.test('an invalid body is refused, and changes nothing', async (t) => {
  const { path } = await workroom.put('Meaning')
  await leave(path)
  const bodies = [
    { gone: true },
    { leave: 'yes' },
    { present: true, leave: true },
    '[]',
    '"leave"',
    'null',
    'leave',
  ]
  for (const body of bodies) {
    const { status } = await sendHeartbeat(path, '', { body })
    t.equal(status, typeof body === 'string' ? 400 : 422, JSON.stringify(body))
  }
  t.equal((await sendHeartbeat(path, '?leave=perhaps')).status, 422)
  t.same((await request('POST', `${path}/_presence?leave`)).json.here, [])
})

t.test('a block is one of the file’s own, in either case; any other leaves the block empty', async (t) => {
  const { id, path } = await workroom.put('Blocks', 'Same.\n\nSame.\n\n- item\n')
  const blocks = await blocksOf(path)
  for (const block of blocks) {
    const { json } = await sendHeartbeat(path, `?block=${block.id.toUpperCase()}`)
    const resolved = block.writable ? block.id : null
    t.match(json, { block: resolved, blockResolved: block.writable, here: [{ block: resolved }] }, block.text)
  }
  t.strictSame(
    blocks.map(({ writable }) => writable),
    [false, false, true, true, true],
    'the fence and the title are the envelope',
  )
  for (const none of ['k0000000', `${blocks[2]!.id}.3`, 'nonsense', '', '%00', '__proto__']) {
    t.match(
      (await sendHeartbeat(path, `?kind=viewing&block=${none}`)).json,
      { present: true, block: null, blockResolved: false },
      none,
    )
    t.match(await presentIn(id), [{ kind: 'viewing', block: null }])
  }
})

t.test('a block is resolved in the current file, also after an edit that was not yet scanned', async (t) => {
  const { path } = await workroom.put('Unseen', 'One.\n')
  const old = await blockAt(path, 'One.')
  workroom.write('documents/unseen.md', '# Unseen\n\nBy hand.\n')
  t.match((await sendHeartbeat(path, `?block=${old}`)).json, { block: null, blockResolved: false })
  const block = await blockAt(path, 'By hand.')
  workroom.write('documents/unseen.md', '# Unseen\n\nOne.\n')
  t.match((await sendHeartbeat(path, `?block=${block}`)).json, { block: null })
  t.match((await sendHeartbeat(path, `?block=${old}`)).json, { block: old, blockResolved: true })
})

t.test(
  'a block with a mention is found by the id that a read shows, also after a member was renamed',
  async (t) => {
    const bob = (await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')).member
    const { path } = await workroom.put('Mentioning', 'Ask @Bob.\n')
    const old = await blockAt(path, 'Ask')
    t.match((await sendHeartbeat(path, `?block=${old}`)).json, { block: old })
    await renameMember(home, bob.id, 'Robert')
    t.match((await sendHeartbeat(path, `?block=${old}`)).json, { block: null })
    const block = await blockAt(path, 'Ask @Robert.')
    t.match((await sendHeartbeat(path, `?block=${block}`)).json, { block, blockResolved: true })
  },
)

t.test('a write while a block is being resolved is taken into account', async (t) => {
  const gate = new Gate()
  const own = await openProjectFolder(t, {
    faults: { markdown: { ...markdown, view: (asked) => gate.pass(markdown.view(asked)) } },
  })
  const bob = (await own.addMember({ name: 'Bob', type: 'human' }, 'general')).member
  const { path } = await own.put('Racing', 'Ask @Bob.\n')
  await renameMember(own.home, bob.id, 'Robert')
  const { blocks } = (await own.request('GET', `${path}?view=blocks`)).json
  gate.close()
  const beating = own.request('POST', `${path}/_presence?block=${blocks.at(-1).id}`)
  await gate.reached
  await own.request('PUT', path, { body: '# Racing\n\nAsk nobody.\n' })
  gate.open()
  t.match((await beating).json, { block: null, blockResolved: false, here: [{ name: 'Ada', block: null }] })
})

t.test('a file of very many blocks and a plain text have presence, too', async (t) => {
  const lines = `First.\n\n${'***\n'.repeat(5000)}\nLast.\n`
  const many = await workroom.put('Many', lines)
  const block = await blockAt(many.path, 'Last.')
  t.match((await sendHeartbeat(many.path, `?block=${block}`)).json, { block, blockResolved: true })
  await request('PUT', many.path, { body: `# Many\n\n${lines.replace('First.', 'Uno.')}` })
  t.equal(await blockOf(many.id, 'Ada'), block, 'it stayed')
  await request('PUT', many.path, { body: `# Many\n\n${lines.replace('Last.', 'Due.')}` })
  const written = await blockAt(many.path, 'Due.')
  t.equal(await blockOf(many.id, 'Ada'), written, 'it was followed')

  workroom.write('documents/many.md', Buffer.from('# Many\n\nLast. \xff\n', 'latin1'))
  t.equal((await request('GET', `${many.path}?view=blocks`)).status, 422, 'it is now plain text')
  t.equal(await blockOf(many.id, 'Ada'), null)
  t.match((await sendHeartbeat(many.path, `?block=${written}`)).json, { present: true, block: null })
})
