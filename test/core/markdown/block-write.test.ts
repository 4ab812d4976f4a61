import assert from 'node:assert/strict'
import t from 'tap'
import { writeBlock } from '../../../core/markdown/block-write.ts'
import type { BlockWriteRequest, PreviousVersion } from '../../../core/markdown/types.ts'
import { blocksOfRead } from '../../../core/markdown/views.ts'
import fc from '../../support/seeded-properties.ts'
import { ada, find, grace, lovelace, presentNames, read, send, standing, taken, textOf } from './files.ts'
import { anyFile, anyMarkdown } from './nasty-markdown.ts'

const people = [ada, lovelace, grace]
const names = presentNames(people)

const write = (
  before: PreviousVersion,
  block: string,
  replacement: string,
  rest: Partial<BlockWriteRequest> = {},
) =>
  writeBlock({
    before,
    block,
    replacement: Buffer.from(replacement),
    people,
    names,
    read: read(before),
    ...rest,
  })

/** The nth writable block of a file. */
const ownBlock = (before: PreviousVersion, place: number) =>
  blocksOfRead(read(before)).blocks.filter(({ writable }) => writable)[place]!

const writeNth = (before: PreviousVersion, place: number, replacement: string) =>
  write(before, ownBlock(before, place).id, replacement)

const refused = (result: ReturnType<typeof write>) => {
  if (result.kind !== 'refusal') throw new Error(`It was not refused but ${result.kind}`)
  return result.message
}

t.test('replacing a block leaves every other byte as it is', async () => {
  const sentence = fc.constantFrom('Short.', 'Two\n\nblocks.', '- a\n- b', '```\ncode\n```')
  fc.assert(
    fc.property(anyMarkdown, anyMarkdown, sentence, (above, below, replacement) => {
      const before = standing(find(`# Title\n\n${above}\n\nThe one block.\n\n${below}`))
      const { source, blocks } = blocksOfRead(read(before))
      const block = blocks.find(({ offsets }) => source.slice(...offsets) === 'The one block.')
      fc.pre(block !== undefined && !above.includes('@') && !below.includes('@'))
      const result = write(before, block!.id, replacement)
      if (result.kind !== 'analysis') {
        assert.match(refused(result), /title|frontmatter/)
        return
      }
      const stored = textOf(before.stored)
      const at = stored.indexOf('The one block.')
      const usesCrlf = stored[stored.indexOf('\n') - 1] === '\r'
      const written = usesCrlf ? replacement.replaceAll('\n', '\r\n') : replacement
      assert.equal(
        textOf(result.stored),
        stored.slice(0, at) + written + stored.slice(at + 'The one block.'.length),
      )
    }),
    { numRuns: 150, seed: 6 },
  )
})

t.test('writing any block with its own source changes nothing', async () => {
  fc.assert(
    fc.property(anyFile, fc.nat(), (text, pick) => {
      const before = standing(find(text))
      const { source, blocks } = blocksOfRead(read(before))
      const own = blocks.filter(({ writable }) => writable)
      fc.pre(own.length > 0)
      const { id, offsets } = own[pick % own.length]!
      const same = source.slice(...offsets)
      // The first line end of a file decides all line ends that are written.
      fc.pre(!text.includes('\r') && same.trim() !== '' && !/^\uFEFF|\n$/.test(same))
      fc.pre(before.digest.mentions.every(({ form }) => form === 'canonical'))
      const result = write(before, id, same)
      assert.equal(textOf(taken(result).stored), text)
    }),
    { numRuns: 150, seed: 8 },
  )
})

t.test('mentions around the block stay canonical, and new ones become canonical', async (t) => {
  const before = standing(
    send('# On @Ada\n\nAsk @Ada Lovelace or @Grace.\n\nThen @Ada again: @[here](__here__).\n'),
  )
  const result = taken(writeNth(before, 0, 'Ask @Grace, not `@Grace`.\n'))
  t.equal(
    textOf(result.stored),
    `# On @[Ada](${ada.id})\n\nAsk @[Grace](${grace.id}), not \`@Grace\`.\n\n` +
      `Then @[Ada](${ada.id}) again: @[here](__here__).\n`,
  )
  t.same(
    result.digest.mentions.map(({ name }) => name),
    ['Ada', 'Grace', 'Ada', 'here'],
  )
  t.same(find(result.stored).digest, result.digest)
})

