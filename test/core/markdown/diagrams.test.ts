import t from 'tap'
import { diagramHtml } from '../../../core/markdown/diagram-html.ts'
import { drawDiagram, loadLibrary } from '../../../core/markdown/diagrams.ts'
import { sharedMarkdown } from '../../support/shared-markdown.ts'

const library = await loadLibrary()
const draw = (source: string) => drawDiagram(library, source)
const svgOf = (source: string): string => {
  const diagram = draw(source)
  return diagram.kind === 'drawn' ? diagram.svg : diagram.reason
}

const kinds: [name: string, source: string, shows: string[]][] = [
  [
    'Flowchart',
    'graph TD\nA[One] -->|why| B{Two}\nsubgraph S [Group]\nC((Three))\nend',
    ['One', 'why', 'Two', 'Group', 'Three'],
  ],
  [
    'State diagram',
    'stateDiagram-v2\n[*] --> Draft\nDraft --> Published : publish',
    ['Draft', 'publish', 'Published'],
  ],
  [
    'Sequence diagram',
    'sequenceDiagram\nAda->>Grace: Hello\nNote over Ada: thinks',
    ['Ada', 'Grace', 'Hello', 'thinks'],
  ],
  ['Class diagram', 'classDiagram\nShip <|-- Tug\nclass Tug {\n+pull()\n}', ['Ship', 'Tug', 'pull']],
  ['Entity relationship diagram', 'erDiagram\nSHIP ||--o{ BERTH : takes', ['SHIP', 'BERTH', 'takes']],
  [
    'Chart',
    'xychart-beta\ntitle "Ships"\nx-axis [jan, feb]\nbar [1, 2]\nline [2, 3]',
    ['Ships', 'jan', 'feb'],
  ],
]

t.test(
  'each kind of diagram becomes a picture that loads nothing and suits light and dark pages',
  async (t) => {
    for (const [name, source, shows] of kinds) {
      const diagram = draw(source)
      if (diagram.kind !== 'drawn') throw new Error(`${name}: ${diagram.reason}`)
      const { svg, width, height } = diagram
      t.equal(diagram.name, name)
      t.ok(Number.isInteger(width) && width > 50 && Number.isInteger(height) && height > 50, name)
      for (const words of shows) t.match(svg, new RegExp(`>[^<]*${words}`), `${name} shows ${words}`)
      t.match(svg, /^<svg [^>]*>[\s\S]*<\/svg>$/)
      t.match(svg, '@media (prefers-color-scheme:dark)')
      t.notMatch(
        svg.replace('http://www.w3.org/2000/svg', ''),
        /https?:|@import|data-|<(?:script|a|image|foreignObject)\b| on\w+=/,
      )
    }
  },
)

t.test('every notation that Mermaid accepts is accepted', async (t) => {
  const same: [written: string, plain: string][] = [
    ['graph TD\nA-->B-->C', 'graph TD\nA --> B --> C'],
    ['graph TD;A-->B;B-->C;', 'graph TD\nA --> B\nB --> C'],
    ['---\ntitle: x\n---\r\ngraph TD\r\nA-->B', 'graph TD\nA --> B'],
    ['flowchart\nA---->B\nA-..->C\nA====>D\nA----E', 'flowchart TD\nA --> B\nA -.-> C\nA ==> D\nA --- E'],
    [
      'graph LR\nA--yes-->B\nA-->|no|C\nA<-->D\nA --x E',
      'graph LR\nA -- yes --> B\nA -->|no| C\nA <--> D\nA --> E',
    ],
    ['graph TD\n%% a\nclick A href "x"\naccTitle: y\nA["`text`"]', 'graph TD\nA["text"]'],
    ['%%{init: {}}%%\ngraph TD\nA', 'graph TD\nA'],
    ['graph TD\nA["--> ; #59;"]', 'graph TD\nA["--> ; #59;"]'],
  ]
  for (const [written, plain] of same) t.equal(svgOf(written), svgOf(plain), written)
  t.match(svgOf('graph TD\nA["a-->b; (c)"]'), '>a--&gt;b; (c)<', 'quoted text is kept')
  t.match(
    svgOf('graph TD\nA["#34;#60;b#62;#quot; #x; #0; \ue000"]'),
    '>&quot;&lt;b&gt;&quot; #x; #0; \ue000<',
  )
  t.match(svgOf('graph TD\nA["a\0b\u0007c"]'), '>abc<')
})

