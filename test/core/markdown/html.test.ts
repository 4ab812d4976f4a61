import t from 'tap'
import { renderHtml } from '../../../core/markdown/html/render-html.ts'
import type { Html, HtmlRequest } from '../../../core/markdown/types.ts'
import { renderView } from '../../../core/markdown/views.ts'
import { ada } from './files.ts'

const origin = 'http://127.0.0.1:4000'

const render = (text: string, rest: Partial<HtmlRequest> = {}): Html =>
  renderHtml({ body: Buffer.from(text), mentions: [], origin, isPlain: false, ...rest }, true)

/** The HTML without the attributes that every element has, and with `§` for a slot. */
const shown = (text: string, rest: Partial<HtmlRequest> = {}): string =>
  render(text, rest)
    .parts.join('§')
    .replace(/ (?:id="\^[^"]*"|data-block="[^"]*"|dir="auto")/g, '')

/** A mention for each `@Ada` of a text that has no backslash before it. */
const mentioning = (text: string): Pick<HtmlRequest, 'mentions'> => ({
  mentions: [...text.matchAll(/(?<!\\)@Ada/g)].map(({ index }) => {
    const start = Buffer.byteLength(text.slice(0, index))
    return { start, end: start + 4, id: ada.id }
  }),
})

const external = 'rel="noopener noreferrer nofollow"'
const person = `<a class="mention" data-member="${ada.id}" href="/members/${ada.id}"><bdi>@Ada</bdi></a>`

t.test('markdown becomes the expected HTML', async (t) => {
  const cases: [markdown: string, html: string][] = [
    ['*a* **b** ~~c~~ `d`  \ne', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code><br>\ne</p>'],
    [
      '- [x] a\n- [ ] b',
      '<ul class="contains-task-list">\n<li class="task-list-item"><input type="checkbox" checked disabled aria-label="Done"> a</li>\n<li class="task-list-item"><input type="checkbox" disabled aria-label="To do"> b</li>\n</ul>',
    ],
    [
      '- [x] a\n\n- b',
      '<ul class="contains-task-list">\n<li class="task-list-item">\n<p><input type="checkbox" checked disabled aria-label="Done"> a</p>\n</li>\n<li>\n<p>b</p>\n</li>\n</ul>',
    ],
    ['3. a', '<ol start="3">\n<li>a</li>\n</ol>'],
    [
      '|a|b|\n|:-|-:|\n|1|2|',
      '<div class="table" role="group" aria-label="Table" tabindex="0"><table>\n<thead>\n<tr>\n<th align="left">a</th>\n<th align="right">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="left">1</td>\n<td align="right">2</td>\n</tr>\n</tbody>\n</table></div>',
    ],
    ['> a\n***', '<blockquote>\n<p>a</p>\n</blockquote>\n<hr>'],
    ['---\na: b\n---', '<hr>\n<h2 id="a-b">a: b</h2>'],
    ['', ''],
  ]
  for (const [markdown, html] of cases) t.equal(shown(markdown), html, markdown)
})

t.test('raw HTML is shown as text', async (t) => {
  t.equal(shown('a <b onclick="x">b</b>'), '<p>a &#x3C;b onclick="x">b&#x3C;/b></p>')
  t.equal(
    shown('<script>\nalert(1)\n</script>'),
    '<pre class="html" tabindex="0">&#x3C;script>\nalert(1)\n&#x3C;/script></pre>',
  )
  t.equal(
    shown('- <!-- x -->'),
    '<ul>\n<li>\n<pre class="html" tabindex="0">&#x3C;!-- x --></pre>\n</li>\n</ul>',
  )
})

t.test('links to the web, to mail and into the workspace work, and others are dead', async (t) => {
  const alive: [destination: string, attributes: string][] = [
    ['https://x.org/a?b=c#d', `href="https://x.org/a?b=c#d" ${external}`],
    ['HTTP://X.org', `href="http://x.org/" ${external}`],
    ['mailto:a@x.org', `href="mailto:a@x.org" ${external}`],
    ['/projects/general/docs/plan#a', 'href="/projects/general/docs/plan#a"'],
    [`${origin}/projects/general`, 'href="/projects/general"'],
    [`${origin}1/projects`, `href="http://127.0.0.1:40001/projects" ${external}`],
    ['#part', 'href="#part"'],
  ]
  for (const [destination, attributes] of alive) {
    t.equal(shown(`[a](<${destination}>)`), `<p><a ${attributes}>a</a></p>`, destination)
    t.equal(shown(`[a]\n\n[a]: <${destination}>`), `<p><a ${attributes}>a</a></p>`, destination)
  }
  const dead = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java&#10;script:alert(1)',
    'vbscript:x',
    'data:text/html,x',
    'blob:x',
    'file:///etc/passwd',
    'ftp://x.org',
    '//evil.example',
    '/\\\\evil.example',
    '\\\\\\\\evil.example',
    '/&#9;/evil.example',
    '/.//evil.example',
    'https://user@evil.example',
    'https://user:word@evil.example',
    'https://',
    '',
    `/${'x'.repeat(2000)}`,
  ]
  for (const destination of dead)
    t.equal(shown(`[a](<${destination}>)`), '<p><span class="dead">a</span></p>', destination)
  t.equal(
    shown('see www.x.org and a@x.org', {}),
    `<p>see <a href="http://www.x.org/" ${external}>www.x.org</a> and <a href="mailto:a@x.org" ${external}>a@x.org</a></p>`,
  )
  t.equal(
    shown('[a](https://x.org "b\\"<i>")'),
    `<p><a href="https://x.org/" ${external} title="b&#x22;<i>">a</a></p>`,
  )
})

