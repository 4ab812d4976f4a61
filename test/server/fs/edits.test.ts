import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { processMarkdown } from '../../support/shared-markdown.ts'
import { startWorkroom } from '../../support/workroom.ts'

const markdown = processMarkdown()
let beforeAnalysis = () => {}
const workroom = await startWorkroom(t, {
  faults: {
    markdown: {
      ...markdown,
      async analyse(...given) {
        beforeAnalysis()
        return markdown.analyse(...given)
      },
    },
  },
})
const grace = await workroom.addMember({ name: 'Grace', type: 'agent' }, 'general')
const { request, home } = workroom
const project = '/v1/fs/projects/general'
const docs = `${project}/library/documents`

const put = (path: string, body: string) => request('PUT', path, { body })
const edit = (
  path: string,
  edits: unknown,
  more: { headers?: Record<string, string>; [field: string]: unknown } = {},
) => {
  const { headers = {}, ...fields } = more
  return request('PATCH', path, { body: { edits, ...fields }, headers })
}
const onDisk = (path: string) => readFileSync(join(home, 'projects/general', path), 'utf8')

async function blockAt(path: string, text: string): Promise<string> {
  const { blocks } = (await request('GET', `${path}?view=blocks`)).json
  return blocks.find((block: { text: string }) => block.text.startsWith(text)).id
}

t.test('edits by block, by text and at the end are applied in order, as one revision', async (t) => {
  const path = `${docs}/three.md`
  await put(path, '---\ntags: [a]  # mine\n---\n# Three\n\nFirst.\n\nSecond.\n')
  const before = (await request('GET', `${path}/_revisions`)).json.revisions.length
  const written = await edit(path, [
    { find: 'First.', replace: 'Uno.\n\nDos.' },
    { block: (await blockAt(path, 'Second.')).toUpperCase(), text: '- b\n- c\n\n' },
    { find: 'tags: [a]', replace: 'tags: [a, b]' },
    { append: '- d' },
    { find: '- d', replace: '- e\n' },
  ])
  t.match([written.status, written.json], [201, { created: false, changed: true, filename: 'three.md' }])
  t.equal(written.headers.etag, `"${written.headers['x-service-revision']}"`)
  const stored = '---\ntags: [a, b]  # mine\n---\n# Three\n\nUno.\n\nDos.\n\n- b\n- c\n- e\n'
  t.equal(onDisk('documents/three.md'), stored)
  t.equal((await request('GET', `${path}/_revisions`)).json.revisions.length, before + 1)
})

t.test('an edit of a block to an empty text removes it with the blank lines below', async (t) => {
  const path = `${docs}/less.md`
  await put(path, '# Less\n\nFirst.\n\n\nSecond.\n\nThird.\n')
  await edit(path, [{ block: await blockAt(path, 'First.'), text: '' }])
  t.equal(onDisk('documents/less.md'), '# Less\n\nSecond.\n\nThird.\n')
  await edit(path, [{ block: await blockAt(path, 'Third.'), text: ' \n' }])
  t.equal(onDisk('documents/less.md'), '# Less\n\nSecond.\n')
})

t.test('block ids refer to the text before the first edit, also where earlier edits moved it', async (t) => {
  const path = `${docs}/moved.md`
  await put(path, '# Moved\n\nSame.\n\nSame.\n\nSame.\n')
  const id = await blockAt(path, 'Same.')
  await edit(path, [
    { block: id, text: 'A longer one.' },
    { block: `${id}.3`, text: 'Third.' },
    { block: `${id}.2`, text: 'Second.' },
  ])
  t.equal(onDisk('documents/moved.md'), '# Moved\n\nA longer one.\n\nSecond.\n\nThird.\n')
})

t.test(
  'if one edit does not fit, none is applied, and the refusal contains the current text of the file',
  async (t) => {
    const path = `${docs}/apart.md`
    const stored = '# Apart\n\nRed, red and red.\n'
    const { headers } = await put(path, stored)
    const refused = await edit(path, [{ append: 'More.\n' }, { find: 'red', replace: 'blue' }])
    t.match(refused, {
      status: 409,
      headers: { etag: headers.etag, 'x-service-revision': headers['x-service-revision'] },
      json: {
        error: 'conflict',
        message:
          /^EDIT_CONFLICT: the text to find of edits\[1\] is there 2 times after the edits before it, not once\./,
        edit: 1,
        found: 2,
        expectedCount: 1,
        currentRevision: headers['x-service-revision'],
        text: stored,
        allText: path,
      },
    })
    t.equal(onDisk('documents/apart.md'), stored)
    t.match((await edit(path, [{ find: 'green', replace: 'blue' }])).json, { edit: 0, found: 0 })
    t.equal((await edit(path, [{ find: 'red', replace: 'blue', expectedCount: 2 }])).status, 201)
    t.equal(onDisk('documents/apart.md'), '# Apart\n\nRed, blue and blue.\n')
  },
)

