import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import vectors from '../../../fixtures/blocks.json' with { type: 'json' }
import { startWorkroom } from '../../support/workroom.ts'

interface Block {
  id: string
  writable: boolean
  type: string
  lines: [number, number]
  offsets: [number, number]
  text: string
  depth?: number
  anchor?: string
  columns?: string[]
  cells?: { row: number; col: number; text: string }[]
}

const workroom = await startWorkroom(t)
const { home, request } = workroom
const project = '/v1/fs/projects/general'

const put = async (path: string, body: string) => (await request('PUT', path, { body })).json
const blocksOf = async (path: string): Promise<Block[]> =>
  (await request('GET', `${path}?view=blocks`)).json.blocks

/** What a read changes: it removes server keys, and shows mentions by name. */
const rewritten = new Set(['empty', 'frontmatter', 'mentions'])

for (const { name, markdown, blocks } of vectors.filter(({ name }) => !rewritten.has(name))) {
  t.test(`the fixed vector is valid over HTTP: ${name}`, async (t) => {
    const hasTitle = blocks.some(({ type, lines: [line] }) => type === 'heading' && line === 1)
    const body = hasTitle ? markdown : `# A title for the vector\n\n${markdown}`
    const { path } = await put(`${project}/docs/vector.md`, body)
    const text = (await request('GET', path)).text
    const added = text.length - markdown.length
    const addedLines = text.slice(0, added).split('\n').length - 1
    const shown = (await blocksOf(path)).slice(hasTitle ? 1 : 2)
    t.strictSame(
      shown.map(({ id, type, lines, offsets }) => ({ id, type, lines, offsets })),
      blocks.map(({ id, type, lines, offsets }) => ({
        id,
        type,
        lines: lines.map((line) => line + addedLines),
        offsets: offsets.map((offset) => offset + added),
      })),
    )
    await request('DELETE', path)
  })
}

t.test('the blocks view names its document, and the ids are the same at every read', async (t) => {
  const body = '# Fields\n\nText 🚀.\n'
  const { id, path } = await put(`${project}/docs/fields.md`, body)
  const { json } = await request('GET', `${path}?view=blocks`)
  t.strictSame(Object.keys(json), ['canonical', 'note', 'document', 'blocks'])
  t.equal(json.canonical, path)
  t.type(json.note, 'string')
  t.strictSame(json.document, {
    id,
    title: 'Fields',
    lastEditedAt: new Date(workroom.clock.now()).toISOString(),
    bytes: Buffer.byteLength(body),
  })
  t.strictSame((await request('GET', `${path}?view=blocks`)).json, json)
  const again = await put(`${project}/docs/twin.md`, '# Twin\n\nText 🚀.\n')
  t.equal((await blocksOf(again.path))[2]!.id, json.blocks[2].id, 'the same markdown has the same id')
})

t.test('lines and offsets select each block’s text in the plain read', async (t) => {
  const { path } = await put(
    `${project}/docs/cut.md`,
    '# Cut 🚀\n\nOne\ntwo.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n- x\n- y\n\n```js\ncode\n```\n',
  )
  const { text } = await request('GET', path)
  const lines = text.split('\n')
  for (const block of await blocksOf(path)) {
    t.equal(text.slice(...block.offsets), block.text)
    t.equal(lines.slice(block.lines[0] - 1, block.lines[1]).join('\n'), block.text)
  }
})

t.test('the fence and the title are the envelope, everything else is the file’s own', async (t) => {
  const { path } = await put(
    `${project}/docs/own.md`,
    '---\ntags: [a]\n---\nBefore.\n\n# Own\n\n# Second\n\nText.\n',
  )
  const blocks = await blocksOf(path)
  t.strictSame(
    blocks.map(({ type, writable, text }) => [type, writable, type === 'yaml' ? '' : text]),
    [
      ['yaml', false, ''],
      ['paragraph', true, 'Before.'],
      ['heading', false, '# Own'],
      ['heading', true, '# Second'],
      ['paragraph', true, 'Text.'],
    ],
  )
})