t.test('pictures of other sites become links, so that no site learns who reads', async (t) => {
  t.equal(
    shown('![a](https://x.org/p.png) ![](http://x.org/q)'),
    `<p><a href="https://x.org/p.png" ${external}>a</a> <a href="http://x.org/q" ${external}>http://x.org/q</a></p>`,
  )
  t.equal(
    shown('[*![a](https://x.org/p.png)* [^1]](https://x.org)\n\n[^1]: b').split('\n')[0],
    `<p><a href="https://x.org/" ${external}><em>a</em> <sup>1</sup></a></p>`,
    'a link never contains a link',
  )
  t.equal(
    shown('![a](data:image/svg+xml,x) ![b](/rooms)'),
    '<p><span class="dead">a</span> <span class="dead">b</span></p>',
  )
})

t.test('what depends on the reader becomes a slot, in the order of the text', async (t) => {
  const text = [
    'a [[c:12]], ![[Plan \\*x\\*|b]] \\[[no]] `[[no]]` [[a]',
    '',
    '| [[a\\|b]] | \\&#91;[[d]] |\n|--|--|',
    '',
    '> [[x]]\n> [c *![d](e.png "f")*](../g.md "h") ![i](/v1/fs/projects/p/library/files/j) ![k](/download/l) www.x.org/[[m]]',
    '',
    '[[z]](n.pdf) \\\\[[y]] &amp; [[x]]',
  ].join('\n')
  const { parts, slots } = render(text)
  t.strictSame(slots, [
    { kind: 'token', token: '[[c:12]]' },
    { kind: 'token', token: '![[Plan \\*x\\*|b]]' },
    { kind: 'token', token: '[[a\\|b]]' },
    { kind: 'token', token: '[[x]]' },
    { kind: 'link', destination: '../g.md', title: 'h' },
    { kind: 'picture', destination: 'e.png', alt: 'd', title: 'f', isInLink: true },
    {
      kind: 'picture',
      destination: '/v1/fs/projects/p/library/files/j',
      alt: 'i',
      title: null,
      isInLink: false,
    },
    { kind: 'picture', destination: '/download/l', alt: 'k', title: null, isInLink: false },
    { kind: 'link', destination: 'n.pdf', title: null },
    { kind: 'token', token: '[[y]]' },
    { kind: 'token', token: '[[x]]' },
  ])
  t.equal(parts.length, slots.length + 1)
})

t.test('mentions become links to members with their shown names', async (t) => {
  const paragraphs: [text: string, html: string][] = [
    ['Hi @Ada, \\@Ada &commat;Ada &amp; é @Ada!', `Hi ${person}, @Ada @Ada &#x26; é ${person}!`],
    ['*@Ada*', `<em>${person}</em>`],
    [
      '@Ada.example.org and www.x.org',
      `${person}.example.org and <a href="http://www.x.org/" ${external}>www.x.org</a>`,
    ],
  ]
  for (const [text, html] of paragraphs) t.equal(shown(text, mentioning(text)), `<p>${html}</p>`, text)
  const quoted = '> a \\> b\n>   @Ada\n\n`@Ada` [@Ada](https://x.org) @Ada'
  t.match(shown(quoted, mentioning(quoted)), new RegExp(`^<blockquote>\n<p>a > b\n${person}</p>`))
  t.equal(shown(quoted, mentioning(quoted)).split(person).length, 3, 'code and links contain no mentions')
  const fenced = '---\n@Ada'
  t.equal(shown(fenced, mentioning(fenced)), `<hr>\n<p>${person}</p>`)
  const odd = 'a @R*D* b'
  const mentions = [{ start: 2, end: 7, id: '__here__' }]
  t.equal(
    shown(odd, { mentions }),
    '<p>a @R<em>D</em> b</p>',
    'a name that contains markup does not become a mention',
  )
})

