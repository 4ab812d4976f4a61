import t from 'tap'
import { joinEnvelope, splitEnvelope } from '../../../server/client/editor/envelope.ts'
import { hunksBetween } from '../../../server/client/editor/hunks.ts'
import { normalizeLineEnds, restoreLineEnds } from '../../../server/client/editor/line-ends.ts'
import { merge } from '../../../server/client/editor/merge.ts'
import { withTitle } from '../../../server/client/editor/with-title.ts'
import fc from '../../support/seeded-properties.ts'

const serverKeys = new Set(['id', 'author', 'mentions'])
const line = fc.constantFrom('a', 'b', 'c', '', '---', 'x: 1', '# T')
const lines = fc.array(line, { maxLength: 10 })
const text = lines.map((all) => all.join('\n'))
const endedText = fc
  .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 10 })
  .map((all) => all.map(([words, end]) => words + end).join(''))
const runs = { numRuns: 400, seed: 7 }

t.test('a file opened in the editor and not changed is sent back byte for byte', async (t) => {
  const own = fc.constantFrom('', 'tags: [a]\n', '# c\r\nt: 1\r\n', '\n', 'idea: 1\n')
  fc.assert(
    fc.property(own, endedText, (fields, body) => {
      const read = `---\nid: doc_1\nauthor: "a: b"\n${fields}---\n${body}`
      const parts = splitEnvelope(read, serverKeys)
      const sent = joinEnvelope({
        ...parts,
        text: restoreLineEnds(parts.text, normalizeLineEnds(parts.text)),
      })
      return sent === read
    }),
    runs,
  )
  const read = '---\nid: doc_1\nauthor: Ada\n---\n# T\n'
  t.strictSame(splitEnvelope(read, serverKeys), {
    serverFrontmatter: 'id: doc_1\nauthor: Ada\n',
    text: '# T\n',
  })
})

t.test('frontmatter typed above a text that had none joins the server’s frontmatter', async (t) => {
  const serverFrontmatter = 'id: doc_1\n'
  t.equal(
    joinEnvelope({ serverFrontmatter, text: '---\ntags: [a]\n---\n# T\n' }),
    '---\nid: doc_1\ntags: [a]\n---\n# T\n',
  )
  t.equal(
    joinEnvelope({ serverFrontmatter, text: '---\nNo fence, but a line.\n' }),
    '---\nid: doc_1\n---\n---\nNo fence, but a line.\n',
  )
  t.equal(joinEnvelope({ serverFrontmatter: '', text: '# New\n' }), '# New\n')
})

t.test('lines keep their ends, and new lines end as most lines do', async (t) => {
  fc.assert(
    fc.property(endedText, text, (before, now) => normalizeLineEnds(restoreLineEnds(before, now)) === now),
    runs,
  )
  t.equal(restoreLineEnds('a\r\nb\nc\r\n', 'a\nb\nnew\nc\n'), 'a\r\nb\nnew\r\nc\r\n')
  t.equal(restoreLineEnds('a\r\nb', 'a\nb\n'), 'a\r\nb\r\n')
})

t.test('the difference of two texts turns one into the other, with as few lines as possible', async (t) => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      let at = 0
      const made = hunksBetween(before, after).flatMap((hunk) => {
        const kept = before.slice(at, hunk.from)
        at = hunk.to
        return [...kept, ...hunk.lines]
      })
      return [...made, ...before.slice(at)].join('\n') === after.join('\n')
    }),
    runs,
  )
  t.strictSame(hunksBetween(['a', 'b', 'c'], ['a', 'x', 'c', 'd']), [
    { from: 1, to: 2, lines: ['x'] },
    { from: 3, to: 3, lines: ['d'] },
  ])
})

t.test(
  'a merge keeps both sides’ changes; where they touch it keeps mine and counts a conflict',
  async (t) => {
    fc.assert(
      fc.property(text, text, (base, changed) => {
        const alone = [merge(base, base, changed), merge(base, changed, base), merge(base, changed, changed)]
        return alone.every((merged) => merged.text === changed && merged.conflicts === 0)
      }),
      runs,
    )
    const base = '1\n2\n3\n4\n5'
    t.strictSame(merge(base, '1\nmine\n3\n4\n5', '1\n2\n3\n4\ntheirs'), {
      text: '1\nmine\n3\n4\ntheirs',
      conflicts: 0,
    })
    t.strictSame(merge(base, '1\nmine\n3\n4\n5\nend', 'first\n1\ntheirs\n3\n4\n5'), {
      text: 'first\n1\nmine\n3\n4\n5\nend',
      conflicts: 1,
    })
    t.strictSame(merge(base, '1\nmine\n3\n4\n5', '1\n2\ntheirs\n4\n5').conflicts, 1, 'adjacent lines')
    t.strictSame(merge(base, '1\n2\n4\n5', '1\n2\n4\nfive'), { text: '1\n2\n4\nfive', conflicts: 0 })
  },
)

t.test('a title is put above the text and below the frontmatter', async (t) => {
  t.equal(withTitle('Text.', ' The  title '), '# The title\n\nText.')
  t.equal(withTitle('---\na: 1\n---\nText.', 'T'), '---\na: 1\n---\n# T\n\nText.')
  t.equal(withTitle('---\na: 1\n---', 'T'), '---\na: 1\n---\n# T\n\n')
  t.equal(withTitle('# Own\n', ' '), '# Own\n')
})
