import t from 'tap'
import { parseFence } from '../../../core/markdown/frontmatter.ts'
import type { PreviousVersion } from '../../../core/markdown/types.ts'
import { find, read, refusalOf, send, standing, textOf } from './files.ts'

const ownOf = (fence: string) => {
  const read = parseFence(fence)
  return read.kind === 'map' ? read.own : read.kind
}

t.test('frontmatter is the text between `---` on the first line and the next `---`', async (t) => {
  const kinds: [text: string, kind: string][] = [
    ['---\na: b\n---\n', 'map'],
    ['---\na: b\n---', 'map'],
    ['---  \na: b\n---\t\nText', 'map'],
    ['---\r\na: b\r\n---\r\n', 'map'],
    ['---\n---\n', 'map'],
    ['---\n\n# comment\n---\n', 'map'],
    ['\n---\na: b\n---\n', 'text'],
    [' ---\na: b\n---\n', 'text'],
    ['----\na: b\n---\n', 'text'],
    ['---\na: b\n----\n', 'text'],
    ['---\na: b\n ---\n', 'text'],
    ['---\na: b\n', 'text'],
    ['---', 'text'],
    ['', 'text'],
    ['---\n- a\n- b\n---\n', 'text'],
    ['---\njust words\n---\n', 'text'],
    ['---\n"quoted"\n---\n', 'text'],
  ]
  for (const [text, kind] of kinds) t.equal(parseFence(text).kind, kind, JSON.stringify(text))
})

t.test('server keys are removed, and everything else stays byte for byte', async (t) => {
  const own =
    '# about\n\ntags: [a, b] # mine\n"quoted id": 1\nnested:\n  id: kept\nlist:\n- id: kept\ntext: |\n  id: kept\n\n  more\n' +
    'wide: >-\n  folded\n# end\n\n'
  const withServer = own
    .replace('\ntags', '\nid: doc_1\nmentions:\n  - Ada\n\n  # note\n  - Grace\ntags')
    .replace('nested', 'attachments: [\n  {"id": "att"},\n]\n"author": \'x: y\'\nauthorId   : z\nnested')
    .replace('# end', 'comments:\n- a\n- b\n# end')
  t.equal(ownOf(`---\n${withServer}---\n`), own)
  t.equal(ownOf(`---\n${own}---\n`), own)
  t.equal(ownOf('---\r\nid: 1\r\ntags: x\r\n---\r\n'), 'tags: x\r\n')
  t.equal(ownOf('---\nid: 1\nids: 2\nId: 3\n---\n'), 'ids: 2\nId: 3\n')
  t.equal(ownOf('---\nid: 1\nid: 2\nauthor: *broken {[\n---\n'), '', 'server keys with any value')
})

t.test('the author’s fields are read as plain values', async (t) => {
  const fence = parseFence(
    '---\nn: 1\nt: true\nz: null\ne:\ns: "x"\nd: 2026-06-18\nl: [a, {b: c}]\nnan: .nan\n__proto__: {polluted: true}\n7: seven\n---\n',
  )
  if (fence.kind !== 'map') throw new Error(fence.kind)
  t.same(Object.entries(fence.fields), [
    ['7', 'seven'],
    ['n', 1],
    ['t', true],
    ['z', null],
    ['e', null],
    ['s', 'x'],
    ['d', '2026-06-18'],
    ['l', ['a', { b: 'c' }]],
    ['nan', null],
    ['__proto__', { polluted: true }],
  ])
  t.equal(Reflect.get({}, 'polluted'), undefined)
  t.same(Object.getOwnPropertyNames(structuredClone(fence.fields)), Object.getOwnPropertyNames(fence.fields))
})

