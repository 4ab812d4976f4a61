import { rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from 'tap'
import { databasePath } from '../../../data/home.ts'
import { databaseChanges } from '../../support/database-changes.ts'
import type { Answer, RequestOptions } from '../../support/http-client.ts'
import { leaveProject } from '../../support/leave-project.ts'
import { LiveEditor, signInForEditing } from '../../support/live-editor.ts'
import { docs, openProjectFolder } from '../../support/project-folder.ts'
import { renameMember } from '../../support/rename-member.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'

const markdown = sharedMarkdown(t)
const desk = await openProjectFolder(t, { faults: { markdown } })
const { request, clock, home, owner, workspace } = desk
const project = '/v1/fs/projects/general'

const grace = await desk.addMember({ name: 'Grace Hopper', type: 'human' }, 'general')
const bot = await desk.addMember({ name: 'Bot', type: 'agent' }, 'general')
const outsider = await desk.addMember({ name: 'Eve', type: 'human' })

const beat = (path: string, query = '', options: RequestOptions = {}) =>
  request('POST', `${path}/_presence${query}`, options)
const leave = (path: string, options: RequestOptions = {}) => beat(path, '?leave', options)

/** Those who are in a document, without becoming present in it. */
async function hereIn(id: string) {
  const { documents } = (await request('GET', '/v1/presence')).json
  return documents.find(({ docId }: { docId: string }) => docId === id)?.here ?? []
}
const namesIn = async (id: string) => (await hereIn(id)).map(({ name }: { name: string }) => name)
const blockOf = async (id: string, name: string) =>
  (await hereIn(id)).find((row: { name: string }) => row.name === name)?.block

interface Block {
  id: string
  writable: boolean
  text: string
}
const blocksOf = async (path: string): Promise<Block[]> =>
  (await request('GET', `${path}?view=blocks`)).json.blocks
/** The id of the first block whose text equals or begins with this. */
const blockAt = async (path: string, text: string) =>
  (await blocksOf(path)).find((block) => block.text.startsWith(text))!.id

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

const refused = ({ status, json }: Answer) => [status, json.error, json.message]

t.test('a presence call makes the caller present in a document, by default as editing', async (t) => {
  const { id, path } = await desk.put('Beat', 'Text.\n', { key: bot.key })
  await leave(path, { key: bot.key })
  const { status, json } = await beat(path)
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
  t.strictSame((await beat(path, `?kind=viewing&block=${block}`, { key: bot.key })).json, {
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
  const { path } = await desk.put('Either', 'One.\n\nTwo.\n')
  const [one, two] = [await blockAt(path, 'One.'), await blockAt(path, 'Two.')]
  const here = async (query: string, body?: unknown) => {
    const { json } = await beat(path, query, body === undefined ? {} : { body })
    return [json.here[0].kind, json.block]
  }
  t.strictSame(await here('', { kind: 'viewing', block: one }), ['viewing', one])
  t.strictSame(await here(`?block=${two}`, { kind: 'viewing', block: one }), ['viewing', two])
  t.strictSame(await here('?kind=editing', { kind: 'viewing', block: null }), ['editing', null])
})

t.test('each call replaces the whole state: what it omits is not kept', async (t) => {
  const { id, path } = await desk.put('Whole', 'One.\n')
  await beat(path, `?kind=viewing&block=${await blockAt(path, 'One.')}`)
  clock.advance(10)
  t.match((await beat(path)).json, { block: null, blockResolved: false })
  t.match(await hereIn(id), [{ kind: 'editing', block: null, lastSeenAt: clock.now() }])
})

t.test('a document is found under both of its paths, in sub-folders, and by its old name', async (t) => {
  await request('PUT', `${docs}/guides/setup.md`, { body: '# Setup\n' })
  for (const path of [`${docs}/guides/setup.md`, `${project}/library/documents/guides/setup`])
    t.match((await beat(path)).json, {
      document: { title: 'Setup', path: `${project}/library/documents/guides/setup.md` },
      present: true,
    })
  await desk.put('Old title')
  await request('PUT', `${docs}/old-title.md`, { body: '# New title\n' })
  const { json } = await beat(`${docs}/old-title.md`)
  t.match(json.document, { title: 'New title', path: `${project}/library/documents/new-title.md` })
})

t.test('?leave removes the caller and nobody else, and can be repeated', async (t) => {
  const { id, path } = await desk.put('Leaving')
  await beat(path, '', { key: grace.key })
  for (const _ of [1, 2])
    t.match((await leave(path)).json, {
      document: { id, title: 'Leaving', path },
      present: false,
      block: null,
      blockResolved: false,
      here: [{ name: 'Grace Hopper' }],
    })
  t.match((await leave(path, { key: grace.key })).json, { present: false, here: [] })
  t.strictSame(await hereIn(id), [])
})

t.test('an invalid kind is 422 with a list of the valid ones, and the previous state stays', async (t) => {
  const { id, path } = await desk.put('Kinds')
  await beat(path, '?kind=viewing')
  for (const kind of ['reading', '', 'Editing', 'constructor'])
    t.match(
      refused(await beat(path, `?kind=${kind}`)),
      [422, 'unprocessable', /one of viewing, editing/],
      kind,
    )
  for (const body of [{ kind: 'x' }, { kind: 1 }, { kind: null }, { block: 1 }, { block: ['x'] }])
    t.match(refused(await beat(path, '', { body })), [422, 'unprocessable', String], JSON.stringify(body))
  t.equal((await beat(path, '?kind=viewing&kind=editing')).status, 400)
  t.equal((await beat(path, '?block=a&block=b')).status, 400)
  t.equal((await beat(path, '', { body: 'kind=viewing' })).status, 400, 'a form is not JSON')
  t.match(await hereIn(id), [{ kind: 'viewing' }])
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
        t.match(refused(await beat(path, query, { key })), [422, 'unprocessable', /only documents/], path)
    t.equal((await beat(path, '', { key: outsider.key })).status, 403, path)
    t.equal((await beat(path.replace('general', 'nowhere'))).status, 404, path)
  }
  const { documents } = (await request('GET', '/v1/presence')).json
  const titles = documents.map(({ title }: { title: string }) => title)
  t.notOk(titles.includes('Elsewhere'), 'nor does a write make anybody present')
})

t.test('presence needs documents:read and the right to read the document, but not to write', async (t) => {
  const { path } = await desk.put('Guarded')
  const keyWith = async (...scopes: string[]) =>
    (await workspace.stores.members.addKey(bot.member.id, { scopes })).key
  const writer = await keyWith('documents:write', 'posts:read', 'cards:read', 'drafts:read')
  for (const query of ['', '?leave'])
    t.match(refused(await beat(path, query, { key: writer })), [403, 'forbidden', /documents:read/])
  const reader = await keyWith('documents:read')
  t.equal((await beat(path, '', { key: reader })).status, 200)
  t.match(refused(await beat(path, '', { key: outsider.key })), [403, 'forbidden', /not a member/])
  t.match(refused(await beat(`${docs}/nothing.md`)), [404, 'not_found', String])
  t.equal((await beat('/v1/fs/projects/nowhere/docs/guarded.md')).status, 404)
  t.equal((await beat(path, '', { key: undefined })).status, 401)
})

t.test('only POST sets presence, and only DELETE removes it', async (t) => {
  const { path } = await desk.put('Methods')
  for (const file of [path, `${docs}/methods`, `${project}/posts/x`, `${project}/board/02-todo/x`])
    for (const method of ['GET', 'PUT', 'PATCH']) {
      const { status, headers } = await request(method, `${file}/_presence`)
      t.strictSame([status, headers.allow], [405, 'DELETE, POST'], `${method} ${file}`)
    }
})

t.test('a caller who leaves is removed, with each spelling of the request', async (t) => {
  const { id, path } = await desk.put('Going away')
  const ways: [what: string, go: () => Promise<Answer>][] = [
    ['leave', () => beat(path, '', { body: { leave: true } })],
    ['present', () => beat(path, '', { body: { present: false } })],
    ['both', () => beat(path, '', { body: { present: false, leave: true, kind: 'viewing' } })],
    ['query', () => beat(path, '?leave=true', { body: {} })],
    ['DELETE', () => request('DELETE', `${path}/_presence`)],
    ['DELETE of nobody', () => request('DELETE', `${path}/_presence`)],
  ]
  for (const [what, go] of ways) {
    if (what !== 'DELETE of nobody') t.match((await beat(path)).json, { present: true }, what)
    t.match(await go(), { status: 200, json: { document: { id }, present: false, here: [] } }, what)
    t.same(await namesIn(id), [], what)
  }
  for (const [query, body] of [
    ['', { present: true }],
    ['', { leave: false }],
    ['?leave=false', {}],
  ] as const)
    t.match((await beat(path, query, { body })).json, { present: true })
  t.equal((await request('GET', path)).status, 200, 'and the document still exists')
})

t.test('an invalid body is refused, and changes nothing', async (t) => {
  const { path } = await desk.put('Meaning')
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
    const { status } = await beat(path, '', { body })
    t.equal(status, typeof body === 'string' ? 400 : 422, JSON.stringify(body))
  }
  t.equal((await beat(path, '?leave=perhaps')).status, 422)
  t.same((await request('POST', `${path}/_presence?leave`)).json.here, [])
})

t.test('a block is one of the file’s own, in either case; any other leaves the block empty', async (t) => {
  const { id, path } = await desk.put('Blocks', 'Same.\n\nSame.\n\n- item\n')
  const blocks = await blocksOf(path)
  for (const block of blocks) {
    const { json } = await beat(path, `?block=${block.id.toUpperCase()}`)
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
      (await beat(path, `?kind=viewing&block=${none}`)).json,
      { present: true, block: null, blockResolved: false },
      none,
    )
    t.match(await hereIn(id), [{ kind: 'viewing', block: null }])
  }
})

