import t from 'tap'
import { analyse } from '../../../core/markdown/analyse.ts'
import { plainTitle } from '../../../core/markdown/title.ts'
import { ada, find, read, send, standing, taken, textOf } from './files.ts'

const sendPlain = (text: string, before = null as ReturnType<typeof standing> | null) =>
  taken(analyse({ bytes: Buffer.from(text), origin: 'sent', people: [ada], names: {}, before }, 'budget'))

t.test('the title of plain text is its first `# ` line outside a fence', async (t) => {
  const titles: [text: string, title: string | null][] = [
    ['# Title\n', 'Title'],
    ['Text\n#  Title  ##\r\n# Other', 'Title'],
    ['## No\n#No\n # No\n\n# Yes#', 'Yes#'],
    ['```\n# code\n```\n# Title', 'Title'],
    ['~~~~ js\n# code\n~~~\n```\n# code\n~~~~\n# Title', 'Title'],
    ['```\n# code', null],
    ['# \n# Title', null],
    ['Title\n===', null],
    ['', null],
  ]
  for (const [text, title] of titles) t.equal(plainTitle(text), title, JSON.stringify(text))
})

t.test('a file kept as plain text is stored and read like any other', async (t) => {
  const text = '---\nid: x\ntags: [a]\n---\n# Title\n\nAsk @Ada.\n'
  const sent = sendPlain(text)
  t.equal(textOf(sent.stored), text.replace('id: x\n', ''))
  t.match(sent.digest, {
    title: 'Title',
    titleSource: 'heading',
    mentions: [],
    blocks: null,
    plain: 'budget',
    frontmatter: { own: 'tags: [a]\n', fields: { tags: ['a'] } },
  })
  t.same(sent.blockIds, { rebound: 0, orphaned: 0, total: 0 })
  const before = standing(sent)
  t.equal(textOf(send(read(before), { before }).stored), textOf(sent.stored))
  t.equal(textOf(sendPlain(`${read(before)}More.\n`, before).stored), `${textOf(sent.stored)}More.\n`)
  t.same(send(`${read(before)}More.\n`, { before }).blockIds, { rebound: 0, orphaned: 0, total: 0 })
})

t.test('a heading added by a read is dropped from plain text, too', async (t) => {
  const before = standing(sendPlain('---\ntitle: T\n---\nText.\n'))
  t.equal(textOf(sendPlain(`${read(before)}More.\n`, before).stored), '---\ntitle: T\n---\nText.\nMore.\n')
  t.equal(
    textOf(sendPlain(`${read(before)}\n# More\n`, before).stored),
    '---\ntitle: T\n---\n# T\n\nText.\n\n# More\n',
  )
})

t.test('a file that nests too deeply is kept as plain text', async (t) => {
  const sent = send(`# T\n\n${'> '.repeat(2000)}a\n`)
  t.match(sent.digest, { title: 'T', plain: 'depth', mentions: [], blocks: null })
})

t.test('a file on the disk that is not UTF-8 is kept as plain text', async (t) => {
  const bytes = Buffer.concat([
    Buffer.from('---\ntags: [a]\n---\n# Tïtle\n\n@Ada '),
    Buffer.from([0xff, 0xc3]),
  ])
  const { stored, digest } = find(bytes)
  t.same(Buffer.from(stored), bytes)
  t.match(digest, {
    title: 'Tïtle',
    plain: 'encoding',
    mentions: [],
    frontmatter: { own: 'tags: [a]\n', bodyStart: 18 },
  })
  const latin = find(Buffer.from('---\ntags: [\xe9]\n---\n# T\n', 'latin1'))
  t.match(latin.digest, { title: 'T', plain: 'encoding', frontmatter: null })
})

t.test('a file on the disk with NUL is parsed', async (t) => {
  const text = '# T\n\n@Ada \0 @Ada\n'
  const { stored, digest } = find(text)
  t.equal(textOf(stored), text)
  t.equal(digest.plain, null)
  t.equal(digest.mentions.length, 2)
})
