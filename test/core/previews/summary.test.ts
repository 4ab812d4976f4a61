import t from 'tap'
import { summaryOf } from '../../../core/previews/summary.ts'
import fc from '../../support/seeded-properties.ts'

const nothing = { title: '', description: '', imageUrl: '' }
const page = 'https://a.example/posts/one'

const of = (html: string) => summaryOf(html, page)
const meta = (name: string, content: string, by = 'property') => `<meta ${by}="${name}" content="${content}">`

t.test('Open Graph tags win over Twitter tags, and both over plain tags', async (t) => {
  const plain = `<title>Plain</title>${meta('description', 'Plain too', 'name')}`
  const twitter = ['title', 'description', 'image'].map((part) =>
    meta(`twitter:${part}`, `t ${part}`, 'name'),
  )
  const graph = ['title', 'description', 'image'].map((part) => meta(`og:${part}`, `/g-${part}`))
  t.strictSame(await of(plain), { ...nothing, title: 'Plain', description: 'Plain too' })
  t.strictSame(await of(plain + twitter.join('')), {
    title: 't title',
    description: 't description',
    imageUrl: 'https://a.example/posts/t%20image',
  })
  t.strictSame(await of(`<!doctype html><html><head>${plain}${twitter.join('')}${graph.join('')}</head>`), {
    title: '/g-title',
    description: '/g-description',
    imageUrl: 'https://a.example/g-image',
  })
})

t.test('tags are read with names or properties, in any case, with any quotes and entities', async (t) => {
  const cases: [html: string, summary: Partial<typeof nothing>][] = [
    [meta('og:title', 'By name', 'name'), { title: 'By name' }],
    [meta('description', 'By property'), { description: 'By property' }],
    ["<META PROPERTY='OG:Title' CONTENT='Caps'/>", { title: 'Caps' }],
    ['<meta content=Bare property=og:title>', { title: 'Bare' }],
    [meta('og:title', 'Fish &amp; chips &#8212; &eacute;'), { title: 'Fish & chips — é' }],
    ['<title>A &lt;b&gt; <i>c</i></title>', { title: 'A <b> <i>c</i>' }],
    ['<title>\n  Two\t\r\n lines\u0000\u0007 </title>', { title: 'Two lines' }],
    [meta('og:title', ' ') + meta('twitter:title', 'Next'), { title: 'Next' }],
    [meta('og:title', 'First') + meta('og:title', 'Second'), { title: 'First' }],
    ['<title>First</title><title>Second</title>', { title: 'First' }],
    ['<title>Never closed', { title: 'Never closed' }],
    ['<meta property="og:title"><meta content="x"><title>T</title>', { title: 'T' }],
    ['<html><title>No head</title><p>x', { title: 'No head' }],
  ]
  for (const [html, summary] of cases) t.strictSame(await of(html), { ...nothing, ...summary }, html)
})

t.test('only tags in the head of the page count', async (t) => {
  const inside = `<title>In</title>${meta('og:description', 'In')}`
  const outside = `${meta('og:title', 'Out')}<title>Out</title><svg><title>Out</title></svg>`
  const expected = { ...nothing, title: 'In', description: 'In' }
  t.strictSame(await of(`<head>${inside}</head>${outside}`), expected)
  t.strictSame(await of(`<html>${inside}<body>${outside}`), expected)
  t.strictSame(
    await of(`<!-- ${outside} --><script>"${outside}"</script><style>${outside}</style>${inside}`),
    expected,
  )
  t.strictSame(await of(`<head></head><body>${outside}`), nothing)
})

t.test('an image has an absolute web address or is left out', async (t) => {
  const image = async (content: string) => (await of(meta('og:image', content))).imageUrl
  t.equal(await image('https://cdn.example/x.png'), 'https://cdn.example/x.png')
  t.equal(await image('//cdn.example/x.png'), 'https://cdn.example/x.png')
  t.equal(await image('../x.png?a=1&amp;b=2'), 'https://a.example/x.png?a=1&b=2')
  for (const bad of [
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'https://',
    `/${'x'.repeat(2000)}`,
  ]) {
    t.equal(await image(bad), '', bad.slice(0, 30))
  }
})

t.test('long texts are cut between characters, with a mark', async (t) => {
  const { title, description } = await of(
    `<title>${'🚀'.repeat(500)}</title>${meta('description', 'word '.repeat(300))}`,
  )
  t.equal(title, `${'🚀'.repeat(199)}…`)
  t.ok([...description].length <= 500)
  t.match(description, /word…$/)
  t.equal((await of(`<title>${'x'.repeat(200)}</title>`)).title, 'x'.repeat(200))
})

t.test('a page cut off anywhere gives what was read up to there', async (t) => {
  const html = `<html><head><title>Title</title>${meta('og:description', 'Said')}<link rel=x></head>`
  for (let length = 0; length <= html.length; length++) {
    const { title, description } = await of(html.slice(0, length))
    t.ok('Title'.startsWith(title), `${length}`)
    t.ok(description === '' || description === 'Said', `${length}`)
  }
})

t.test('any text can be summarised, and each field is one line of limited length', async (t) => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<',
      '>',
      '<meta ',
      'content=',
      '"',
      "'",
      '<title>',
      '</title>',
      '<body>',
      '</',
      '&',
      '&#x0;',
    ),
    fc.constantFrom(
      'property="og:title" content="',
      '<!--',
      '-->',
      '<script>',
      '</head>',
      '<svg>',
      '\u0000',
      '\n',
    ),
    fc.string({ unit: 'binary' }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const { title, description, imageUrl } = await of(pieces.join(''))
      for (const text of [title, description]) {
        if (/[\r\n\p{Cc}]/u.test(text) || [...text].length > 500) return false
      }
      return imageUrl === '' || /^https?:/.test(imageUrl)
    }),
    { numRuns: 100 },
  )
  t.pass()
})

t.test('a page nested deeper than any head is not read further', async (t) => {
  const nested = (depth: number) => `${'<x>'.repeat(depth)}<title>Deep</title>`
  t.equal((await of(nested(10))).title, 'Deep')
  t.equal((await of(nested(40))).title, '')
  t.equal((await of(`${'<x></x>'.repeat(1000)}<title>Flat</title>`)).title, 'Flat')
})

t.test('reading a long page yields to other work', async (t) => {
  const size = 512 * 1024
  const filled = (piece: string, before = '') => (before + piece.repeat(size / piece.length)).slice(0, size)
  const pages = {
    anchors: filled('<a>'),
    'closed, and never opened': filled('</p></b>'),
    unclosed: filled('<meta '),
    attributes: filled('a="b" ', '<meta '),
    entities: filled('&amp', '<title>'),
    comments: filled('<!--'),
    titles: filled('<title>x</title>'),
  }
  for (const [name, html] of Object.entries(pages)) {
    let turns = 0
    const count = () => {
      turns += 1
      turning = setImmediate(count)
    }
    let turning = setImmediate(count)
    await of(html)
    clearImmediate(turning)
    t.ok(turns >= 7, name)
  }
})
