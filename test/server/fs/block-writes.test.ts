import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { renameMember } from '../../support/rename-member.ts'
import { startWorkroom } from '../../support/workroom.ts'

const workroom = await startWorkroom(t)
const { request, home } = workroom
const project = '/v1/fs/projects/general'

const put = (path: string, body: string, headers: Record<string, string> = {}) =>
  request('PUT', path, { body, headers })
const onDisk = (path: string) => readFileSync(join(home, 'projects/general', path), 'utf8')

/** The id of the first block whose text equals or begins with this. */
async function blockAt(path: string, text: string): Promise<string> {
  const { blocks } = (await request('GET', `${path}?view=blocks`)).json
  return blocks.find((block: { text: string }) => block.text.startsWith(text)).id
}

t.test('a block write changes the bytes of that block and no others', async (t) => {
  const path = `${project}/docs/one.md`
  const stored = '---\ntags: [a]  # mine\n---\n\n# One\n\nFirst  \n\n\n\n- a\n* b\n\nLast'
  await put(path, stored)
  const written = await put(`${path}?block=${await blockAt(path, '- a')}`, '1. x\n2. y\n\n')
  t.match([written.status, written.json], [201, { created: false, changed: true }])
  t.equal(onDisk('documents/one.md'), stored.replace('- a', '1. x\n2. y'))
})

t.test('one block may become several, and ids are accepted in upper case, too', async (t) => {
  const path = `${project}/docs/several.md`
  await put(path, '# Several\n\nOne.\n\nTwo.\n')
  const id = await blockAt(path, 'One.')
  const { status, json } = await put(`${path}?block=${id.toUpperCase()}`, '## Part\n\nUno.\n\nDue.\n')
  t.equal(status, 201)
  const written = [await blockAt(path, '## Part'), await blockAt(path, 'Uno.'), await blockAt(path, 'Due.')]
  t.strictSame(json.blockIds, { rebound: 1, orphaned: 0, total: 2, written })
  t.equal(onDisk('documents/several.md'), '# Several\n\n## Part\n\nUno.\n\nDue.\n\nTwo.\n')
})

t.test('among equal blocks, the one with the given ordinal is written', async (t) => {
  const path = `${project}/docs/repeats.md`
  await put(path, '# Repeats\n\nSame.\n\nSame.\n\nSame.\n')
  const id = await blockAt(path, 'Same.')
  await put(`${path}?block=${id}.2`, 'Other.')
  t.equal(onDisk('documents/repeats.md'), '# Repeats\n\nSame.\n\nOther.\n\nSame.\n')
})

t.test('a write of an underlined heading leaves the definition above it', async (t) => {
  const path = `${project}/docs/underlined.md`
  await put(path, '# Underlined\n\n[foo]: /url\nbar\n---\n\nSee [foo].\n')
  const id = await blockAt(path, 'bar')
  t.equal((await put(`${path}?block=${id}`, 'baz\n---')).status, 201)
  t.equal(onDisk('documents/underlined.md'), '# Underlined\n\n[foo]: /url\nbaz\n---\n\nSee [foo].\n')
  t.equal((await put(`${path}?block=${await blockAt(path, '[foo]')}`, '[foo]: /other')).status, 201)
  t.equal(onDisk('documents/underlined.md'), '# Underlined\n\n[foo]: /other\nbaz\n---\n\nSee [foo].\n')
})

t.test('what replaces a list with an open fence is followed by a line break', async (t) => {
  const path = `${project}/docs/open-fence.md`
  await put(path, '# Open fence\n\n- ```\n> quoted\n')
  t.equal((await put(`${path}?block=${await blockAt(path, '- ')}`, '- item')).status, 201)
  t.equal(onDisk('documents/open-fence.md'), '# Open fence\n\n- item\n> quoted\n')
})

t.test('a write of the same bytes answers changed: false', async (t) => {
  const path = `${project}/docs/same.md`
  await put(path, '# Same\n\nText.\n')
  const id = await blockAt(path, 'Text.')
  t.match((await put(`${path}?block=${id}`, 'Text.\n\n')).json, { changed: false })
  t.equal((await request('GET', `${path}/_revisions`)).json.revisions.length, 1)
})

