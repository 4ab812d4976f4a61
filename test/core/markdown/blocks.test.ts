import assert from 'node:assert/strict'
import t from 'tap'
import { blocksOf } from '../../../core/markdown/blocks.ts'
import { parseBody, parseFile, TooDeepError } from '../../../core/markdown/parse.ts'
import { blocksOfRead } from '../../../core/markdown/views.ts'
import vectors from '../../../fixtures/blocks.json' with { type: 'json' }
import fc from '../../support/seeded-properties.ts'
import { ada, find, presentNames, read, send, standing } from './files.ts'
import { anyFile } from './nasty-markdown.ts'

const idsOf = (text: string) => blocksOf(parseFile(text).nodes).map(({ id }) => id)

t.test('block ids, lines and offsets equal the shared vectors', async (t) => {
  for (const { name, markdown, blocks } of vectors) {
    const found = blocksOf(parseFile(markdown).nodes).map(({ id, type, lines, offsets }) => ({
      id,
      type,
      lines,
      offsets,
    }))
    t.same(found, blocks, name)
  }
})

t.test('the same markdown always has the same block ids, and each is unique', async () => {
  fc.assert(
    fc.property(anyFile, (text) => {
      const ids = idsOf(text)
      assert.deepEqual(idsOf(text), ids)
      assert.equal(new Set(ids).size, ids.length)
      for (const id of ids) assert.match(id, /^k[0-9a-hjkmnp-tv-z]{7}(?:\.\d+)?$/)
    }),
    { numRuns: 150, seed: 3 },
  )
})

t.test(
  'no block of a read overlaps another one, and each one begins with its own first character',
  async (t) => {
    fc.assert(
      fc.property(anyFile, (text) => {
        const { source, blocks } = blocksOfRead(read(standing(find(text))))
        let [end, line] = [0, 0]
        for (const { lines, offsets } of blocks) {
          assert.ok(offsets[0] >= end && lines[0] > line && offsets[1] >= offsets[0] && lines[1] >= lines[0])
          assert.equal(source.slice(0, offsets[0]).split(/\r\n|\n|\r/).length, lines[0])
          ;[end, line] = [offsets[1], lines[1]]
        }
      }),
      { numRuns: 200, seed: 5 },
    )
    const cases: [text: string, starts: string[]][] = [
      ['[foo]: /url\nbar\n===\n', ['[foo]: /url', 'bar\n===']],
      ['[a]: /u\r\n[b]: /v\r\n  bar\r\n---\r\n', ['[a]: /u', '[b]: /v', 'bar\r\n---']],
      ['[a]: /u "t\nx"\nbar\nbaz\n===', ['[a]: /u "t\nx"', 'bar\nbaz\n===']],
      ['1. ~~~ js\n> x\n', ['1. ~~~ js', '> x']],
      ['> > ```\r\n- item\r\n\r\ntext', ['> > ```', '- item', 'text']],
      ['- ```\n\tx\n***\n', ['- ```\n\tx', '***']],
    ]
    for (const [text, parts] of cases) {
      const { source, blocks } = blocksOfRead(Buffer.from(text))
      t.same(
        blocks.map(({ offsets }) => source.slice(...offsets)),
        parts,
      )
      t.same(
        blocks.map(({ id }) => id),
        idsOf(text),
        'the ids are those of the blocks',
      )
    }
  },
)

t.test('parsed content keeps exactly the writable blocks of a read', async () => {
  fc.assert(
    fc.property(anyFile, (text) => {
      const before = standing(find(text))
      const writable = blocksOfRead(read(before)).blocks.filter((block) => block.writable)
      assert.equal(before.digest.blocks, writable.map(({ id, type }) => `${id}:${type}`).join(' '))
    }),
    { numRuns: 200, seed: 4 },
  )
})

t.test(
  'parsed content keeps the names that its block ids were computed with, so a rename is noticed',
  async (t) => {
    const sent = send(`# T\n\nAsk @Ada.\n\nEnd.\n`)
    t.same(sent.digest.blockNames, { [ada.id]: 'Ada' })
    const before = standing(sent)
    const people = [{ ...ada, name: 'Ada Byron' }]
    const names = presentNames(people)
    const [asked] = blocksOfRead(read(before, names)).blocks.filter((block) => block.writable)
    const again = send(String(read(before, names)).replace('Ask', 'Tell'), { before, people })
    t.same(Object.keys(again.rebinding), [asked!.id])
    t.same(again.blockIds, { rebound: 1, orphaned: 0, total: 2 })
  },
)

t.test('an empty heading is not a title, and its id counts the added title above it', async (t) => {
  const before = { ...standing(find('#\n\nText.\n')), title: '##' }
  const again = send(`${read(before)}More.\n`, { before })
  const shown = blocksOfRead(read({ ...standing(again), title: '##' })).blocks.filter(
    (block) => block.writable,
  )
  t.equal(again.digest.blocks, shown.map(({ id, type }) => `${id}:${type}`).join(' '))
  t.match(shown[0]?.id, /\.2$/)
})

t.test('too many blocks are not kept, and are aligned nevertheless', async (t) => {
  const lines = Array.from({ length: 5001 }, (_, index) => `${index}\n\n`).join('')
  const sent = send(`# T\n\n${lines}`)
  t.equal(sent.digest.blocks, null)
  const again = send(`# T\n\n${lines}End.\n`, { before: standing(sent) })
  t.same(again.blockIds, { rebound: 0, orphaned: 0, total: 5001 })
})

t.test('a body that begins like frontmatter is parsed as text below a fence', async (t) => {
  const { nodes, source, base } = parseBody('---\na: b\n---\n')
  t.same(
    nodes.map(({ type }) => type),
    ['thematicBreak', 'heading'],
  )
  t.equal(source.slice(base), '---\na: b\n---\n')
})

t.test('too deep nesting is detected before anything walks the tree', async (t) => {
  t.equal(parseFile(`${'> '.repeat(200)}a`).nodes.length, 1)
  t.throws(() => parseFile(`${'> '.repeat(6000)}www.example.org`), TooDeepError)
  t.throws(() => parseFile(`${'- '.repeat(400)}a`), TooDeepError)
})