t.test('an edit of a removed block is a conflict with the blocks near its place', async (t) => {
  const path = `${docs}/gone.md`
  await put(path, '# Gone\n\nOld.\n')
  const block = await blockAt(path, 'Old.')
  await put(path, '# Gone\n\nNew.\n')
  const { status, json } = await edit(path, [{ append: 'End.\n' }, { block, text: 'Mine.' }])
  t.match(
    [status, json],
    [409, { edit: 1, block, allBlocks: `${path}?view=blocks`, message: /EDIT_CONFLICT/ }],
  )
  t.match(json.blocks.at(-1), { id: await blockAt(path, 'New.'), writable: true })
  t.equal(onDisk('documents/gone.md'), '# Gone\n\nNew.\n')
})

t.test('a long text is shortened in a refusal, which contains the request for all of it', async (t) => {
  const path = `${docs}/long.md`
  await put(path, `# Long\n\n${'word '.repeat(5000)}\n`)
  const { json } = await edit(path, [{ find: 'absent', replace: '' }])
  t.equal(json.text.length, 16_000)
  t.equal(json.textLength, 25_009)
  t.match(json.message, `${path} reads all of it`)
})

t.test('an outdated revision is refused in the body, the header and the parameter', async (t) => {
  const path = `${docs}/tied.md`
  const old = (await put(path, '# Tied\n\nOne.\n')).headers['x-service-revision'] as string
  const now = (await put(path, '# Tied\n\nTwo.\n')).headers['x-service-revision'] as string
  const edits = [{ find: 'Two.', replace: 'Three.' }]
  const responses = [
    await edit(path, edits, { expectedRevision: old }),
    await edit(path, edits, { headers: { 'If-Match': `"${old}"` } }),
    await edit(`${path}?expectedRevision=${old}`, edits),
    await edit(path, edits, { expectedRevision: now, headers: { 'If-Match': `"${old}"` } }),
  ]
  for (const { status, json, headers } of responses) {
    t.match([status, json], [409, { message: /^DOCUMENT_CONFLICT/, currentRevision: now }])
    t.equal(headers.etag, `"${now}"`)
  }
  t.equal((await edit(path, edits, { expectedRevision: now })).status, 201)
})

t.test('edits that immediately follow each other are all kept', async (t) => {
  const path = `${docs}/crowd.md`
  await put(path, '# Crowd\n')
  const lines = Array.from({ length: 20 }, (_, index) => `- line ${index}\n`)
  const responses = await Promise.all(lines.map((append) => edit(path, [{ append }])))
  t.same([...new Set(responses.map(({ status }) => status))], [201])
  const text = onDisk('documents/crowd.md')
  t.same(
    lines.filter((line) => text.split(line).length !== 2),
    [],
  )
})

t.test('text that an editor on the disk saves at the same time is kept', async (t) => {
  const path = `${docs}/meanwhile.md`
  await put(path, '# Meanwhile\n\nOne.\n')
  let saved = false
  beforeAnalysis = () => {
    if (saved) return
    saved = true
    appendFileSync(join(home, 'projects/general/documents/meanwhile.md'), '\nFrom vim.\n')
  }
  const { status } = await edit(path, [{ find: 'One.', replace: 'Two.' }])
  beforeAnalysis = () => {}
  t.equal(status, 201)
  t.equal(onDisk('documents/meanwhile.md'), '# Meanwhile\n\nTwo.\n\nFrom vim.\n')
})

t.test('drafts and cards can be edited, a published post cannot', async (t) => {
  await put(`${project}/drafts/idea.md`, '# Idea\n\nHello @Grace.\n')
  t.equal((await edit(`${project}/drafts/idea.md`, [{ find: '@Grace', replace: '@Ada' }])).status, 201)
  const draft = await request('GET', `${project}/drafts/idea.md`)
  t.match(draft.text, 'Hello @Ada.')
  t.match(draft.text, 'mentions: ["Ada"]')
  const card = (await put(`${project}/board/02-todo/new.md`, '---\npriority: low\n---\n# Task\n')).json
  const moved = await edit(card.path, [{ find: 'priority: low', replace: 'column: done' }])
  t.match([moved.status, moved.json.path], [201, /04-done/])
  const post = (await put(`${project}/posts/new.md`, '# Post\n')).json
  const refused = await edit(post.path, [{ append: 'More.' }])
  t.match([refused.status, refused.json.message], [409, /immutable/])
})