t.test('a block is resolved in the current file, also after an edit that was not yet scanned', async (t) => {
  const { path } = await desk.put('Unseen', 'One.\n')
  const old = await blockAt(path, 'One.')
  desk.write('documents/unseen.md', '# Unseen\n\nBy hand.\n')
  t.match((await beat(path, `?block=${old}`)).json, { block: null, blockResolved: false })
  const block = await blockAt(path, 'By hand.')
  desk.write('documents/unseen.md', '# Unseen\n\nOne.\n')
  t.match((await beat(path, `?block=${block}`)).json, { block: null })
  t.match((await beat(path, `?block=${old}`)).json, { block: old, blockResolved: true })
})

t.test(
  'a block with a mention is found by the id that a read shows, also after a member was renamed',
  async (t) => {
    const bob = (await desk.addMember({ name: 'Bob', type: 'human' }, 'general')).member
    const { path } = await desk.put('Mentioning', 'Ask @Bob.\n')
    const old = await blockAt(path, 'Ask')
    t.match((await beat(path, `?block=${old}`)).json, { block: old })
    await renameMember(home, bob.id, 'Robert')
    t.match((await beat(path, `?block=${old}`)).json, { block: null })
    const block = await blockAt(path, 'Ask @Robert.')
    t.match((await beat(path, `?block=${block}`)).json, { block, blockResolved: true })
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
  const many = await desk.put('Many', lines)
  const block = await blockAt(many.path, 'Last.')
  t.match((await beat(many.path, `?block=${block}`)).json, { block, blockResolved: true })
  await request('PUT', many.path, { body: `# Many\n\n${lines.replace('First.', 'Uno.')}` })
  t.equal(await blockOf(many.id, 'Ada'), block, 'it stayed')
  await request('PUT', many.path, { body: `# Many\n\n${lines.replace('Last.', 'Due.')}` })
  const written = await blockAt(many.path, 'Due.')
  t.equal(await blockOf(many.id, 'Ada'), written, 'it was followed')

  desk.write('documents/many.md', Buffer.from('# Many\n\nLast. \xff\n', 'latin1'))
  t.equal((await request('GET', `${many.path}?view=blocks`)).status, 422, 'it is now plain text')
  t.equal(await blockOf(many.id, 'Ada'), null)
  t.match((await beat(many.path, `?block=${written}`)).json, { present: true, block: null })
})