t.test('a bare name typed on the disk outside the block stays bare', async (t) => {
  const before = standing(find('# T\n\nAsk @Ada.\n\nOld.\n'))
  const result = taken(writeNth(before, 1, 'Ask @Grace.'))
  t.equal(textOf(result.stored), `# T\n\nAsk @Ada.\n\nAsk @[Grace](${grace.id}).\n`)
  t.same(
    result.digest.mentions.map(({ form }) => form),
    ['bare', 'canonical'],
  )
})

t.test('the former block is aligned with the blocks that replace it', async (t) => {
  const before = standing(send('# T\n\nOne.\n\nTwo.\n\nThree.\n'))
  const { id } = ownBlock(before, 1)
  const result = taken(write(before, id, 'Second.\n\nAnd a half.'))
  t.same(result.blockIds, { rebound: 1, orphaned: 0, total: 3 })
  t.equal(result.rebinding[id], ownBlock(standing(result), 1).id)
})

t.test('a block id is accepted in any case', async (t) => {
  const before = standing(send('# T\n\nOne.\n'))
  t.equal(textOf(taken(write(before, ownBlock(before, 0).id.toUpperCase(), 'Two.')).stored), '# T\n\nTwo.\n')
})

t.test(
  'final line ends are trimmed, a BOM is dropped, a fence becomes text, and CRLF stays CRLF',
  async (t) => {
    const before = standing(send('# T\r\n\r\nOne.\r\n\r\nTwo.\r\n'))
    t.equal(
      textOf(taken(writeNth(before, 0, 'A\nb\r\nc.\n\r\n\n')).stored),
      '# T\r\n\r\nA\r\nb\r\nc.\r\n\r\nTwo.\r\n',
    )
    const unix = standing(send('# T\n\nOne.\n'))
    t.equal(textOf(taken(writeNth(unix, 0, '\uFEFF---\na: b\n---\n')).stored), '# T\n\n---\na: b\n---\n')
  },
)

t.test('a file keeps its BOM and its fence', async (t) => {
  const before = standing(find('\uFEFF---\r\ntags: [a]\r\n---\r\n# T\n\nOne.'))
  t.equal(textOf(taken(writeNth(before, 0, 'Two.')).stored), '\uFEFF---\r\ntags: [a]\r\n---\r\n# T\n\nTwo.')
})

t.test('writing a block of the envelope is refused, saying how to change it', async (t) => {
  const before = standing(send('# T\n\nOne.\n'))
  const [fence, title] = blocksOfRead(read(before)).blocks
  t.match(refused(write(before, fence!.id, 'x')), /is the frontmatter.*PUT the whole file/)
  t.match(refused(write(before, title!.id, '# Other')), /is the title.*PUT the whole file/)
})

t.test('a stale block id is answered with the present ids', async (t) => {
  const before = standing(send(`# T\n\n${'word '.repeat(40)}\n\n> quote\n> on\n`))
  const result = write(before, 'k0000000', 'x')
  if (result.kind !== 'stale') throw new Error(`It was not stale but ${result.kind}`)
  t.same(
    result.blocks.map(({ type, writable }) => [type, writable]),
    [
      ['yaml', false],
      ['heading', false],
      ['paragraph', true],
      ['blockquote', true],
    ],
  )
  t.match(result.blocks[1], { preview: '# T', lines: [8, 8] })
  t.equal(result.blocks[2]!.preview, 'word '.repeat(16))
  t.equal(result.blocks[3]!.preview, '> quote > on')
})

t.test('a replacement that would break the file is refused', async (t) => {
  const before = standing(send('# T\n\nOne.\n'))
  for (const blank of ['', '\n\n', ' \t\r\n', '\uFEFF'])
    t.match(refused(writeNth(before, 0, blank)), /needs text/)
  const { id } = ownBlock(before, 0)
  t.match(refused(write(before, id, '', { replacement: Buffer.from([0xff]) })), /UTF-8/)
  t.match(refused(write(before, id, 'a\0b')), /NUL/)

  const hidden = standing(send('Intro.\n\n# T\n'))
  t.match(refused(writeNth(hidden, 0, '<!--')), /needs a title/, 'the title must stay visible')
  t.match(refused(writeNth(hidden, 0, '---\ntags: x\n---')), /into frontmatter/)

  for (const plain of ['budget', 'depth', 'encoding'] as const) {
    const kept = { ...before, digest: { ...before.digest, plain } }
    t.match(refused(write(kept, id, 'x')), /stored as plain text/)
  }
})

t.test('a file named by its file name may stay without a title', async (t) => {
  const before = standing(find('One.\n\nTwo.\n'), 'notes')
  const result = taken(writeNth(before, 0, 'First.'))
  t.equal(textOf(result.stored), 'First.\n\nTwo.\n')
  t.equal(result.digest.title, null)
})
