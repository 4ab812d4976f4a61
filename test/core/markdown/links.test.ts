import type { Link, ListItem } from 'mdast'
import t from 'tap'
import { analyse } from '../../../core/markdown/analyse.ts'
import { externalLinks } from '../../../core/markdown/external-links.ts'
import { find, send, taken } from './files.ts'

const linksOf = (body: string) => find(`# T\n\n${body}\n`).digest.links

t.test('links, bare addresses and references to pages of the web are found', async (t) => {
  const cases: [body: string, links: string[]][] = [
    ['[a](https://a.example/x?y=1)', ['https://a.example/x?y=1']],
    ['<https://a.example/x>', ['https://a.example/x']],
    ['See https://a.example/x, and www.b.example.', ['https://a.example/x', 'http://www.b.example/']],
    ['[a][r], [r] and [R][]\n\n[r]: https://a.example/', ['https://a.example/']],
    ['[r]\n\n[r]: https://first.example/\n[r]: https://second.example/', ['https://first.example/']],
    ['- **[a](https://a.example)**\n\n> [b](http://b.example/)', ['https://a.example/', 'http://b.example/']],
    ['| a |\n|---|\n| https://a.example/ |', ['https://a.example/']],
    ['Note[^1]\n\n[^1]: https://a.example/', ['https://a.example/']],
    ['[![alt](https://i.example/x.png)](https://a.example/)', ['https://a.example/']],
  ]
  for (const [body, links] of cases) t.strictSame(linksOf(body), links, body)
})

t.test('code, images, HTML and addresses that are not web pages are no links', async (t) => {
  for (const body of [
    '`https://a.example/`',
    '```\nhttps://a.example/\n```',
    '    https://a.example/',
    '![a](https://a.example/x.png)',
    '![a][r]\n\n[r]: https://a.example/x.png',
    '<a href="https://a.example/">a</a>',
    '<!-- https://a.example/ -->',
    '[a](/docs/x.md) [b](other.md) [c](#anchor) [d](//a.example/)',
    '[a](mailto:a@a.example) a@a.example [b](ftp://a.example/) [c](javascript:alert(1))',
    '[a](https://) [b](https://a.example:99999/)',
    '[a](https://user:secret@a.example/) https://user@a.example/',
    `[a](https://a.example/${'x'.repeat(2000)})`,
    '[r]: https://a.example/',
  ]) {
    t.strictSame(linksOf(body), [], body.slice(0, 80))
  }
})

t.test('the first five pages count, each once, whatever its fragment and notation', async (t) => {
  const pages = [1, 2, 3, 4, 5].map((n) => `https://a.example/${n}`)
  t.strictSame(linksOf([...pages, 'https://a.example/6'].join('\n')), pages)
  t.strictSame(
    linksOf(['HTTPS://A.example:443/1', ...pages.flatMap((page) => [page, `<${page}#part>`])].join('\n')),
    pages,
  )
})

t.test('links are found in sent files and files on the disk, but not in plain text', async (t) => {
  const text = '# T\n\nhttps://a.example/\n'
  t.strictSame(send(text).digest.links, ['https://a.example/'])
  const bytes = Buffer.from(text)
  const plain = taken(analyse({ bytes, origin: 'found', people: [], names: {}, before: null }, 'budget'))
  t.strictSame(plain.digest.links, [])
})

t.test('a list may have any number of items', async (t) => {
  const item: ListItem = { type: 'listItem', children: [] }
  const last: Link = { type: 'link', url: 'https://a.example/', children: [] }
  const children = [...Array(200_000).fill(item), { type: 'paragraph', children: [last] }]
  t.strictSame(externalLinks([{ type: 'list', children }]), ['https://a.example/'])
})