t.test('an entry is valid for 90 seconds, and each call starts them again', async (t) => {
  const { path } = await desk.put('Ninety')
  await leave(path)
  const here = async () => {
    const { json } = await leave(path, { key: bot.key })
    return json.here.length
  }
  await beat(path, '', { key: grace.key })
  clock.advance(89_999)
  t.equal(await here(), 1)
  clock.advance(1)
  t.equal(await here(), 0)
  await beat(path, '', { key: grace.key })
  clock.advance(60_000)
  await beat(path, '', { key: grace.key })
  clock.advance(60_000)
  t.equal(await here(), 1)
})

t.test('a present member stays at a block after a PUT, a block write and an edit on the disk', async (t) => {
  const { id, path } = await desk.put('Following', 'One.\n\nTwo.\n\n- item\n', { key: bot.key })
  await beat(path, `?kind=viewing&block=${await blockAt(path, 'Two.')}`, { key: grace.key })
  const grace_ = () => blockOf(id, 'Grace Hopper')

  await request('PUT', path, { body: '# Following\n\nZero.\n\nOne.\n\nDue.\n\n- item\n' })
  t.equal(await grace_(), await blockAt(path, 'Due.'), 'a whole file')

  await request('PUT', `${path}?block=${await blockAt(path, 'Due.')}`, { body: 'Tre.' })
  t.equal(await grace_(), await blockAt(path, 'Tre.'), 'their own block')

  await request('PUT', `${path}?block=${await blockAt(path, 'One.')}`, { body: 'Uno.\n\nMore.' })
  t.equal(await grace_(), await blockAt(path, 'Tre.'), 'another block')

  desk.write('documents/following.md', '# Following\n\nZero.\n\nUno.\n\nMore.\n\nBy hand.\n\n- item\n')
  const [, , written] = [await request('GET', path), clock.advance(10), await blockAt(path, 'By hand.')]
  t.equal(await grace_(), written, 'an edit on the disk')
  t.match(
    (await hereIn(id)).find(({ name }: { name: string }) => name === 'Grace Hopper'),
    { kind: 'viewing', lastSeenAt: clock.now() - 10 },
    'an edit is not a call of theirs',
  )

  await request('PUT', `${path}?block=${await blockAt(path, 'Zero.')}`, { body: 'Null.' })
  await beat(path, `?block=${await blockAt(path, 'Null.')}`, { key: grace.key })
  await request('POST', `${path}/_restore`, { body: { revision: (await desk.revisions(path))[0]!.revision } })
  t.equal(await grace_(), await blockAt(path, 'One.'), 'an older revision')

  await request('PUT', path, { body: '# Following\n\n- item\n' })
  t.equal(await grace_(), null, 'at no block after the block was removed')
  t.ok((await namesIn(id)).includes('Grace Hopper'))
})

