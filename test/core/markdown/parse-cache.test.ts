import assert from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { displayedText } from '../../../core/markdown/envelope.ts'
import { forgetFragments } from '../../../core/markdown/fragment-cache.ts'
import { renderHtml } from '../../../core/markdown/html.ts'
import { largeTextBytes } from '../../../core/markdown/large-text.ts'
import { cachedParse, parseAndCache, parseForDisplay } from '../../../core/markdown/parse-cache.ts'
import fc from '../../support/seeded-properties.ts'
import { ada, find, grace, lovelace, presentNames, standing } from './files.ts'
import { anyMarkdown } from './nasty-markdown.ts'

const names = presentNames([ada, lovelace, grace])

/** Text that is long, and parsed at once. */
const long = (what: string): string => `\`\`\`\n${what.repeat(largeTextBytes / what.length)}\n\`\`\`\n\n`

/** What a file looks like right after it was analysed, and whether it was parsed for that once more. */
function shownAfterAnalysis(file: string) {
  forgetFragments()
  const text = displayedText({ ...standing(find(file)), names })
  const render = () => renderHtml({ ...text, origin: 'http://127.0.0.1:4000', isPlain: false }, true)
  const isRemembered = cachedParse(text.body.toString()) !== undefined
  const shown = render()
  for (const others of ['b', 'c', 'd', 'e']) parseAndCache(long(others), () => {})
  assert.equal(cachedParse(text.body.toString()), undefined)
  return { isRemembered, shown, shownAfresh: render() }
}

t.test('what was parsed to learn what is in it looks as if it had been parsed to be shown', async () => {
  fc.assert(
    fc.property(anyMarkdown, (markdown) => {
      const { shown, shownAfresh } = shownAfterAnalysis(`# Title\n\n${long('a')}${markdown}`)
      assert.deepEqual(shown, shownAfresh)
    }),
    { numRuns: 120, seed: 21 },
  )
})

t.test('a long file that is new is parsed once to be analysed and shown', async (t) => {
  const texts: Record<string, string> = {
    'with a title': '# Title\n\nSaid.',
    'with mentions': '# Title\n\nAsk @Ada, or ada@example.org and https://x.org/@Ada',
    'with links to documents': '# Title\n\nSee [[The plan]] on www.example.org',
    'with addresses that are found afterwards': '# Title\n\nSee [[The plan]] at ada&#64;example.org',
    'whose fence is its own': '---\ntags: [a]\n---\n# Title\n',
    'that begins with a line': '---\n\n# Title',
  }
  for (const [what, text] of Object.entries(texts)) {
    const { isRemembered, shown, shownAfresh } = shownAfterAnalysis(`${text}\n\n${long('a')}`)
    t.ok(isRemembered, what)
    t.same(shown, shownAfresh, what)
  }
})

t.test('short files are not remembered', async (t) => {
  find('# Title\n\nShort.')
  t.equal(cachedParse('# Title\n\nShort.'), undefined)
})

t.test(
  'the latest long file is remembered until it was shown, whatever garbage is collected meanwhile',
  async (t) => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    // What is remembered in a turn stays for that turn.
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const after = async (text: string) => {
      forgetFragments()
      const { body } = displayedText({ ...standing(find(text)), names })
      await turn()
      collect()
      return String(body)
    }
    const body = await after(`# Title\n\n${long('a')}`)
    t.ok(cachedParse(body))
    parseForDisplay(body)
    await turn()
    collect()
    t.notOk(cachedParse(body), 'it takes no memory for longer')
    const tooLong = await after(`# Title\n\n${long('a').repeat(20)}`)
    t.notOk(cachedParse(tooLong), 'nor does one that takes much')
  },
)
