import t from 'tap'
import { ada, find, lovelace, presentNames, read, refusalOf, send, standing, textOf } from './files.ts'

t.test('the title is the first top-level heading of level one, else the frontmatter’s', async (t) => {
  const titles: [text: string, title: string | null, source: string | null][] = [
    ['# Title\n', 'Title', 'heading'],
    ['Title\n=====\n', 'Title', 'heading'],
    ['## Part\n\nText.\n\n# Late\n\n# Later\n', 'Late', 'heading'],
    ['> # Quoted\n\n- # Listed\n\n# Top\n', 'Top', 'heading'],
    ['---\ntitle: Below\n---\n# Above\n', 'Above', 'heading'],
    ['---\ntitle: "From: the fence"\n---\nText.\n', 'From: the fence', 'frontmatter'],
    ['---\ntitle: 2026\n---\nText.\n', '2026', 'frontmatter'],
    ['---\ntitle: " "\n---\nText.\n', null, null],
    ['---\ntitle: [a]\n---\nText.\n', null, null],
    ['---\ntitle: true\n---\nText.\n', null, null],
    ['---\ntitle: >\n  Two\n  lines\n---\n', 'Two lines', 'frontmatter'],
    ['---\ntitle: Fence\n---\n#\n\n# Second\n', 'Fence', 'frontmatter'],
    ['# \n', null, null],
    ['```\n# code\n```\n', null, null],
    ['Text.\n', null, null],
    ['', null, null],
    [
      '# *Some* `code`, [a link](x), ![alt](y) &amp; <b>html</b>  #\n',
      'Some code, a link, alt & html',
      'heading',
    ],
    ['#  Wide \t space\n', 'Wide space', 'heading'],
    ['Two\nlines\n===\n', 'Two lines', 'heading'],
    [`# Ask @[Old](${ada.id})\n`, 'Ask @Ada', 'heading'],
    [`# ${'x'.repeat(300)}\n`, 'x'.repeat(200), 'heading'],
    [`# ${'🚀'.repeat(201)}\n`, '🚀'.repeat(200), 'heading'],
  ]
  for (const [text, title, titleSource] of titles)
    t.match(find(text).digest, { title, titleSource }, text.slice(0, 40))
})

t.test('a file sent without a title is refused, saying how to add one', async (t) => {
  for (const text of [
    '',
    'Text.\n',
    '#\n\nText.\n',
    '> # Quoted\n',
    '---\ntags: [a]\n---\nText.\n',
    '```\n# code\n```\n',
  ])
    t.match(refusalOf(text), /needs a title: begin it with `# Title`/, text)
})

t.test('a title is cut to 200 visible characters, and the text is not', async (t) => {
  t.equal(send(`# ${'🚀'.repeat(200)}\n`).digest.title, '🚀'.repeat(200))
  const long = `# ${'🚀'.repeat(201)}\n`
  t.equal(send(long).digest.title, '🚀'.repeat(200))
  t.equal(textOf(send(long).stored), long)
  t.equal(send(`---\ntitle: ${'x'.repeat(201)}\n---\n`).digest.title, 'x'.repeat(200))
  t.equal(send(`# ${'word '.repeat(50)}\n`).digest.title, 'word '.repeat(40).trim())
  t.equal(
    send(`# ${'letters '.repeat(30)}\n`).digest.title,
    'letters '.repeat(25).trim(),
    'it is cut after a whole word',
  )
})

t.test('a heading added by a read is dropped again if the title is the same without it', async (t) => {
  const fenced = standing(send('---\ntitle: Plan\n---\nText.\n'))
  t.match(textOf(read(fenced)), '---\n# Plan\n\nText.\n')
  const edited = (from: string | RegExp, to: string, before = fenced) =>
    textOf(send(textOf(read(before)).replace(from, to), { before }).stored)
  t.equal(edited('Text.', 'Other.'), '---\ntitle: Plan\n---\nOther.\n')
  t.equal(edited('Text.', '## Part\n\nOther.'), '---\ntitle: Plan\n---\n## Part\n\nOther.\n')
  t.equal(
    edited('# Plan', '# Other'),
    '---\ntitle: Plan\n---\n# Other\n\nText.\n',
    'a new heading is a new title',
  )
  t.equal(
    edited('title: Plan', 'title: Other'),
    '---\ntitle: Other\n---\n# Plan\n\nText.\n',
    'the heading wins',
  )
  t.equal(edited('title: Plan\n', ''), '# Plan\n\nText.\n', 'it stays if it is the only title')
  t.equal(
    edited('Text.', '# Second'),
    '---\ntitle: Plan\n---\n# Plan\n\n# Second\n',
    'it stays if another heading would win',
  )

  const named = standing(find('Text.\n'), 'notes')
  t.equal(edited('Text.', 'Other.', named), 'Other.\n')
  t.equal(edited('# notes', '# Notes', named), '# Notes\n\nText.\n')
  t.equal(edited(/# notes\n\nText/, '# notes\r\n\r\nOther', named), 'Other.\n')

  const empty = standing(find(''), 'empty')
  t.match(textOf(read(empty)), /---\n# empty\n$/)
  t.equal(edited('# empty\n', '# empty\nText.\n', empty), 'Text.\n')
})

t.test('a mention in a title shows the present name', async (t) => {
  const people = [{ ...lovelace, name: 'Ada King' }]
  const sent = send('# By @Ada King\n', { people })
  t.equal(sent.digest.title, 'By @Ada King')
  t.equal(find(sent.stored, { people: [], names: presentNames([lovelace]) }).digest.title, 'By @Ada Lovelace')
})
