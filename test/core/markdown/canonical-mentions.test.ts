import t from 'tap'
import { mentionedIds, plainText, previewOf } from '../../../core/markdown/canonical-mentions.ts'
import fc from '../../support/seeded-properties.ts'

const ada = 'mem_00000000000000000000000ada'
const grace = 'mem_0000000000000000000000grac'
const names = { [ada]: 'Ada', [grace]: 'Grace Hopper' }

t.test('mentioned members and broadcasts are listed by id, in order and without repeats', async (t) => {
  const text = `@[Grace](${grace}), @[here](__here__), @[Ada](${ada}) and @[G](${grace}) @[x](__channel__)@[y](__everyone__)`
  t.same(mentionedIds(text), [grace, '__here__', ada, '__channel__', '__everyone__'])
})

t.test('a canonical mention counts anywhere in a text, with any name', async (t) => {
  for (const text of [
    `\`@[Ada](${ada})\``,
    `\`\`\`\n@[Ada](${ada})\n\`\`\``,
    `a@[Ada](${ada})b`,
    `\\@[Ada](${ada})`,
    `@[Whoever (once) @home](${ada})`,
    `[@[Ada](${ada})](https://example.org)`,
    `@[@[Ada](${ada})`,
  ])
    t.same(mentionedIds(text), [ada], text)
})

t.test('anything else is plain text', async (t) => {
  for (const text of [
    '@Ada',
    '@[Ada]',
    `@[](${ada})`,
    `@[ \t](${ada})`,
    `@[Ada] (${ada})`,
    `@ [Ada](${ada})`,
    `[Ada](${ada})`,
    `@[A\nda](${ada})`,
    `@[A[d]a](${ada})`,
    `@[Ada](${ada.toUpperCase()})`,
    `@[Ada](${ada}0)`,
    '@[Ada](mem_1)',
    '@[all](__all__)',
    `@[Ada](doc_${ada.slice(4)})`,
  ]) {
    t.same(mentionedIds(text), [], text)
    t.equal(plainText(text, names), text)
  }
})

t.test(
  'in plain text a mention shows the present name, or for a member who left the name as written',
  async (t) => {
    t.equal(
      plainText(`Hi @[Old name](${grace}) & @[Gone]( mem_) @[Bob](mem_00000000000000000000000bob)!`, names),
      'Hi @Grace Hopper & @[Gone]( mem_) @Bob!',
    )
    t.equal(plainText('@[whatever](__here__) @[x](__everyone__)', names), '@here @everyone')
    t.equal(plainText(`@[$& $1](mem_00000000000000000000000bob)`, names), '@$& $1')
  },
)

t.test('a preview is cut at 280 characters of plain text, and never splits one', async (t) => {
  t.equal(previewOf('a'.repeat(280), names), 'a'.repeat(280))
  t.equal(previewOf('a'.repeat(281), names), 'a'.repeat(280))
  t.equal(previewOf('🚀'.repeat(300), names), '🚀'.repeat(280))
  t.equal(previewOf(`a${'🚀'.repeat(300)}`, names), `a${'🚀'.repeat(279)}`)
  t.equal(previewOf(`@[Grace](${grace})${'b'.repeat(280)}`, names), `@Grace Hopper${'b'.repeat(267)}`)
})

const pieces = ['@[', '@', '[', ']', '](', '(', ')', ada, '__here__', 'Ada', ' ', '\n', '\\']
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))

t.test('finding mentions takes linear time', async (t) => {
  // Checks the structure, not the time: the names that attempts run over never overlap.
  fc.assert(
    fc.property(anyText, (text) => {
      let end = 0
      for (let at = text.indexOf('@['); at !== -1; at = text.indexOf('@[', at + 1)) {
        if (at + 1 < end) throw new Error('Two attempts overlap')
        end = at + 2 + /^[^[\]\r\n]*/.exec(text.slice(at + 2))![0].length
      }
    }),
  )
  // If they overlapped, these texts would take hours.
  const times = 1_000_000
  for (const text of [
    '@['.repeat(times),
    `@[${'a'.repeat(times)}`,
    `@[${' '.repeat(times)}](`,
    '@[a]('.repeat(times),
  ]) {
    t.same(mentionedIds(text), [])
  }
})

t.test('a text without mentions is its own plain text, and only such a text', async (t) => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = plainText(text, names)
      const isPlain = mentionedIds(text).length === 0
      if (isPlain !== (shown === text)) throw new Error(shown)
    }),
  )
  t.pass('for any text')
})