t.test('a block that only moved keeps its id, and the members at it stay there', async (t) => {
  const { id, path } = await desk.put('Moving', 'One.\n\nTwo.\n\nThree.\n')
  const block = await blockAt(path, 'Three.')
  await beat(path, `?block=${block}`, { key: grace.key })
  await request('PUT', path, { body: '# Moving\n\nThree.\n\nOne.\n\nTwo.\n' })
  t.equal(await blockOf(id, 'Grace Hopper'), block)
})

t.test('a write over HTTP makes its author present as editing', async (t) => {
  const { id, path } = await desk.put('Written', 'One.\n\nTwo.\n', { key: bot.key })
  const bot_ = { memberId: bot.member.id, name: 'Bot', type: 'agent', kind: 'editing' }
  t.strictSame(await hereIn(id), [{ ...bot_, block: null, lastSeenAt: clock.now() }])

  clock.advance(60_000)
  await beat(path, `?kind=viewing&block=${await blockAt(path, 'Two.')}`, { key: bot.key })
  clock.advance(60_000)
  await request('PUT', path, { key: bot.key, body: '# Written\n\nOne.\n\nDue.\n' })
  const due = await blockAt(path, 'Due.')
  t.strictSame(await hereIn(id), [{ ...bot_, block: due, lastSeenAt: clock.now() }], 'at the same block')

  clock.advance(60_000)
  t.equal(
    (await request('PUT', path, { key: bot.key, body: '# Written\n\nOne.\n\nDue.\n' })).json.changed,
    false,
  )
  t.strictSame(await hereIn(id), [{ ...bot_, block: due, lastSeenAt: clock.now() }], 'the same bytes')

  clock.advance(60_000)
  const [first] = await desk.revisions(path)
  await request('POST', `${path}/_restore`, { key: bot.key, body: { revision: first!.revision } })
  const two = await blockAt(path, 'Two.')
  t.strictSame(await hereIn(id), [{ ...bot_, block: two, lastSeenAt: clock.now() }], 'also after a restore')

  clock.advance(90_000)
  await request('PUT', path, { key: bot.key, body: '# Written\n\nOne.\n\nTre.\n' })
  t.strictSame(
    await hereIn(id),
    [{ ...bot_, block: null, lastSeenAt: clock.now() }],
    'an expired entry has no effect',
  )
})

