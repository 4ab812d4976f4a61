import t from 'tap'
import { parseReference } from '../../../core/links/reference.ts'
import { analyse } from '../../../core/markdown/analyse.ts'
import { ada, find, memberId, read, send, standing, taken } from './files.ts'

const docId = `doc_${'0'.repeat(23)}abc`

const tokensOf = (body: string) => find(`# T\n\n${body}\n`).references.map(({ token }) => token)
const contextsOf = (body: string) => find(`# T\n\n${body}\n`).references.map(({ context }) => context)

t.test('tokens are found in all text of a file, in order', async (t) => {
  const cases: [body: string, tokens: string[]][] = [
    [
      'See [[c:12]], [[Exact title]] and ![[p:x#^k1|Label]].',
      ['[[c:12]]', '[[Exact title]]', '![[p:x#^k1|Label]]'],
    ],
    ['## About [[a]]\n\n> - **bold [[b]]**\n>   - [ ] ~~[[c]]~~', ['[[a]]', '[[b]]', '[[c]]']],
    ['| a | b |\n|---|---|\n| [[x\\|Label]] | [[y]] |', ['[[x\\|Label]]', '[[y]]']],
    ['Note[^1]\n\n[^1]: see [[a]]', ['[[a]]']],
    ['Mail a@b.example, www.c.example or [[a]].', ['[[a]]']],
    ['[[ä ö — 漢字]] [[a_b_c]] [[1 * 2 * 3]]', ['[[ä ö — 漢字]]', '[[a_b_c]]', '[[1 * 2 * 3]]']],
    ['x\\![[a]] \\\\[[b]]', ['[[a]]', '[[b]]']],
  ]
  for (const [body, tokens] of cases) t.strictSame(tokensOf(body), tokens, body)
  t.strictSame(find('See [[a]].\n# T [[b]]\n').references.length, 2, 'above the title and in it, too')
})

t.test('code, links, HTML, escaped and malformed tokens are not references', async (t) => {
  for (const body of [
    '`[[a]]`',
    '```\n[[a]]\n```',
    '    [[a]]',
    '[see [[a]]](https://a.example/)',
    '[[a]](https://a.example/)',
    '[[a]]\n\n[a]: https://a.example/',
    '![[[a]]](x.png)',
    '<b title="[[a]]">',
    '<!-- [[a]] -->',
    '\\[[a]] [\\[b]] [[c\\]] [[d]\\]',
    '[[a *b* c]] [[a\nb]] [[]] [a] [[a]',
    `[[${'x'.repeat(301)}]]`,
  ]) {
    t.strictSame(tokensOf(body), [], body.slice(0, 60))
  }
})

t.test('a markdown link counts only if it leads to a file of the workspace', async (t) => {
  t.strictSame(
    tokensOf(
      '[a](b.md) [c](../posts/d%20e.md#f) [g](/v1/fs/projects/p/docs/h.md) [i][j] [k](<l m.md>)\n\n[j]: n.md',
    ),
    ['b.md', '../posts/d%20e.md#f', '/v1/fs/projects/p/docs/h.md', 'n.md', 'l m.md'],
  )
  t.strictSame(
    tokensOf(
      '[a](https://a.example/b.md) [b](//c.example/d.md) [c](#e.md) [d](f.png) [g](mailto:a@b.md) ![h](i.md)',
    ),
    [],
  )
})

t.test('the context of a link is one short line', async (t) => {
  t.strictSame(contextsOf('First\n**line**, `code` and [[a]],\n[text](x.md).'), [
    'First line, code and [[a]], text.',
    'First line, code and [[a]], text.',
  ])
  t.strictSame(contextsOf('| a | b |\n|---|---|\n| one | [[y]] |'), ['one [[y]]'])
  const words = 'word '.repeat(100)
  const [context = ''] = contextsOf(`${words}[[here]] ${words}`)
  t.match(context, /^…word .*\[\[here\]\] .*word…$/)
  t.ok(context.length <= 202)
  const [unbroken = ''] = contextsOf(`${'😀'.repeat(100)}[[here]]${'😀'.repeat(100)}`)
  t.match(unbroken, /^…😀+\[\[here\]\]😀+…$/u)
  t.match(contextsOf(`&amp;\\* ${words}[[here]] end`)[0], /\[\[here\]\]/)
})

