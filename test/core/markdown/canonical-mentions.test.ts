import t from 'tap'
import { mentionedIds, plainText, previewOf } from '../../../core/markdown/canonical-mentions.ts'
import fc from '../../support/seeded-properties.ts'

const ada = 'mem_00000000000000000000000ada'
const grace = 'mem_0000000000000000000000grac'
const names = { [ada]: 'Ada', [grace]: 'Grace Hopper' }

t.test('members and broadcasts are mentioned by id, in order and without repeats', async (t) => {
  const text = `@[Grace](${grace}), @[here](__here__), @[Ada](${ada}) and @[G](${grace}) @[x](__channel__)@[y](__everyone__)`
  t.same(mentionedIds(text), [grace, '__here__', ada, '__channel__', '__everyone__'])
})

t.test('a mention counts wherever it stands, and whatever name is in it', async (t) => {
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
  'as plain text a mention is the present name; of one who left the name that was written',
  async (t) => {
    t.equal(
      plainText(`Hi @[Old name](${grace}) & @[Gone]( mem_) @[Bob](mem_00000000000000000000000bob)!`, names),
      'Hi @Grace Hopper & @[Gone]( mem_) @Bob!',
    )
    t.equal(plainText('@[whatever](__here__) @[x](__everyone__)', names), '@here @everyone')
    t.equal(plainText(`@[$& $1](mem_00000000000000000000000bob)`, names), '@$& $1')
  },
)

t.test('a preview is cut at 280 characters of plain text, and splits none', async (t) => {
  t.equal(previewOf('a'.repeat(280), names), 'a'.repeat(280))
  t.equal(previewOf('a'.repeat(281), names), 'a'.repeat(280))
  t.equal(previewOf('🚀'.repeat(300), names), '🚀'.repeat(280))
  t.equal(previewOf(`a${'🚀'.repeat(300)}`, names), `a${'🚀'.repeat(279)}`)
  t.equal(previewOf(`@[Grace](${grace})${'b'.repeat(280)}`, names), `@Grace Hopper${'b'.repeat(267)}`)
})

const pieces = ['@[', '@', '[', ']', '](', '(', ')', ada, '__here__', 'Ada', ' ', '\n', '\\']
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))

t.test('what is looked at for one mention is not looked at again for the next', async (t) => {
  // By structure, not by the clock: the names that attempts can run over never reach into each other.
  fc.assert(
    fc.property(anyText, (text) => {
      let end = 0
      for (let at = text.indexOf('@['); at !== -1; at = text.indexOf('@[', at + 1)) {
        if (at + 1 < end) throw new Error('Two attempts overlap')
        end = at + 2 + /^[^[\]\r\n]*/.exec(text.slice(at + 2))![0].length
      }
    }),
  )
  // Where they did, these would take hours.
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

t.test('plain text mentions nobody, and is the same where nobody was mentioned', async (t) => {
  fc.assert(
    fc.property(anyText, (text) => {
      const shown = plainText(text, names)
      const isPlain = mentionedIds(text).length === 0
      if (isPlain !== (shown === text)) throw new Error(shown)
    }),
  )
  t.pass('whatever is in the text')
})