t.test('the author of a block write is at that block, by its new id', async (t) => {
  const { id, path } = await desk.put('Block by block', 'One.\n\nSame.\n\nSame.\n\nSame.\n')
  const write = async (block: string, body: string) => {
    t.equal((await request('PUT', `${path}?block=${block}`, { key: grace.key, body })).status, 201)
    return blockOf(id, 'Grace Hopper')
  }
  t.equal(await write((await blockAt(path, 'One.')).toUpperCase(), 'Uno.'), await blockAt(path, 'Uno.'))
  t.equal(await write(await blockAt(path, 'Uno.'), 'Uno.'), await blockAt(path, 'Uno.'), 'the same bytes')
  t.equal(await write(await blockAt(path, 'Uno.'), '## Part'), await blockAt(path, '## Part'), 'another type')
  const same = await blockAt(path, 'Same.')
  t.equal(await write(`${same}.2`, 'Other.'), await blockAt(path, 'Other.'), 'one of several equal blocks')
  t.equal(
    await write(await blockAt(path, 'Other.'), '> a\n\nOther!'),
    await blockAt(path, 'Other!'),
    'several blocks',
  )
})

t.test('a write that is refused makes nobody present', async (t) => {
  const { id, path } = await desk.put('Refused', 'One.\n')
  await leave(path)
  const refusals = [
    await request('PUT', path, { body: '# Refused\n\nTwo.\n', headers: { 'If-Match': '"0"' } }),
    await request('PUT', path, { body: 'No title.\n' }),
    await request('PUT', `${path}?block=k0000000`, { body: 'Two.' }),
    await request('POST', `${path}/_restore`, { body: { revision: 'x' } }),
  ]
  t.strictSame(
    refusals.map(({ status }) => status),
    [409, 422, 409, 404],
  )
  t.strictSame(await hereIn(id), [])
})

t.test('an edit on the disk and a scheduled publication make nobody present', async (t) => {
  desk.write('documents/by-hand.md', '# By hand\n')
  const { documentId } = await desk.appeared('by-hand.md')
  desk.write('documents/by-hand.md', '# By hand\n\nMore.\n')
  await desk.happened(documentId, 2)
  t.strictSame(await hereIn(documentId), [])

  const body = `---\nscheduledFor: ${clock.now() + 1000}\n---\n# On time\n`
  const draft = (await request('PUT', `${project}/drafts/on-time.md`, { body })).json
  clock.advance(1000)
  await desk.eventually(async () => (await request('GET', `${project}/posts/on-time`)).status === 200)
  t.strictSame(await hereIn(draft.id), [])
})

t.test('after a new title, everybody is still present', async (t) => {
  const { id, path } = await desk.put('Before', 'Text.\n')
  const block = await blockAt(path, 'Text.')
  await beat(path, `?block=${block}`, { key: grace.key })
  const renamed = (await request('PUT', path, { body: '# After\n\nText.\n' })).json
  t.equal(await blockOf(id, 'Grace Hopper'), block)
  const { documents } = (await request('GET', '/v1/presence')).json
  t.match(
    documents.find(({ docId }: { docId: string }) => docId === id),
    { title: 'After', filename: 'after.md', path: renamed.path },
  )
  await rename(desk.at('documents/after.md'), desk.at('documents/by-hand-again.md'))
  await desk.happened(id, 3)
  t.equal(await blockOf(id, 'Grace Hopper'), block, 'also after a rename on the disk')
})

t.test('a deleted document has nobody present, also after it is restored', async (t) => {
  const { id, path } = await desk.put('Deleted')
  await beat(path, '', { key: grace.key })
  await request('DELETE', path)
  t.strictSame(await hereIn(id), [])
  t.equal((await beat(path)).status, 404)
  await request('POST', `${project}/trash/${id}/_restore`)
  t.strictSame(await hereIn(id), [])
  t.match((await beat(path, '', { key: grace.key })).json, {
    document: { id },
    here: [{ name: 'Grace Hopper' }],
  })

  await rm(desk.at('documents/deleted.md'))
  await desk.eventually(async () => (await namesIn(id)).length === 0)
})