t.test('a block of the envelope is 422 and says to PUT the file', async (t) => {
  const path = `${project}/docs/envelope.md`
  await put(path, '---\ntags: [a]\n---\n# Envelope\n\nText.\n')
  const { blocks } = (await request('GET', `${path}?view=blocks`)).json
  for (const { id } of blocks.slice(0, 2)) {
    const { status, json } = await put(`${path}?block=${id}`, '# Other\n')
    t.match([status, json], [422, { error: 'unprocessable', message: /PUT the whole file/ }])
    t.notOk('block' in json)
  }
})

t.test('a stale id is 409 with block and blocks, and nothing is written', async (t) => {
  const path = `${project}/docs/stale.md`
  await put(path, '# Stale\n\nOne.\n\nTwo.\n')
  const id = await blockAt(path, 'One.')
  await put(`${path}?block=${id}`, 'Uno.')
  const before = onDisk('documents/stale.md')
  for (const gone of [id, 'k0000000', 'nonsense', `${id}.2`]) {
    const { status, json } = await put(`${path}?block=${gone}`, 'Un.')
    t.match([status, json], [409, { error: 'conflict', block: gone, requestId: String }], gone)
    const listed = json.blocks.find(({ preview }: { preview: string }) => preview === 'Uno.')
    t.strictSame(Object.keys(listed), ['id', 'writable', 'type', 'lines', 'preview'])
    t.strictSame(
      json.blocks.map((block: { id: string }) => block.id),
      (await request('GET', `${path}?view=blocks`)).json.blocks.map((block: { id: string }) => block.id),
    )
  }
  t.equal(onDisk('documents/stale.md'), before)
})

t.test('after an edit on the disk that was not yet scanned, the id is stale', async (t) => {
  const path = `${project}/docs/edited.md`
  await put(path, '# Edited\n\nOne.\n')
  const id = await blockAt(path, 'One.')
  writeFileSync(join(home, 'projects/general/documents/edited.md'), '# Edited\n\nBy hand.\n')
  const { status, json } = await put(`${path}?block=${id}`, 'Uno.')
  t.match([status, json.blocks.at(-1)], [409, { preview: 'By hand.' }])
  t.equal(onDisk('documents/edited.md'), '# Edited\n\nBy hand.\n')
})

t.test('an empty body is 422, whatever the block', async (t) => {
  const path = `${project}/docs/blank.md`
  await put(path, '# Blank\n\nText.\n')
  const id = await blockAt(path, 'Text.')
  for (const body of ['', '\n', ' \t\r\n ']) {
    t.match((await put(`${path}?block=${id}`, body)).json, { error: 'unprocessable' }, JSON.stringify(body))
  }
  t.equal((await put(`${path}?block=`, 'Text')).status, 409, 'not an id')
})

t.test('it combines with If-Match: both conditions must hold', async (t) => {
  const path = `${project}/docs/both.md`
  const { etag } = (await put(path, '# Both\n\nOne.\n\nTwo.\n')).headers
  const id = await blockAt(path, 'One.')
  await put(`${path}?block=${await blockAt(path, 'Two.')}`, 'Due.')
  const stale = await put(`${path}?block=${id}`, 'Uno.', { 'If-Match': etag! })
  t.match([stale.status, stale.json], [409, { message: /_CONFLICT/, currentRevision: String }])
  t.notOk('block' in stale.json, 'the revision is stale, not the block')
  const fresh = (await request('GET', path)).headers.etag!
  t.equal((await put(`${path}?block=${id}`, 'Uno.', { 'If-Match': fresh })).status, 201)
  t.equal((await put(`${path}?block=${id}`, 'x', { 'If-Match': 'junk' })).status, 422)
  t.equal((await put(`${path}?block=${id}`, 'x', { 'If-None-Match': '*' })).status, 409)
})

t.test('a PUT and a block write with the same revision: exactly one succeeds', async (t) => {
  const path = `${project}/docs/race.md`
  const { etag } = (await put(path, '# Race\n\nOne.\n')).headers
  const id = await blockAt(path, 'One.')
  const responses = await Promise.all([
    put(`${path}?block=${id}`, 'Block.', { 'If-Match': etag! }),
    put(path, '# Race\n\nWhole.\n', { 'If-Match': etag! }),
  ])
  t.strictSame(responses.map(({ status }) => status).sort(), [201, 409])
})