t.test('in a document with an empty body every block is envelope', async (t) => {
  for (const body of ['# Empty\n', '---\ntitle: Empty\n---\n']) {
    const { path } = await put(`${project}/docs/empty.md`, body)
    const blocks = await blocksOf(path)
    t.strictSame(
      blocks.map(({ type, writable }) => [type, writable]),
      [
        ['yaml', false],
        ['heading', false],
      ],
    )
    t.strictSame(
      (await request('GET', `${path}?view=outline`)).json.headings.map(({ writable }: Block) => writable),
      [false],
    )
  }
})

t.test('headings have a depth and GitHub’s anchor, and repeated ones end in -1 and -2', async (t) => {
  const { path } = await put(
    `${project}/docs/anchors.md`,
    '# Anchors\n\n## Über uns!\n\n## Part\n\n### Part\n\n## Part\n\n## `code` & *more*\n\n## 会議\n\n## 🚀\n',
  )
  const headings = (await blocksOf(path)).filter(({ type }) => type === 'heading')
  t.strictSame(
    headings.map(({ depth, anchor }) => [depth, anchor]),
    [
      [1, 'anchors'],
      [2, 'über-uns'],
      [2, 'part'],
      [3, 'part-1'],
      [2, 'part-2'],
      [2, 'code--more'],
      [2, '会議'],
      [2, ''],
    ],
  )
})

t.test('a table has its header row and its cells by row and column', async (t) => {
  const { path } = await put(
    `${project}/docs/table.md`,
    '# Table\n\n| Name | Note |\n| :-- | --: |\n| *Ada* | a \\| b |\n| Grace | |\n| Only one |\n',
  )
  const table = (await blocksOf(path)).find(({ type }) => type === 'table')!
  t.strictSame(table.columns, ['Name', 'Note'])
  t.strictSame(table.cells!.slice(0, 5), [
    { row: 0, col: 0, text: '*Ada*' },
    { row: 0, col: 1, text: 'a \\| b' },
    { row: 1, col: 0, text: 'Grace' },
    { row: 1, col: 1, text: '' },
    { row: 2, col: 0, text: 'Only one' },
  ])
})

t.test('long fences and data addresses are shortened, and the offsets are those of the whole', async (t) => {
  const code = `\`\`\`js title="x"\n${'const a = 1\n'.repeat(300)}\`\`\``
  const data = `data:image/png;base64,${'A'.repeat(500)}`
  const { path } = await put(
    `${project}/docs/long.md`,
    `# Long\n\n${code}\n\n![dot](${data})\n\n| a |\n| - |\n| ![x](${data}) |\n`,
  )
  const { text } = await request('GET', path)
  const blocks = await blocksOf(path)
  const [fence, image, table] = blocks.slice(-3) as [Block, Block, Block]
  t.ok(fence.text.startsWith('```js title="x"\nconst a = 1\n'))
  t.match(fence.text, /… \(\d+ characters elided\)$/)
  t.equal(text.slice(...fence.offsets), code)
  t.equal(image.text, '![dot](data:image/png;base64,… (500 characters elided))')
  t.equal(text.slice(...image.offsets), `![dot](${data})`)
  t.match(table.cells![0]!.text, /data:image\/png;base64,… \(500 characters elided\)/)
})

t.test('the outline has the same ids and the same writable flags as the blocks', async (t) => {
  const { path } = await put(
    `${project}/docs/outline.md`,
    '# Outline\n\n## One\n\nText.\n\n## One\n\n### Deep *er*\n',
  )
  const { json } = await request('GET', `${path}?view=outline`)
  t.strictSame(Object.keys(json), ['canonical', 'headings'])
  t.equal(json.canonical, path)
  const headings = (await blocksOf(path)).filter(({ type }) => type === 'heading')
  t.strictSame(
    json.headings,
    headings.map(({ id, writable, depth, anchor, lines }, n) => ({
      id,
      writable,
      depth,
      text: ['Outline', 'One', 'One', 'Deep er'][n],
      anchor,
      lines,
    })),
  )
  t.match(json.headings[2].id, /^k[0-9a-hjkmnp-tv-z]{7}\.2$/, 'a repeated heading has an ordinal')
})

