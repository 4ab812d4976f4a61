import t from 'tap'
import { fieldsIn, withFields } from '../../../server/web/client/frontmatter.ts'

const card = `---
# Why: see the room
priority: low # for now
labels:
  - tides # all of them
  - core
"due": 2026-06-26
notes: |
  Two lines
  of text
empty:
---
# Title

---
Text.
`

t.test('a field is set in its place, and all else stays as it is', async (t) => {
  const cases: [fields: Parameters<typeof withFields>[1], from: string, to: string][] = [
    [{ priority: 'urgent' }, 'priority: low #', 'priority: urgent #'],
    [{ labels: ['a', 'b, c'] }, 'labels:\n  - tides # all of them\n  - core\n', 'labels: [a, "b, c"]\n'],
    [{ due: '2026-07-01' }, '"due": 2026-06-26', 'due: 2026-07-01'],
    [{ notes: 'One: line' }, 'notes: |\n  Two lines\n  of text\n', 'notes: "One: line"\n'],
    [{ empty: 3 }, 'empty:\n', 'empty: 3\n'],
    [{ assignees: ['Ada', 'null', 'a#b'] }, 'empty:\n', 'empty:\nassignees: [Ada, "null", a#b]\n'],
    [{ resolution: 'Two\nlines' }, 'empty:\n', 'empty:\nresolution: |-\n  Two\n  lines\n'],
    [
      { 'blocked-by': [1, 12], kind: 'question' },
      'empty:\n',
      'empty:\nblocked-by: [1, 12]\nkind: question\n',
    ],
  ]
  for (const [fields, from, to] of cases) {
    const changed = withFields(card, fields)
    t.equal(changed, card.replace(from, to), JSON.stringify(fields))
    t.match(fieldsIn(changed), fields)
  }
})

t.test('a field is taken away with its line', async (t) => {
  t.equal(withFields(card, { priority: null }), card.replace('priority: low # for now\n', ''))
  t.equal(withFields(card, { labels: [] }), card.replace('labels:\n  - tides # all of them\n  - core\n', ''))
  t.equal(withFields(card, { empty: '' }), card.replace('empty:\n', ''))
  t.equal(withFields(card, { nothing: null }), card)
})

t.test('a file without frontmatter gets one with its first field, and keeps its line ends', async (t) => {
  t.equal(withFields('# T\n', { priority: 'low' }), '---\npriority: low\n---\n# T\n')
  t.equal(withFields('# T\n', { priority: null }), '# T\n')
  t.equal(withFields('# T\r\n', { labels: ['a'] }), '---\r\nlabels: [a]\r\n---\r\n# T\r\n')
  t.equal(
    withFields('---\r\na: 1 # b\r\nc: 2\r\n---\r\nT', { a: 'x\ny' }),
    '---\r\na: "x\\ny" # b\r\nc: 2\r\n---\r\nT',
  )
  t.equal(withFields('---\n---\nT', { a: 1 }), '---\na: 1\n---\nT')
  t.same(fieldsIn('T'), {})
})

t.test('frontmatter that is none is left alone, and said', async (t) => {
  for (const text of ['---\na: [\n---\n', '---\n- a\n---\n', '---\na: 1\na: 2\n---\n']) {
    t.throws(
      () => withFields(text, { b: 1 }),
      { message: /^The frontmatter cannot be read: .+ Mend it in the editor\.$/ },
      text,
    )
  }
  t.equal(withFields('---\nno end', { b: 1 }), '---\nb: 1\n---\n---\nno end')
})
