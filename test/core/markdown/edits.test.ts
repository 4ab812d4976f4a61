import assert from 'node:assert/strict'
import t from 'tap'
import { applyEdits } from '../../../core/markdown/edits.ts'
import type { Edit } from '../../../core/markdown/types.ts'
import { blocksOfRead } from '../../../core/markdown/views.ts'
import fc from '../../support/seeded-properties.ts'
import { anyMarkdown } from './nasty-markdown.ts'

const head = '---\nid: doc_1\n---\n'

/** Applies edits to a body below the server's frontmatter. @returns the edited body */
function edited(body: string, edits: Edit[]): string {
  const [plain, maxBytes] = [null, 1024 * 1024]
  const ends: [number, number] = [head.length - 4, head.length - 4]
  const result = applyEdits({ read: Buffer.from(head + body), ownLines: ends, plain, edits, maxBytes })
  if (result.kind !== 'edited') throw new Error(JSON.stringify(result))
  const read = Buffer.from(result.bytes).toString()
  assert.equal(read.slice(0, head.length), head)
  return read.slice(head.length)
}

const writableBlocks = (body: string) =>
  blocksOfRead(Buffer.from(head + body)).blocks.filter(({ writable }) => writable)

t.test('edits of blocks replace each block, whatever their order', async () => {
  const property = fc.property(anyMarkdown, fc.array(fc.nat(), { maxLength: 5 }), (markdown, order) => {
    const body = Buffer.from(`# Title\n\n${markdown}`).toString().replaceAll('\r', '')
    const blocks = writableBlocks(body)
    const chosen = [...new Set(order.map((place) => blocks[place % blocks.length]!))].filter(Boolean)
    const edits = chosen.map(({ id }, place) => ({ block: id, text: `Written ${place}.` }))
    const expected = [...chosen]
      .sort((one, other) => other.offsets[0] - one.offsets[0])
      .reduce((text, block) => {
        const [start, end] = block.offsets.map((offset) => offset - head.length) as [number, number]
        return `${text.slice(0, start)}Written ${chosen.indexOf(block)}.${text.slice(end)}`
      }, body)
    assert.equal(edited(body, edits), expected)
  })
  fc.assert(property)
})

t.test('replacing a text replaces each occurrence and nothing else', async () => {
  const property = fc.property(
    fc.array(fc.constantFrom('ab', 'b', 'a', '\n\n', 'x ')),
    fc.constantFrom('ab', 'a', 'x a'),
    (parts, find) => {
      const body = `# Title\n\n${parts.join('')}`
      const expectedCount = body.split(find).length - 1
      if (expectedCount === 0) return
      const result = edited(body, [{ find, replace: 'é\n', expectedCount }])
      assert.equal(result, body.split(find).join('é\n'))
    },
  )
  fc.assert(property)
})

t.test('an edit across a block’s boundary makes the block unknown to later edits', async (t) => {
  const body = '# Title\n\nOne.\n\nTwo.\n'
  const [, two] = writableBlocks(body)
  const edits = [
    { find: 'One.\n\nT', replace: 'T', expectedCount: 1 },
    { block: two!.id, text: 'Three.' },
  ]
  t.throws(() => edited(body, edits), /An edit before edits\[1\] changed where block/)
  t.equal(edited(body, edits.toReversed()), '# Title\n\nThree.\n')
})
