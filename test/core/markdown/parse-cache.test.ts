import assert from 'node:assert/strict'
import t from 'tap'
import { displayedText } from '../../../core/markdown/envelope.ts'
import { clearFragments } from '../../../core/markdown/fragment-cache.ts'
import { renderHtml } from '../../../core/markdown/html/render-html.ts'
import { largeTextBytes } from '../../../core/markdown/large-text.ts'
import { cachedLength, clearNodes, maxCachedLength } from '../../../core/markdown/parse-cache.ts'
import { parseForDisplay } from '../../../core/markdown/parse-for-display.ts'
import fc, { runParameters } from '../../support/seeded-properties.ts'
import { ada, find, grace, lovelace, presentNames, standing } from './files.ts'
import { anyMarkdown } from './nasty-markdown.ts'

const names = presentNames([ada, lovelace, grace])

/** A long text that parses quickly. */
const long = (what: string): string => `\`\`\`\n${what.repeat(largeTextBytes / what.length)}\n\`\`\`\n\n`

/** Analyses a file. @returns its text to render */
const analysed = (file: string) => displayedText({ ...standing(find(file)), names })

const render = (text: ReturnType<typeof analysed>) =>
  renderHtml({ ...text, origin: 'http://127.0.0.1:4000', isPlain: false }, true)

function renderAfresh(text: ReturnType<typeof analysed>) {
  clearNodes()
  return render(text)
}

/** Whether rendering it needs no parsing. */
function isParsed({ body }: ReturnType<typeof analysed>): boolean {
  const before = cachedLength()
  const parts = parseForDisplay(String(body))
  return cachedLength() === before && parts.length > 0 && before >= body.length
}

t.test('nodes parsed for the analysis render as nodes parsed for rendering', async () => {
  fc.assert(
    fc.property(anyMarkdown, (markdown) => {
      clearFragments()
      const text = analysed(`# Title\n\n${long('a')}${markdown}`)
      assert.deepEqual(render(text), renderAfresh(text))
    }),
    runParameters(40, 21),
  )
})

t.test('a long file renders the same however its parts were changed before', async () => {
  const parts = fc.array(anyMarkdown, { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(parts, parts, (before, after) => {
      const between = `\n\n${long('a')}\n\n@Ada and [[The plan]] at www.example.org\n\n`
      render(analysed(`# Title\n\n${before.join(between)}${between}`))
      const text = analysed(`# Title\n\n${after.join(between)}${between}`)
      assert.deepEqual(render(text), renderAfresh(text))
    }),
    runParameters(50, 22),
  )
})

t.test('a new long file is parsed once for both analysis and rendering', async (t) => {
  const texts: Record<string, string> = {
    'with a title': '# Title\n\nSaid.',
    'with mentions': '# Title\n\nAsk @Ada, or ada@example.org and https://x.org/@Ada',
    'with links to documents': '# Title\n\nSee [[The plan]] on www.example.org',
    'with addresses that are found afterwards': '# Title\n\nSee [[The plan]] at ada&#64;example.org',
    'with a definition': '# Title\n\n[plan]\n\n[plan]: plan.md',
    'whose fence is its own': '---\ntags: [a]\n---\n# Title\n',
    'that begins with a line': '---\n\n# Title',
  }
  for (const [what, start] of Object.entries(texts)) {
    clearFragments()
    clearNodes()
    const text = analysed(`${start}\n\n${long('a')}`)
    t.ok(isParsed(text), what)
    t.same(render(text), renderAfresh(text), what)
  }
})

t.test('of a changed long file, only the change is parsed for rendering', async (t) => {
  clearFragments()
  clearNodes()
  const first = analysed(`# Title\n\n${long('a')}One.\n\nTwo.\n`)
  render(first)
  const length = cachedLength()
  const second = analysed(`# Title\n\n${long('a')}One.\n\nThree.\n`)
  t.equal(cachedLength(), length + 'Three.\n'.length)
  t.ok(isParsed(second))
  t.match(render(second).parts.join(''), /Three/)
})

t.test('the nodes of short files are not cached', async (t) => {
  clearNodes()
  render(analysed('# Title\n\nShort.'))
  t.equal(cachedLength(), 0)
})

t.test('the memory of cached nodes is limited', async (t) => {
  for (let count = 0; count < 40; count++)
    render(analysed(`# Title\n\n${long(String(count % 10))}${count}\n`))
  t.ok(cachedLength() > maxCachedLength / 2)
  t.ok(cachedLength() <= maxCachedLength)
  clearNodes()
  render(analysed(`# Title\n\n${long('a').repeat(20)}`))
  t.equal(cachedLength(), 0, 'a longer file is not cached')
})