t.test('a shape with its own colour has dark text, even on a dark page', async (t) => {
  const svg = svgOf('graph TD\nA:::good --> B\nC[(Store)]\nstyle C fill:#eee\nclassDef good fill:honeydew')
  const fillOf = (label: string) => new RegExp(`fill="([^"]*)"[^>]*>${label}<`).exec(svg)?.[1]
  t.same([fillOf('A'), fillOf('B'), fillOf('Store')], ['#1f1e1c', 'var(--_text)', '#1f1e1c'])
})

t.test('a diagram that cannot be drawn shows its source and the reason', async (t) => {
  const cases: [source: string, reason: string, words: RegExp][] = [
    ['pie title <b>\n"a" : 1', 'unknown', /not supported, or its source has an error/],
    ['hello', 'unknown', /not supported/],
    ['graph XX\nA', 'unknown', /not supported/],
    ['', 'unknown', /not supported/],
    ['graph TD', 'empty', /shows nothing yet/],
    [`graph TD\n${'A --> B\n'.repeat(2500)}`, 'too large', /too large/],
    [
      `xychart-beta\nx-axis 0 --> 10\ny-axis "R" 0 --> 1e9\nbar [${'1e300,'.repeat(1000)}2]`,
      'too large',
      /too large/,
    ],
  ]
  for (const [source, reason, words] of cases) {
    const diagram = draw(source)
    t.same(diagram, { kind: 'undrawn', reason }, source.slice(0, 40))
    t.match(diagramHtml(source, diagram), words)
  }
  t.equal(
    diagramHtml('<b> & "c"', { kind: 'undrawn', reason: 'empty' }),
    '<figcaption>This diagram shows nothing yet. This is its source:</figcaption><pre class="mermaid" dir="ltr" tabindex="0">&lt;b&gt; &amp; &quot;c&quot;</pre>',
  )
})

t.test(
  'a document shows a diagram as an image with its source, and one that is too slow spoils no other',
  async (t) => {
    const markdown = sharedMarkdown(t, { threads: 1, budgetMs: 400 })
    const many = (letter: string) => Array.from({ length: 60 }, (_, index) => `${letter}${index}`).join(' & ')
    const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\`\n\n`
    const [good, costly] = ['graph TD\n  A["<x>"]-->B', `graph TD\n${many('a')} --> ${many('b')}`]
    const body = Buffer.from(`# T\n\n${fence(good)}${fence(costly)}${fence('graph LR')}${fence(good)}Text.\n`)
    const request = { body, mentions: [], origin: 'http://127.0.0.1', isPlain: false }
    const html = await markdown.html(request)
    t.same(html.diagrams, [])
    const text = html.parts.join('§')
    const figures = text.split('<figure').slice(1)
    t.equal(figures.length, 4)
    for (const figure of [figures[0]!, figures[3]!]) {
      t.match(
        figure,
        /^ id="\^k[0-9a-z.]+" data-block="k[0-9a-z.]+" class="diagram"><div class="drawing" role="group" aria-label="Flowchart" tabindex="0"><img src="data:image\/svg\+xml;base64,[\w+/=]+" alt="Flowchart\. Its source follows\." width="\d+" height="\d+" decoding="async"><\/div>/,
      )
      t.match(
        figure,
        '<details><summary>Source</summary><pre class="mermaid" dir="ltr" tabindex="0">graph TD\n  A[&quot;&lt;x&gt;&quot;]--&gt;B</pre></details></figure>',
      )
    }
    t.match(figures[1], 'This diagram would take too long to draw.')
    t.match(figures[2], 'This diagram shows nothing yet.')
    t.match(text, /<p[^>]*>Text\.<\/p>$/)
    const said = await markdown.html({ ...request, isMessage: true })
    t.notMatch(said.parts.join(''), '<figure', 'in a message a diagram stays code')
  },
)