const deep = (levels: number) =>
  Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:\n`).join('')

const faults: [content: string, message: RegExp][] = [
  ['a: &x 1\n', /holds an anchor \(line 2\)/],
  ['a: 1\nb: *x\n', /holds an alias|not valid YAML/],
  ['<<: {a: 1}\n', /holds a merge key \(line 2\)/],
  ['a: !!str 1\n', /explicit tag/],
  ['a: !foo {b: c}\n', /explicit tag/],
  ['!!map\na: b\n', /explicit tag|not valid YAML/],
  ['a: 1\n# c\na: 2\n', /the key `a` twice \(line 4\)/],
  ['a: {b: 1, b: 2}\n', /the key `b` twice/],
  ['a: b: c\n', /not valid YAML.*\(line 2\)/],
  ['id: x\nok: 1\na: "open\n', /not valid YAML.*\(line 4\)/],
  ['\ta: b\n', /not valid YAML/],
  ['{a: 1}\n', /map in braces/],
  ['  a: 1\n  b: 2\n', /indented or marked \(line 2\)/],
  ['? a\n: b\n', /indented or marked/],
  ['? [a, b]\n: c\n', /indented or marked/],
  ['a: b\n...\n', /document marker \(line 3\)/],
  ['--- a\n', /document marker/],
  ['%YAML 1.2\n', /not valid YAML/],
  ['a: b\rc: d\n', /carriage return alone/],
  ['"\\x69d": x\n', /`id` is the server's own/],
  ['id: x\njust words\n', /more than `key: value` lines/],
  [deep(17), /deeper than 16 levels/],
  [`a: ${'['.repeat(17)}${']'.repeat(17)}\n`, /deeper than 16 levels/],
  [`a: ${'['.repeat(60_000)}\n`, /deeper than 16 levels/],
  [`a:\n  ${'- '.repeat(30_000)}x\n`, /deeper than 16 levels/],
  [`${'? '.repeat(30_000)}x\n`, /deeper than 16 levels/],
  [`a: ${'{a: '.repeat(15_000)}\n`, /deeper than 16 levels/],
  [deep(300), /deeper than 16 levels/],
  [`a: "${'x'.repeat(64 * 1024)}"\n`, /longer than 64 kB/],
  [`a: "${'x'.repeat(1024 * 1024)}"\n`, /longer than 64 kB/],
]

t.test('frontmatter that cannot be accepted is refused, with what, where and how to fix it', async (t) => {
  for (const [content, message] of faults) {
    const refusal = refusalOf(`---\n${content}---\n# T\n`)
    t.match(refusal, message, content.slice(0, 30))
    t.match(refusal, /[:.] [A-Z]?[a-z].*\.$/)
  }
  t.equal(send(`---\n${deep(16)}---\n# T\n`).kind, 'analysis')
})

t.test('in a file on the disk, invalid frontmatter counts as text of the body', async (t) => {
  for (const [content] of faults) {
    // Parsed as markdown, the longest ones take minutes, which the budget would cut short.
    if (content.length > 2000) continue
    const text = `---\n${content}---\n# T\n`
    const { stored, digest } = find(text)
    t.equal(digest.frontmatter, null)
    t.equal(
      textOf(read(standing({ ...find(text), stored }))).endsWith(`\n---\n${text}`),
      digest.titleSource === 'heading',
    )
  }
})

t.test('a sent file may begin with a fence that is text', async (t) => {
  const text = '---\n- a\n- b\n---\n# T\n'
  const sent = send(text)
  t.equal(textOf(sent.stored), text)
  t.equal(sent.digest.frontmatter, null)
  t.equal(textOf(send(read(standing(sent)), { before: standing(sent) }).stored), text)
})