t.test('a file with Windows line endings keeps them', async (t) => {
  const path = `${project}/docs/windows.md`
  await put(path, '# Windows\r\n\r\nOne.\r\n\r\nTwo.\r\n')
  await put(`${path}?block=${await blockAt(path, 'One.')}`, 'Uno,\nuno.\n')
  t.equal(onDisk('documents/windows.md'), '# Windows\r\n\r\nUno,\r\nuno.\r\n\r\nTwo.\r\n')
})

t.test(
  'blocks are found by their text with mentions as a read shows them, and new mentions are stored',
  async (t) => {
    const bob = (await workroom.addMember({ name: 'Bob', type: 'human' }, 'general')).member
    const path = `${project}/docs/mentions.md`
    await put(path, '# Mentions\n\nAsk @Bob first.\n\nThen @Bob again.\n')
    await put(`${path}?block=${await blockAt(path, 'Then @Bob')}`, 'Never @Bob.')
    t.equal(
      onDisk('documents/mentions.md'),
      `# Mentions\n\nAsk @[Bob](${bob.id}) first.\n\nNever @[Bob](${bob.id}).\n`,
    )
  },
)

t.test('ids follow the text as shown now, also after a member was renamed', async (t) => {
  const eve = (await workroom.addMember({ name: 'Eve', type: 'human' }, 'general')).member
  const path = `${project}/docs/renamed.md`
  await put(path, '# Renamed\n\nAsk @Eve.\n\nText of @Eve.\n')
  const old = await blockAt(path, 'Text of')
  await renameMember(home, eve.id, 'Evelyn')
  t.equal((await put(`${path}?block=${old}`, 'Stale.')).status, 409)
  const id = await blockAt(path, 'Text of @Evelyn.')
  const { status, json } = await put(`${path}?block=${id}`, 'Words of @Evelyn.')
  t.match([status, json.blockIds], [201, { rebound: 1, orphaned: 0, total: 2 }])
  t.equal(
    onDisk('documents/renamed.md'),
    `# Renamed\n\nAsk @[Eve](${eve.id}).\n\nWords of @[Evelyn](${eve.id}).\n`,
  )
})

t.test('two writers of different blocks at the same time both succeed', async (t) => {
  const path = `${project}/docs/two.md`
  await put(path, '# Two\n\nOne.\n\nTwo.\n')
  const ids = [await blockAt(path, 'One.'), await blockAt(path, 'Two.')]
  const responses = await Promise.all(ids.map((id, n) => put(`${path}?block=${id}`, `New ${n}.`)))
  t.strictSame(
    responses.map(({ status }) => status),
    [201, 201],
  )
  t.equal(onDisk('documents/two.md'), '# Two\n\nNew 0.\n\nNew 1.\n')
})

t.test('a block write to a draft does not publish it, and to a card does not move it', async (t) => {
  const draft = (await put(`${project}/drafts/d.md`, '# D\n\nText.\n')).json
  t.match((await put(`${draft.path}?block=${await blockAt(draft.path, 'Text.')}`, 'More.')).json, {
    id: draft.id,
    path: draft.path,
  })
  t.equal((await request('GET', `${project}/posts`)).json.posts.length, 0)
  const card = (await put(`${project}/board/02-todo/c.md`, '---\nlabels: [a]\n---\n# C\n\nText.\n')).json
  t.match((await put(`${card.path}?block=${await blockAt(card.path, 'Text.')}`, 'column: done')).json, {
    id: card.id,
    path: card.path,
  })
})

t.test('each block write to a published post is a 409 without a block', async (t) => {
  const { path } = (await put(`${project}/posts/p.md`, '# P\n\nText.\n')).json
  for (const id of [await blockAt(path, 'Text.'), 'k0000000']) {
    const { status, json } = await put(`${path}?block=${id}`, 'Other.')
    t.match([status, json.message], [409, /Published posts are immutable/])
    t.notOk('block' in json || 'blocks' in json)
  }
})

t.test('a block write needs an existing file, and never adds frontmatter', async (t) => {
  t.equal((await put(`${project}/docs/nothing.md?block=k0000000`, 'x')).status, 404)
  const path = `${project}/docs/fence.md`
  await put(path, 'First.\n\n# Fence\n')
  const { status } = await put(`${path}?block=${await blockAt(path, 'First.')}`, '---\na: 1\n---')
  t.equal(status, 422)
})