t.test('blocks have the ids of the block view, and headings their anchors', async (t) => {
  const body =
    '# T\n\nAsk @Ada [[x]].\n\nsame\n\nsame\n\n## Part *one*\n\n> # Inner\n\n<i>\n\n## Part one\n\n##\n\n[a]: b\n'
  const read = Buffer.from(`---\nid: x\n---\n${body}`)
  const document = { id: 'x', title: 'T', lastEditedAt: '', bytes: 0 }
  const blocks = JSON.parse(renderView({ view: 'blocks', read, canonical: '', document })).blocks.slice(1, -1)
  const { parts, outline } = render(body, mentioning(body))
  const tags = [...parts.join('').matchAll(/<\w+(?: id="([^"]*)")? data-block="([^"]*)"/g)]
  t.strictSame(
    tags.map(([, id, block]) => [id, block]),
    blocks.map(({ id, anchor }: { id: string; anchor?: string }) => [
      anchor === '' ? undefined : (anchor ?? `^${id}`),
      id,
    ]),
  )
  const headings = blocks.filter(({ type }: { type: string }) => type === 'heading')
  t.strictSame(
    outline,
    headings.map(({ id, depth, anchor }: { id: string; depth: number; anchor: string }, place: number) => {
      return { depth, text: ['T', 'Part one', 'Part one', ''][place], anchor, id }
    }),
  )
})

t.test('code is highlighted by its language unless it is too long', async (t) => {
  const fence = (language: string, code: string) => shown(`\`\`\`${language}\n${code}\n\`\`\``)
  const block = (language: string, code: string) =>
    `<pre tabindex="0"><code dir="ltr"${language && ` class="language-${language}"`}>${code}\n</code></pre>`
  t.equal(
    fence('js title=x', 'if (a) "b"'),
    block('js', '<span class="hljs-keyword">if</span> (a) <span class="hljs-string">"b"</span>'),
  )
  t.equal(fence('', 'if'), block('', 'if'))
  t.equal(fence('klingon', '<if>'), block('klingon', '&#x3C;if>'))
  t.equal(shown('    a'), block('', 'a'))
  t.equal(fence('"><script>', 'a'), '<pre tabindex="0"><code dir="ltr" class="">a\n</code></pre>')
  const long = '1;'.repeat(25_001)
  t.equal(fence('js', long), block('js', long))
  const many = Array.from({ length: 5 }, () => `\`\`\`js\n${'1'.repeat(49_999)}\n\`\`\`\n`).join('\n')
  t.equal(shown(many).split('hljs-number').length - 1, 4, '200,000 characters of a file are highlighted')
  t.equal(
    fence('mermaid', 'a-->b'),
    '<figure class="diagram"><img data-diagram="0"></figure>',
    'a diagram is drawn later',
  )
  const turned = '<span class="control">U+202E</span>'
  t.equal(fence('js', 'if \u202E x'), block('js', `if ${turned} x`), 'controls of direction are visible')
  t.equal(shown('`a\u202Eb`'), `<p><code>a${turned}b</code></p>`)
})

t.test('footnotes are at the end, with ids that no heading can have', async (t) => {
  const html = shown('# Note label\n\na[^x] b[^x][^none]\n\n[^x]: c [[d]]\n')
  t.match(
    html,
    '<a href="#note.fn-x" id="note.fnref-x" data-footnote-ref aria-describedby="note.label">1</a></sup>',
  )
  t.match(html, '<section data-footnotes class="footnotes"><h2 id="note.label">Footnotes</h2>')
  t.match(html, /<li id="note\.fn-x">\n<p>c §<\/a> <a href="#note\.fnref-x" /)
  t.match(html, '[^none]')
})

t.test('a definition applies to the whole text, wherever it is', async (t) => {
  const places = [
    '[a]: /there',
    '> - [a]:\n>   /there',
    '- x\n\n  [a]: /there',
    '[\na\n]: /there',
    'x\n\n> [a]: </there> "t"',
  ]
  for (const definition of places)
    t.match(shown(`See [this][a].\n\n${definition}\n`), /<a href="\/there"[^>]*>this<\/a>/, definition)
  t.match(shown('See[^a].\n\n> - [^a]: That.\n'), /<section data-footnotes[\s\S]*That\./)
})

t.test('a text that cannot be parsed is shown as plain text', async (t) => {
  t.strictSame(render('# a\n<b> @Ada [[c:1]]', { isPlain: true }), {
    parts: ['<pre class="plain" dir="auto" tabindex="0">\n# a\n&lt;b&gt; @Ada [[c:1]]</pre>'],
    slots: [],
    diagrams: [],
    outline: [],
    isPlain: true,
  })
  t.throws(() => render(`${'> '.repeat(1000)}a`), { name: 'TooDeepError' })
})

t.test('a definition used very often does not make the HTML of a small file large', async (t) => {
  const many = `[[a]] ${'[b] '.repeat(1200)}\n\n[b]: /v1/fs/x "${'c'.repeat(1000)}"\n`
  const { slots, parts } = render(many)
  t.equal(slots.length, 1000)
  t.match(slots[1], { destination: '/v1/fs/x', title: 'c'.repeat(300) })
  t.equal(parts.join('').split('class="dead"').length - 1, 201)
})
