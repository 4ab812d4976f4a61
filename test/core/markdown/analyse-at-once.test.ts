import t, { type Test } from 'tap'
import { analyse } from '../../../core/markdown/analyse.ts'
import { analyseAtOnce } from '../../../core/markdown/analyse-at-once.ts'
import {
  cachedBytes,
  cacheFragment,
  clearFragments,
  maxCachedBytes,
} from '../../../core/markdown/fragment-cache.ts'
import { markdownService } from '../../../core/markdown/index.ts'
import { parseBody } from '../../../core/markdown/parse.ts'
import { parseBlocksBy } from '../../../core/markdown/parsed-block.ts'
import type { AnalyseRequest, MentionCandidate } from '../../../core/markdown/types.ts'
import { ada, memberId, presentNames, standing, taken } from './files.ts'

t.beforeEach(() => clearFragments())

const request = (text: string, rest: Partial<AnalyseRequest> = {}): AnalyseRequest => ({
  bytes: Buffer.from(text),
  origin: 'sent',
  people: [ada],
  names: presentNames([ada]),
  before: null,
  ...rest,
})

/** A document of 4 kB, of many paragraphs. */
const paragraphs = Array.from(
  { length: 20 },
  (_, place) => `Paragraph ${place}: **who** comes to [the quay](quay.md) ${'and stays there '.repeat(10)}`,
)
const documentWith = (changed: string) =>
  `# The plan\n\n${paragraphs.with(7, changed).join('\n\n')}\n\nAsk @Ada, see [[c:12]].\n`

const open = (t: Test) => {
  const service = markdownService({ budgetMs: 60_000, minThreads: 1, threads: 1 })
  t.teardown(() => service.close())
  return service
}

t.test(
  'after a thread has parsed a file, one changed paragraph is analysed at once on the main thread',
  async (t) => {
    const service = open(t)
    const first = service.analyse(request(documentWith('As it was.')), 'answering')
    t.equal(service.running(), 1, 'a new file goes to a thread')
    const before = standing(taken(await first))
    clearFragments()
    t.equal(analyseAtOnce(request(documentWith('As it is.'), { before })), null)

    taken(await service.analyse(request(documentWith('As it was, more or less.')), 'answering'))
    const changed = request(documentWith('As it *is*.'), { before })
    const atOnce = service.analyse(changed, 'answering')
    t.equal(service.running() + service.waiting(), 0)
    const known = taken(await atOnce)
    clearFragments()
    const { stored, compressed, packedText, ...fresh } = taken(analyse(changed))
    const bytes = {
      stored: new Uint8Array(stored),
      compressed: new Uint8Array(compressed),
      packedText: new Uint8Array(packedText!),
    }
    t.strictSame(known, { ...fresh, ...bytes }, 'the result is that of an analysis from scratch')
  },
)

t.test('a text that might block the main thread goes to a thread, however short it is', async (t) => {
  const people: MentionCandidate[] = Array.from({ length: 201 }, (_, place) => ({
    id: memberId(`${place}`),
    name: `P${place}`,
  }))
  const texts: Record<string, string> = {
    'long text': `# T\n\n${'word '.repeat(500)}`,
    'many marks': `# T\n\n${'*a_ '.repeat(70)}`,
    'many items': `# T\n\n${'1. '.repeat(130)}`,
    'many lines': `# T\n${'a\n'.repeat(130)}`,
    'many mentions': `# T\n\n${'@Ada '.repeat(65)}`,
    'long frontmatter': `---\nkey: ${'a'.repeat(1100)}\n---\n# T\n`,
    'long frontmatter below a line like its end': `---\n---x: 1\n${'a: 1\n'.repeat(1000)}---\n# T\n`,
  }
  for (const [what, text] of Object.entries(texts)) t.equal(analyseAtOnce(request(text)), null, what)
  t.equal(analyseAtOnce(request('# T\n', { people })), null, 'many people')
  t.match(analyseAtOnce(request('# T\n')), { kind: 'analysis' }, 'a plain short file is analysed at once')
  t.match(analyseAtOnce(request('No title')), { kind: 'refusal' })

  const fragments = `# T\n\n${'a\n\n'.repeat(300)}`
  analyse(request(fragments))
  t.equal(analyseAtOnce(request(fragments)), null, 'many fragments, even known ones')
})

t.test('the cache of parsed fragments is limited in bytes', async (t) => {
  const [block] = parseBlocksBy(parseBody, 'a'.repeat(100_000))
  for (let place = 0; place < 600; place++) cacheFragment(`${place}`, [block!])
  t.ok(cachedBytes() > maxCachedBytes / 2)
  t.ok(cachedBytes() <= maxCachedBytes)
})