t.test('?block= on a generated file is 422', async (t) => {
  for (const path of ['/v1/fs/README.md', '/v1/fs/inbox/mentions.md', project]) {
    const { status, json } = await put(`${path}?block=k0000000`, 'x')
    t.match([status, json], [422, { error: 'unprocessable', message: /block/ }], path)
  }
})

t.test('the answer to a block write contains the ids of the written blocks', async (t) => {
  const path = `${project}/docs/written.md`
  await put(path, '---\ntags: [a]\n---\n# Written\n\nSame.\n\nOne.\n\nSame.\n\n- item\n\nLast.\n')
  const own = async (): Promise<{ id: string; text: string }[]> =>
    (await request('GET', `${path}?view=blocks`)).json.blocks.filter(
      ({ writable }: { writable: boolean }) => writable,
    )
  const write = async (text: string, body: string): Promise<string[]> => {
    const { status, json } = await put(`${path}?block=${(await blockAt(path, text)).toUpperCase()}`, body)
    t.equal(status, 201)
    return json.blockIds.written
  }
  const textsOf = async (ids: string[]) =>
    (await own()).filter(({ id }) => ids.includes(id)).map(({ text }) => text)
  t.strictSame(await textsOf(await write('One.', 'Uno.')), ['Uno.'])
  t.strictSame(await textsOf(await write('Uno.', '## Part\n\nDue.\n\n> Tre.')), ['## Part', 'Due.', '> Tre.'])
  t.strictSame(await write('Due.', 'Due.'), [await blockAt(path, 'Due.')], 'also where nothing changed')
  t.strictSame(
    await textsOf(await write('Same.', 'First.')),
    ['First.'],
    'among equal blocks, the one with this ordinal',
  )
  t.strictSame(await textsOf(await write('> Tre.', 'Same.')), ['Same.'])
  t.strictSame(await textsOf(await write('Last.', '- more')), ['- item\n\n- more'], 'joined with another')
  const whole = await put(path, '# Written\n\nOther.\n')
  t.notOk('written' in whole.json.blockIds)
  const draft = (await put(`${project}/drafts/w.md`, '# W\n\nOne.\n')).json
  const response = await put(`${draft.path}?block=${await blockAt(draft.path, 'One.')}`, 'Two.')
  t.strictSame(response.json.blockIds.written, [await blockAt(draft.path, 'Two.')])
})

t.test('in a long file the answer lists blocks near the stale one and the path to all of them', async (t) => {
  const path = `${project}/docs/long.md`
  const text = (numbers: number[]) => `# Long\n\n${numbers.map((n) => `Paragraph ${n}.`).join('\n\n')}\n`
  const numbers = Array.from({ length: 800 }, (_, index) => index + 1)
  await put(path, text(numbers))
  const stale = async (id: string) => {
    const { status, text: body, json } = await put(`${path}?block=${id}`, 'Again.')
    t.equal(status, 409)
    t.ok(body.length < 8000, `${body.length} characters`)
    t.equal(json.allBlocks, `${project}/library/documents/long.md?view=blocks`)
    t.match(json.message, json.allBlocks)
    t.equal((await request('GET', json.allBlocks)).json.blocks.length, (await all()).length)
    return json.blocks.map(({ preview }: { preview: string }) => preview)
  }
  const all = async () => (await request('GET', `${path}?view=blocks`)).json.blocks
  const id = await blockAt(path, 'Paragraph 400.')
  const last = await blockAt(path, 'Paragraph 800.')
  await put(`${path}?block=${id}`, 'Another text.')
  t.strictSame((await stale(id)).length, 20)
  t.strictSame((await stale(id))[10], 'Another text.')
  // The blocks before it are removed as well, and the file has changed twice since.
  await put(path, text(numbers.filter((number) => number < 100 || number > 401)))
  await put(path, text([...numbers.filter((number) => number < 100 || number > 401), 801]))
  t.ok((await stale(id)).includes('Paragraph 402.'))
  await put(`${path}?block=${last}`, 'The end.')
  t.ok((await stale(last)).includes('The end.'))
  t.strictSame((await stale('k0000000'))[2], 'Paragraph 1.', 'for an id that never existed: the beginning')
})
