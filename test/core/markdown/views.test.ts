import t from 'tap'
import { renderView } from '../../../core/markdown/views.ts'
import vectors from '../../../fixtures/blocks.json' with { type: 'json' }

const document = { id: 'doc_1', title: 'T', lastEditedAt: '2026-06-18T10:00:00.000Z', bytes: 12 }
const canonical = '/v1/fs/projects/general/docs/t.md'
const fence = '---\nid: doc_1\n---\n'

const view = (view: 'blocks' | 'outline', body: string) =>
  JSON.parse(renderView({ view, read: Buffer.from(fence + body), canonical, document }))
const blocksOf = (body: string) => view('blocks', body).blocks

t.test('the block view lists each block with its position, and which are writable', async (t) => {
  const shown = view('blocks', '# T\n\nA 🚀 line.\n\n## Part\n\n- a\n- b\n')
  t.match(shown, { canonical, document, note: /writable.*lines.*offsets/ })
  t.same(shown.blocks, [
    {
      ...shown.blocks[0],
      writable: false,
      type: 'yaml',
      lines: [1, 3],
      offsets: [0, 17],
      text: '---\nid: doc_1\n---',
    },
    {
      ...shown.blocks[1],
      writable: false,
      type: 'heading',
      depth: 1,
      anchor: 't',
      lines: [4, 4],
      offsets: [18, 21],
      text: '# T',
    },
    {
      ...shown.blocks[2],
      writable: true,
      type: 'paragraph',
      lines: [6, 6],
      offsets: [23, 33],
      text: 'A 🚀 line.',
    },
    {
      ...shown.blocks[3],
      writable: true,
      type: 'heading',
      depth: 2,
      anchor: 'part',
      lines: [8, 8],
      text: '## Part',
    },
    { ...shown.blocks[4], writable: true, type: 'list', lines: [10, 11], text: '- a\n- b' },
  ])
})

t.test('the outline has the ids of the block view, and includes the title', async (t) => {
  const body = '# T\n\nText.\n\n## *One* `two`\n\n> # Quoted\n\nSet\n---\n\n## One two\n\n# T\n'
  const { headings, ...rest } = view('outline', body)
  t.same(rest, { canonical })
  const blocks = blocksOf(body).filter(({ type }: { type: string }) => type === 'heading')
  t.same(
    headings,
    blocks.map(({ id, writable, depth, anchor, lines }: Record<string, unknown>, place: number) => {
      return { id, writable, depth, text: ['T', 'One two', 'Set', 'One two', 'T'][place], anchor, lines }
    }),
  )
  t.same(
    headings.map(({ anchor }: { anchor: string }) => anchor),
    ['t', 'one-two', 'set', 'one-two-1', 't-1'],
  )
  t.same(
    headings.map(({ writable }: { writable: boolean }) => writable),
    [false, true, true, true, true],
  )
})

t.test('a table shows its header and its cells by row and column', async (t) => {
  const [, , table] = blocksOf(
    '# T\n\n| **Name** | Age |\n|:--|--|\n| `a \\| b` | 36 |\n| Grace \\| | |\n| x | y | z |\n',
  )
  t.same(table.columns, ['**Name**', 'Age'])
  t.match(table.cells.slice(0, 4), [
    { row: 0, col: 0, text: '`a \\| b`' },
    { row: 0, col: 1, text: '36' },
    { row: 1, col: 0, text: 'Grace \\|' },
    { row: 1, col: 1, text: '' },
  ])
  const [, , bare] = blocksOf('# T\n\na | b\n--|--\nwww.x.org | see https://x.org and me@x.org\n')
  t.same(bare.columns, ['a', 'b'])
  t.same(
    bare.cells.map(({ text }: { text: string }) => text),
    ['www.x.org', 'see https://x.org and me@x.org'],
  )
})

t.test('a data URL keeps its prefix and says how much is left out', async (t) => {
  const payload = 'iVBORw0KGgo/+='.repeat(20)
  const address = `data:image/png;base64,${payload}`
  const short = `data:image/png;base64,… (${payload.length} characters elided)`
  const [, , image, table, , code] = blocksOf(
    `# T\n\n![dot](${address}) and ![dot](${address})\n\n| a |\n|--|\n| ![dot](${address}) |\n\ndata: not one, data:x\n\n\`\`\`\n${address}\n\`\`\`\n`,
  )
  t.equal(image.text, `![dot](${short}) and ![dot](${short})`)
  t.equal(image.offsets[1] - image.offsets[0], 2 * address.length + '![dot]() and ![dot]()'.length)
  t.equal(table.cells[0].text, `![dot](${short})`)
  t.equal(code.text, `\`\`\`\n${short}\n\`\`\``)
  const [, , plain] = blocksOf('# T\n\ndata: not one, data:x, metadata:image/png,x\n')
  t.equal(plain.text, 'data: not one, data:x, metadata:image/png,x')
})

t.test('a long code block keeps its info line and its beginning', async (t) => {
  const fenced = (info: string, length: number) => `~~~${info}\n${'x'.repeat(length)}\n~~~`
  const text = (body: string) => blocksOf(`# T\n\n${body}\n`)[2].text
  const exact = fenced('js', 2048 - 10)
  t.equal(exact.length, 2048)
  t.equal(text(exact), exact)
  const long = fenced('js title="long"', 3000)
  t.equal(text(long), `${long.slice(0, 2048)}… (${long.length - 2048} characters elided)`)
  const wideInfo = fenced('x'.repeat(3000), 50)
  t.equal(text(wideInfo), `~~~${'x'.repeat(3000)}… (55 characters elided)`)
  const astral = `\`\`\`\n${'🚀'.repeat(2000)}\n\`\`\``
  t.match(text(astral), /^```\n(?:🚀)+… \(\d+ characters elided\)$/u)
  const indented = `    ${'x'.repeat(3000)}`
  t.equal(text(indented).includes('elided'), false)
})

t.test('the lines and offsets of a long code block cover all of it', async (t) => {
  const { markdown, blocks } = vectors.find(({ name }) => name === 'a fence beyond 2 kB')!
  const wanted = blocks.map(({ id, lines, offsets }) => ({
    id,
    lines: lines.map((line) => line + 3),
    offsets: offsets.map((offset) => offset + fence.length),
  }))
  t.match(blocksOf(markdown).slice(1), wanted)
})

t.test('a read of an envelope alone has no writable block', async (t) => {
  t.same(
    blocksOf('# T\n').map(({ writable }: { writable: boolean }) => writable),
    [false, false],
  )
})