t.test('a sent file and the same file sent back have the same links; plain text has none', async (t) => {
  const text = '---\ntitle: Plan [[x]]\n---\nBy @Ada, see [[@Ada’s plan]] and [[c:1]].\n'
  const links = ['[[@Ada’s plan]]', '[[c:1]]']
  const sent = send(text)
  t.strictSame(
    sent.references.map(({ token }) => token),
    links,
  )
  t.equal(sent.references[0]!.context, 'By @Ada, see [[@Ada’s plan]] and [[c:1]].')
  const again = send(`${read(standing(sent))}More.\n`, { before: standing(sent) })
  t.strictSame(
    again.references.map(({ token }) => token),
    links,
    'the added heading does not count',
  )
  const bytes = Buffer.from('# T\n\n[[a]] searched\n')
  const plain = taken(analyse({ bytes, origin: 'found', people: [], names: {}, before: null }, 'budget'))
  t.strictSame([plain.references, plain.searchText], [[], '# T\n\n[[a]] searched\n'])
})

t.test('the first thousand links of a file count', async (t) => {
  t.equal(find(`# T\n\n${'[[a]] '.repeat(600)}\n\n${'[[b]] '.repeat(600)}\n`).references.length, 1000)
})

t.test('a token says what it refers to', async (t) => {
  const none = { anchor: null, block: null, label: null, isEmbed: false }
  const cases: [token: string, reference: object | null][] = [
    ['[[c:0012]]', { ...none, kind: 'card', target: '12' }],
    ['[[PR:7]]', { ...none, kind: 'pull', target: '7' }],
    [`[[n:${docId}]]`, { ...none, kind: 'id', target: docId }],
    [
      `![[p:${docId.toUpperCase()}#Goals|What we want]]`,
      { kind: 'id', target: docId, anchor: 'Goals', block: null, label: 'What we want', isEmbed: true },
    ],
    ['[[ Exact title ]]', { ...none, kind: 'title', target: 'Exact title' }],
    ['[[a#b#c d]]', { ...none, kind: 'title', target: 'a', anchor: 'c d' }],
    ['[[a#^K1ABCDE2]]', { ...none, kind: 'title', target: 'a', block: 'k1abcde2' }],
    ['[[a\\|b]]', { ...none, kind: 'title', target: 'a', label: 'b' }],
    ['[[c:x]]', { ...none, kind: 'title', target: 'c:x' }],
    ['[[n:short]]', { ...none, kind: 'title', target: 'n:short' }],
    ['[[#only a place]]', null],
    ['[[|b]]', null],
    ['a%20b.md?x=y#top', { ...none, kind: 'path', target: 'a b.md', anchor: 'top' }],
    ['a%zz.md', null],
  ]
  for (const [token, reference] of cases) t.strictSame(parseReference(token), reference, token)
})

t.test('the text for the search has no markup', async (t) => {
  const text = [
    '---',
    'tags: [red, 7]',
    'nested: { deep: [{ x: y }] }',
    '---',
    'Above.',
    '# The title',
    '',
    `Hi @[Ada](${ada.id}), **bo**ld [link](https://a.example/) ![alt](x.png) \`code\``,
    '',
    '| a | b |',
    '|---|---|',
    '| c | d |',
    '',
    '```js',
    'const fenced = 1',
    '```',
    '',
    '<div class="hidden">shown <!-- secret --> html</div>',
    '',
  ].join('\n')
  const words = find(text).searchText.replace(/\s+/g, ' ')
  t.equal(words, 'Above. Hi @Ada, bold link alt code a b c d const fenced = 1 shown html red 7 y')
  t.equal(find('---\ntitle: Named\ntags: x\n---\nText.\n').searchText, 'Text.\nx')
  t.equal(find(`Gone @[Left](${memberId('left')}).\n`).searchText, 'Gone @Left.')
  t.equal(find(`# T\n\n${'word '.repeat(60_000)}\n`).searchText.length, 199_999)
})