t.test('a document that is moved to the posts on the disk has nobody present', async (t) => {
  const { id, path } = await desk.put('Becoming')
  await beat(path)
  const post = desk.write('posts/2026-01-01-other.md', '# Other\n')
  await rename(desk.at('documents/becoming.md'), join(dirname(post), '2026-01-02-becoming.md'))
  await desk.happened(id, 2)
  t.strictSame(await hereIn(id), [])
})

t.test('a deactivated member is present in no document', async (t) => {
  const gone = await desk.addMember({ name: 'Gone', type: 'human' }, 'general')
  const { id, path } = await desk.put('Deactivated')
  await beat(path, '', { key: gone.key })
  t.ok((await namesIn(id)).includes('Gone'))
  await workspace.stores.members.setStatus(gone.member.id, 'deactivated')
  t.notOk((await namesIn(id)).includes('Gone'))
  t.strictSame(
    (await beat(path)).json.here.map(({ name }: { name: string }) => name),
    ['Ada'],
  )
})

t.test('presence shows the current names', async (t) => {
  const member = await desk.addMember({ name: 'Early', type: 'human' }, 'general')
  const { id, path } = await desk.put('Names')
  await beat(path, '', { key: member.key })
  await renameMember(home, member.member.id, 'Late')
  t.strictSame(await namesIn(id), ['Late', 'Ada'])
})

t.test('a former member of the project is present in none of its documents, not even an admin', async (t) => {
  const leaver = await desk.addMember({ name: 'Leaver', type: 'human' }, 'general')
  const admin = await desk.addMember({ name: 'Admin', type: 'human', role: 'admin' }, 'general')
  const { id, path } = await desk.put('Left')
  for (const { key } of [leaver, admin]) await beat(path, '', { key })
  t.strictSame(await namesIn(id), ['Admin', 'Leaver', 'Ada'])
  await leaveProject(home, workspace.stores.projects.find('general')!.id, leaver.member.id)
  t.strictSame(await namesIn(id), ['Admin', 'Ada'])
  await leaveProject(home, workspace.stores.projects.find('general')!.id, admin.member.id)
  t.strictSame(await namesIn(id), ['Ada'])
  for (const { key } of [leaver, admin]) t.equal((await beat(path, '', { key })).status, 403)
})

t.test('an open editor shows the block that an agent works at', async (t) => {
  const { path, id } = await desk.put('Shared')
  const editor = new LiveEditor(desk, id, await signInForEditing(desk, owner.key))
  await editor.connect()
  t.teardown(() => editor.cut())
  const block = (await blocksOf(path)).at(-1)!.id
  await beat(path, `?block=${block}`, { key: bot.key })
  await beat(path, '', { key: grace.key })
  const clientId = `presence:${bot.member.id}`
  t.match(await editor.message('joined'), { clientId, member: { name: 'Bot', kind: 'agent' }, block })
  await leave(path, { key: bot.key })
  t.match(await editor.message('left'), { clientId })
  const shown = editor.messages.filter(({ type }) => type === 'joined')
  t.equal(shown.length, 1, 'people are shown only by their own editors')
  await leave(path, { key: grace.key })
})

t.test('presence writes nothing to the disk, and is lost when the server stops', async (t) => {
  const own = await openProjectFolder(t, { faults: { markdown } })
  const { path } = await own.put('Memory')
  const db = new Sqlite(databasePath(own.home), { readonly: true })
  t.teardown(() => db.close())
  const promises = db.prepare('SELECT count(*) FROM journal').pluck()
  await own.eventually(() => promises.get() === 0)
  const changes = databaseChanges(own.home)
  t.teardown(() => changes.close())
  const before = changes.state()
  for (const query of ['', '?kind=viewing&block=k0000000', '?leave', ''])
    t.equal((await own.request('POST', `${path}/_presence${query}`)).status, 200)
  t.match((await own.request('GET', '/v1/presence')).json.documents, [{ here: [{ name: 'Ada' }] }])
  t.strictSame(changes.state(), before)
  await own.restart()
  t.strictSame((await own.request('GET', '/v1/presence')).json.documents, [])
})