t.test('frontmatter stays valid, and the server’s keys in it cannot be edited', async (t) => {
  const path = `${docs}/front.md`
  const stored = '---\ntags: [a]\n---\n# Front\n\nText.\n'
  await put(path, stored)
  const refusals: [object, number, RegExp][] = [
    [{ find: 'tags: [a]', replace: 'tags: [a' }, 422, /The frontmatter/],
    [{ find: 'tags: [a]', replace: '---' }, 422, /edits\[0\] would end the frontmatter/],
    [{ find: 'author: Ada', replace: 'author: Eve' }, 409, /0 times/],
    [{ find: 'tags: [a]\n---', replace: '' }, 409, /0 times/],
    [{ find: '# Front', replace: '' }, 422, /title/],
    [{ block: await blockAt(path, '# Front'), text: '# Back' }, 422, /part of the envelope/],
  ]
  for (const [one, status, words] of refusals) {
    const response = await edit(path, [one])
    t.match([response.status, response.json.message], [status, words], JSON.stringify(one))
  }
  t.equal(onDisk('documents/front.md'), stored)
  t.equal((await edit(path, [{ find: 'tags: [a]\n', replace: '' }])).status, 201)
  t.equal(onDisk('documents/front.md'), '# Front\n\nText.\n')
})

t.test('an invalid list of edits is refused, and the message names the problem', async (t) => {
  const path = `${docs}/named.md`
  await put(path, '# Named\n\nText.\n')
  const many = Array.from({ length: 101 }, () => ({ append: 'x' }))
  const refusals: [unknown, RegExp][] = [
    [[], /1 to 100 edits, not 0/],
    [many, /1 to 100 edits, not 101/],
    [['x'], /edits must be a list of objects/],
    [[{ append: 'x' }, {}], /edits\[1\] must contain exactly one of/],
    [[{ append: 'x', find: 'y' }], /not find and append/],
    [[{ append: 'x', at: 3 }], /There is no field at here/],
    [[{ find: 'x', replacement: 'y' }], /There is no field replacement \(did you mean replace\?\)/],
    [[{ find: '', replace: 'y' }], /edits\[0\]: find must be 1 to 10000/],
    [[{ find: 'Text', replace: 'y', expectedCount: 0 }], /expectedCount must be at least 1/],
    [[{ block: 'k0000000' }], /edits\[0\] must contain the field text/],
    [[{ append: 'a\u0000b' }], /NUL/],
  ]
  for (const [edits, words] of refusals) {
    const response = await edit(path, edits)
    t.match([response.status, response.json.message], [422, words], String(words))
  }
  t.match((await edit(path, [{ append: 'x' }], { dryRun: true })).json.message, /There is no field dryRun/)
  t.match((await edit(`${path}?block=k1`, [{ append: 'x' }])).json.message, /There is no parameter \?block=/)
  const form = await edit(path, [{ append: 'x' }], {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  t.match([form.status, form.headers['accept-patch']], [415, 'application/json'])
  t.equal((await edit(`${docs}/absent.md`, [{ append: 'x' }])).status, 404)
})

t.test('the edited text has the size limit of a PUT', async (t) => {
  const path = `${docs}/bounded.md`
  await put(path, `# Bounded\n\n${'ab'.repeat(1000)}\n`)
  const grown = await edit(path, [{ find: 'a', replace: 'x'.repeat(3000), expectedCount: 1000 }])
  t.match([grown.status, grown.json.limitBytes], [413, 2 * 1024 * 1024])
  const long = await edit(path, [{ append: 'x'.repeat(2 * 1024 * 1024) }])
  t.equal(long.status, 413)
})

t.test('the line endings of the file are kept', async (t) => {
  const path = `${docs}/crlf.md`
  await put(path, '# Crlf\r\n\r\nOne\r\ntwo.\r\n')
  await edit(path, [{ find: 'One\ntwo.', replace: 'Three\nfour.' }, { append: 'Five.\n' }])
  t.equal(onDisk('documents/crlf.md'), '# Crlf\r\n\r\nThree\r\nfour.\r\nFive.\r\n')
})

t.test('edits that change nothing add no revision', async (t) => {
  const path = `${docs}/still.md`
  const { headers } = await put(path, '# Still\n\nText.\n')
  const response = await edit(path, [{ find: 'Text.', replace: 'Text.' }])
  t.match([response.status, response.json.changed, response.headers.etag], [201, false, headers.etag])
})

t.test('a key that may not write documents may not edit them', async (t) => {
  const path = `${docs}/locked.md`
  await put(path, '# Locked\n')
  const { key } = (
    await request('POST', `/api/members/${grace.member.id}/keys`, { body: { scopes: ['documents:read'] } })
  ).json
  const refused = await request('PATCH', path, { key, body: { edits: [{ append: 'x' }] } })
  t.match([refused.status, refused.json.message], [403, /documents:write/])
  const { status } = await request('PATCH', path, {
    key: grace.key,
    body: { edits: [{ append: 'By Grace.\n' }] },
  })
  t.equal(status, 201)
})