t.test(
  'a fence that holds nothing but server keys is dropped, together with the blank lines below',
  async (t) => {
    const stored = (text: string, before?: string) =>
      textOf(send(text, { before: before === undefined ? null : standing(find(before)) }).stored)
    t.equal(stored('---\nid: x\n---\n\n \n# T\n'), '# T\n')
    t.equal(stored('---\nid: x\n# mine\n---\n\n# T\n'), '---\n# mine\n---\n\n# T\n')
    t.equal(
      stored('---\nid: x\n---\n\n# Other\n', '\n# T\n'),
      '\n# Other\n',
      'unless the file began with them before',
    )
    t.equal(stored('---\nid: x\n---\n\n# Other\n', '# T\n'), '# Other\n')
    t.equal(stored('\uFEFF---\nid: x\n---\n# T\n'), '# T\n')
  },
)

t.test('an author’s empty fence is kept, even when the file is written back', async (t) => {
  for (const text of [
    '---\n---\n# T\n',
    '---\n\n---\n# T\n',
    '---\r\n---\r\n\r\n# T\r\n',
    '---  \n---\t\n# T',
  ]) {
    const before = standing(send(text))
    t.equal(textOf(before.stored), text)
    const shown = textOf(read(before))
    t.equal(textOf(send(shown, { before }).stored), text, 'sent back as it was read')
    t.equal(textOf(send(shown.replace('# T', '# Other'), { before }).stored), text.replace('# T', '# Other'))
    t.equal(textOf(send('# T\n', { before }).stored), '# T\n', 'a file sent without it has none')
    const found = standing(find(text))
    t.equal(
      textOf(send(textOf(read(found)).replace('# T', '# Other'), { before: found }).stored),
      text.replace('# T', '# Other'),
    )
  }
  const plain = standing(send('# T\n'))
  t.equal(textOf(send('---\n---\n# T\n', { before: plain }).stored), '---\n---\n# T\n', 'it can be added')
  const card: PreviousVersion = { ...plain, status: 'closed' }
  t.equal(textOf(send(textOf(read(card)), { before: card }).stored), '# T\n')
})

t.test('a body that begins with a fence does not become frontmatter', async (t) => {
  const sent = send('---\nid: x\n---\n---\ntags: [a]\n---\n# T\n')
  t.equal(textOf(sent.stored), '---\n---\n---\ntags: [a]\n---\n# T\n')
  t.match(sent.digest.frontmatter, { own: '', fields: {} })
  const edited = send(`${read(standing(sent))}More.\n`, { before: standing(sent) })
  t.equal(textOf(edited.stored), `${textOf(sent.stored)}More.\n`)
})

t.test('the lines of a fence keep their ends', async (t) => {
  const text = '---\r\ntags: [a]\r\n---\r\n# T\r\n'
  const sent = send(text)
  t.equal(textOf(sent.stored), text)
  const shown = textOf(read(standing(sent)))
  const edited = (from: string, to: string) =>
    textOf(send(shown.replace(from, to), { before: standing(sent) }).stored)
  t.equal(edited('# T', '# Other'), text.replace('# T', '# Other'))
  t.equal(edited('[a]', '[b]'), text.replace('[a]', '[b]'))
  const short = '---\ntitle: T\n---'
  t.equal(textOf(send(short).stored), short)
  t.equal(textOf(send(`${short}\nText.`, { before: standing(send(short)) }).stored), `${short}\nText.`)
  const written = textOf(read(standing(send(short)))).replace('# T\n', '# T\n\nText.\n')
  t.equal(textOf(send(written, { before: standing(send(short)) }).stored), `${short}\nText.\n`)
})

t.test('the lines of the status field are found', async (t) => {
  const statuses: [own: string, lines: string | null][] = [
    ['a: b\nstatus: active # now\nc: d\n', 'status: active # now\n'],
    ['status:\n  active\n\nc: d\n', 'status:\n  active\n'],
    ['"status": x\n', '"status": x\n'],
    ['a:\n  status: x\nstatuses: y\n', null],
  ]
  for (const [own, lines] of statuses) {
    const fence = parseFence(`---\nid: x\n${own}---\n`)
    if (fence.kind !== 'map') throw new Error(fence.kind)
    t.equal(fence.statusRange && fence.own.slice(...fence.statusRange), lines)
  }
})
