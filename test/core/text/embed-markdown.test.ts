import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { gfm } from 'micromark-extension-gfm'
import t from 'tap'
import { embedMarkdown } from '../../../core/text/embed-markdown.ts'
import fc from '../../support/seeded-properties.ts'
import { anyMarkdown } from '../markdown/nasty-markdown.ts'

const dialects = {
  CommonMark: {},
  GFM: { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] },
}

/** All headings of a page in order, as `h2` for depth 2. */
const headingsOf = (node: Nodes): string[] => [
  ...(node.type === 'heading' ? [`h${node.depth}`] : []),
  ...('children' in node ? node.children.flatMap(headingsOf) : []),
]

// biome-ignore format: in one column nobody would read it
const pieces = [
  '```', '````', '~~~', '~~~~', '``` js', '~~~ `', '``` `', '```\u00a0', '```\u2028', '#', '# x', '## x', '####### x', '---', '-', '===', '=', '***', '- - -',
  '<div>', '</div>', '<!--', '-->', '<?', '<![CDATA[', '<script>', '<pre>', '<a', '> ', '>', '- ', '-', '+ ', '* ', '1. ', '10) ', '1.', '[^1]: ', '[^1]', '[a]: ',
  '[a]: /b "', '| a |', '| - |', 'text', 'a', ' ', '  ', '   ', '    ', '\t', '\\', '\\\\', '`', '*', '- [ ] ', '\u000b', '\f', '\u00a0', '\u2028', '\ufeff', '&#35; x',
]
const lineEnds = ['\n', '\n', '\n', '\n\n', '\r\n', '\r']
const line = fc
  .tuple(fc.array(fc.constantFrom(...pieces), { maxLength: 4 }), fc.constantFrom(...lineEnds))
  .map(([parts, end]) => parts.join('') + end)
const blocks = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''))
const body = fc.oneof({ weight: 4, arbitrary: blocks }, { weight: 1, arbitrary: anyMarkdown })

t.test(
  'whatever embedded texts contain, the page has only its own headings, all at the top level',
  async (t) => {
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 3 }), (bodies) => {
        const parts = bodies.map((text, index) => `## Part ${index}\n\n${embedMarkdown(text)}`)
        const page = `${['# Page', ...parts].join('\n\n')}\n`
        for (const [dialect, options] of Object.entries(dialects)) {
          const root = fromMarkdown(page, options)
          const own = ['h1', ...bodies.map(() => 'h2')]
          const atTop = root.children
            .filter((node) => node.type === 'heading')
            .map(({ depth }) => `h${depth}`)
          if (String(atTop) !== String(own)) throw new Error(`${dialect}: ${atTop} at the top level`)
          if (String(headingsOf(root)) !== String(own)) throw new Error(`${dialect}: ${headingsOf(root)}`)
        }
        // The same must hold for programs that read the page line by line.
        const lines = page.split(/\r\n|\n|\r/).filter((text) => /^ {0,3}#/.test(text))
        if (lines.length !== bodies.length + 1) throw new Error(`Lines that look like headings: ${lines}`)
      }),
      { numRuns: 300 },
    )
    t.pass('in both CommonMark and GFM')
  },
)

t.test('plain text, lists, quotes, links and closed code stay as written', async (t) => {
  for (const text of [
    'Hello.',
    'One\ntwo\n\nthree',
    '- a\n- b\n  - c\n\n1. d',
    '> quoted\n> and *more*',
    '[a](https://example.org) and <https://example.org> and `code`',
    '```js\nconst a = "<b>"\n---\n  ===\n```\nbehind',
    '~~~\n```\n~~~',
    '| a | b |\n| --- | --- |\n| 1 | 2 |',
  ])
    t.equal(embedMarkdown(text), text)
})

t.test('headings, HTML and footnotes of an embedded text are escaped', async (t) => {
  for (const [text, shown] of [
    ['# One', '\\# One'],
    ['   ###### Six', '   \\###### Six'],
    ['#hashtag', '\\#hashtag'],
    ['> # Quoted', '> \\# Quoted'],
    ['- # Listed\n  - ## Deeper', '- \\# Listed\n  - \\## Deeper'],
    ['10) > # Both', '10) > \\# Both'],
    ['Title\n===', 'Title\n\\==='],
    ['Title\n---', 'Title\n\\---'],
    ['Title\n-', 'Title\n\\-'],
    ['> Title\n> ---', '> Title\n> \\---'],
    ['- Title\n  ===', '- Title\n  \\==='],
    ['<!-- from here on', '\\<!-- from here on'],
    ['[^1]: # Footnote', '\\[^1]: # Footnote'],
    ['a\r# b\r\n# c', 'a\n\\# b\n\\# c'],
  ] as const)
    t.equal(embedMarkdown(text), shown)
})

t.test('an unclosed code block is closed with the marks that opened it', async (t) => {
  for (const [text, shown] of [
    ['```\ncode', '```\ncode\n```'],
    ['~~~~ js\n~~~\n````', '~~~~ js\n~~~\n````\n~~~~'],
    ['```\n``` js\n    ```', '```\n``` js\n    ```\n```'],
    ['```\n```\u00a0', '```\n```\u00a0\n```'],
    ['```\n# comment\n```', '```\n\\# comment\n```'],
    ['- item\n  ```\n  code\n  ```', '- item\n```\n  code\n```'],
    ['``` `\nno code', '``` `\nno code'],
  ] as const)
    t.equal(embedMarkdown(text), shown)
})
