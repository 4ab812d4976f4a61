import t from 'tap'
import { fieldsIn, setFields } from '../../../server/client/frontmatter.ts'

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

t.test('setting a field changes its own lines and nothing else', async (t) => {
  const cases: [fields: Parameters<typeof setFields>[1], from: string, to: string][] = [
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
    const changed = setFields(card, fields)
    t.equal(changed, card.replace(from, to), JSON.stringify(fields))
    t.match(fieldsIn(changed), fields)
  }
})

t.test('removing a field removes its lines', async (t) => {
  t.equal(setFields(card, { priority: null }), card.replace('priority: low # for now\n', ''))
  t.equal(setFields(card, { labels: [] }), card.replace('labels:\n  - tides # all of them\n  - core\n', ''))
  t.equal(setFields(card, { empty: '' }), card.replace('empty:\n', ''))
  t.equal(setFields(card, { nothing: null }), card)
})

t.test('the first field adds frontmatter to a file that has none, with the file’s line ends', async (t) => {
  t.equal(setFields('# T\n', { priority: 'low' }), '---\npriority: low\n---\n# T\n')
  t.equal(setFields('# T\n', { priority: null }), '# T\n')
  t.equal(setFields('# T\r\n', { labels: ['a'] }), '---\r\nlabels: [a]\r\n---\r\n# T\r\n')
  t.equal(
    setFields('---\r\na: 1 # b\r\nc: 2\r\n---\r\nT', { a: 'x\ny' }),
    '---\r\na: "x\\ny" # b\r\nc: 2\r\n---\r\nT',
  )
  t.equal(setFields('---\n---\nT', { a: 1 }), '---\na: 1\n---\nT')
  t.same(fieldsIn('T'), {})
})

t.test('frontmatter that cannot be read is refused with an error, and not changed', async (t) => {
  for (const text of ['---\na: [\n---\n', '---\n- a\n---\n', '---\na: 1\na: 2\n---\n']) {
    t.throws(
      () => setFields(text, { b: 1 }),
      { message: /^The frontmatter cannot be read: .+ Fix it in the editor\.$/ },
      text,
    )
  }
  t.equal(setFields('---\nno end', { b: 1 }), '---\nb: 1\n---\n---\nno end')
})