t.test(
  'a view has the revision of the file as its ETag, and is 304 until the file or its envelope changes',
  async (t) => {
    const { path } = await put(`${project}/docs/tagged.md`, '# Tagged\n\nText.\n')
    const { etag } = (await request('GET', path)).headers
    for (const view of ['?view=blocks', '?view=outline']) {
      const ask = (value: string) => request('GET', path + view, { headers: { 'If-None-Match': value } })
      const read = await request('GET', path + view)
      t.match(read, { status: 200, headers: { etag: etag!, 'cache-control': 'private, no-cache' } }, view)
      const again = await ask(etag!)
      t.strictSame([again.status, again.text, again.headers.etag], [304, '', etag], view)
      t.equal((await ask('"other"')).status, 200)
      await put(path, `# Tagged\n\nAfter ${view}.\n`)
      const changed = await ask(etag!)
      t.equal(changed.status, 200)
      t.not(changed.headers.etag, etag)
      await put(path, '# Tagged\n\nText.\n')
    }
    const post = await put(`${project}/posts/tagged.md`, '# Tagged\n\nText.\n')
    const blocks = await request('GET', `${post.path}?view=blocks`)
    await request('POST', `/v1/posts/${post.id}/comments`, { body: { body: 'Well.' } })
    const commented = await request('GET', `${post.path}?view=blocks`, {
      headers: { 'If-None-Match': blocks.headers.etag! },
    })
    t.equal(commented.status, 200, 'the block of the envelope shows the number of comments')
  },
)

t.test('a view is sent again after the file has moved, though its text is the same', async (t) => {
  const { id, path } = await put(`${project}/docs/wandering.md`, '# Wandering\n\nText.\n')
  const byId = `${project}/docs/${id}`
  const ask = async (address: string, etag = '""') =>
    request('GET', `${address}?view=outline`, { headers: { 'If-None-Match': etag } })
  const { etag } = (await ask(path)).headers
  t.equal((await ask(path, etag)).status, 304)
  const documents = join(home, 'projects/general/documents')
  mkdirSync(join(documents, 'far'))
  renameSync(join(documents, 'wandering.md'), join(documents, 'far/wandering.md'))
  const moved = `${project}/library/documents/far/wandering.md`
  t.equal((await request('GET', moved)).status, 200)
  const again = await ask(byId, etag)
  t.match(again, { status: 200, headers: { etag } })
  t.equal(again.json.canonical, moved)
  t.equal((await ask(moved, etag)).status, 304, 'at its current path')
  t.equal((await ask(`${project}/docs/far/wandering.md`, etag)).status, 304, 'by another path')
})

t.test('posts, drafts and cards have the same views', async (t) => {
  for (const folder of ['posts', 'drafts', 'board/02-todo']) {
    const { path } = await put(`${project}/${folder}/viewed.md`, '# Viewed\n\nText.\n')
    const blocks = await blocksOf(path)
    t.strictSame(
      blocks.map(({ writable }) => writable),
      [false, false, true],
      folder,
    )
    t.equal((await request('GET', `${path}?view=outline`)).json.headings[0].text, 'Viewed')
  }
})

t.test(
  'an unknown view is 400 with a list of the valid ones, and a view of a generated file is 422',
  async (t) => {
    const unknown = await request('GET', `${project}/docs/welcome.md?view=tree`)
    t.match([unknown.status, unknown.json], [400, { error: 'bad_request', message: /blocks.*outline/ }])
    for (const path of ['/v1/fs', '/v1/fs/README.md', '/v1/fs/inbox/mentions.md', project]) {
      const { status, json } = await request('GET', `${path}?view=blocks`)
      t.match([status, json], [422, { error: 'unprocessable', message: /view/ }], path)
    }
  },
)

t.test('a file that nests too deeply is served as text, and has no views', async (t) => {
  const { path } = await put(`${project}/docs/deep.md`, `# Deep\n\n${'> '.repeat(2000)}x\n`)
  t.equal((await request('GET', path)).status, 200)
  for (const query of ['?view=blocks', '?view=outline']) {
    const { status, json } = await request('GET', path + query)
    t.match([status, json], [422, { error: 'unprocessable', message: /plain text/ }])
  }
  t.equal((await request('PUT', `${path}?block=k1234567`, { body: 'x' })).status, 422)
})
