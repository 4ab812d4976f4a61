import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { clearFragments } from '../../../core/markdown/fragment-cache.ts'
import { fragmentsOf } from '../../../core/markdown/fragments.ts'
import { parseBody } from '../../../core/markdown/parse.ts'
import { parseBlocks } from '../../../core/markdown/parse-blocks.ts'
import { parseBlocksBy } from '../../../core/markdown/parsed-block.ts'
import fc, { runParameters } from '../../support/seeded-properties.ts'
import { find, send, standing } from './files.ts'
import { anyMarkdown } from './nasty-markdown.ts'

/** The blocks of a body, or the error's name, from one parse without the fragment cache. */
const parseWhole = (body: string) => outcome(() => parseBlocksBy(parseBody, body))
const parseByFragments = (body: string) => outcome(() => parseBlocks(body))

function outcome<Result>(work: () => Result): Result | string {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return error.name
    throw error
  }
}

/** Compares one whole parse with parses by fragments: new, cached, and cached from other files. */
function assertSameHoweverParsed(body: string): void {
  const whole = parseWhole(body)
  clearFragments()
  assert.deepEqual(parseByFragments(body), whole)
  assert.deepEqual(parseByFragments(body), whole)
  clearFragments()
  const fragments = fragmentsOf(body) ?? []
  for (const [place, { start }] of fragments.entries()) {
    parseByFragments(`${body.slice(start, fragments[place + 1]?.start)}\n\nAnother text\n`)
  }
  assert.deepEqual(parseByFragments(body), whole)
}

/** Indentations of lines, at all depths that matter. */
const indents = ['', '', '', '', ' ', '  ', '   ', '    ', '      ', '\t', ' \t']
const markers = [
  '',
  '',
  '',
  '',
  '- ',
  '* ',
  '+ ',
  '1. ',
  '2) ',
  '10. ',
  '-',
  '1.',
  '> ',
  '>',
  '- - ',
  '> - ',
  '- > ',
  '-\t',
]

// biome-ignore format: in one column nobody would read it
const contents = [
  'a', 'one **two**', '```', '```', '~~~', '```` js', '``` a`b', '# Heading', '# ', '***', '---', '- - -', '===', '<div>', '</div>', '<b>',
  '<!-- said -->', '<!--', '-->', '<!-->', '<?x', '<pre>', '</pre>', '<![CDATA[', '| a | b |', '|---|---|', '| c', '`c', '[x](plan.md)',
  '[a]', '[a]: b', '[^1]', '[[c:12]]', 'www.example.org', 'ada@example.org', '@Ada', '@Ada Lovelace', '&#64;', '', '', '\uFEFFx', '\u00a0',
  '\fx', '[x] done', '\\', '**', 'key: value', 'http://example.org/@Ada', '\u2028', '&#46;md', '[y](z&#46;md)',
]
const lineEnds = [
  '\n',
  '\n',
  '\n\n',
  '\n\n',
  '\n\n',
  '\n \n',
  '\n\n\n',
  '\r\n',
  '\r\n\r\n',
  '\r',
  '\r\r',
  '\n\t\n',
]

const line = fc
  .tuple(
    fc.constantFrom(...indents),
    fc.constantFrom(...markers),
    fc.constantFrom(...contents),
    fc.constantFrom(...lineEnds),
  )
  .map((parts) => parts.join(''))

/** Markdown of few kinds of lines, so that what one opens another one closes. */
const lines = fc
  .array(line, { minLength: 2, maxLength: 6 })
  .chain((kinds) => fc.array(fc.constantFrom(...kinds, 'x\n\n', '```\n', '- a\n'), { maxLength: 16 }))
  .map((chosen) => chosen.join(''))

const anyBody = fc.oneof({ weight: 3, arbitrary: lines }, { weight: 1, arbitrary: anyMarkdown })

t.test('parsing a body by fragments cached from elsewhere equals parsing it whole', async () => {
  fc.assert(fc.property(anyBody, assertSameHoweverParsed), runParameters(400, 31))
})

t.test('parsing by fragments equals parsing whole for the shared vectors, alone and combined', async () => {
  const vectors: { markdown: string }[] = JSON.parse(readFileSync('fixtures/blocks.json', 'utf8'))
  const bodies = vectors.map(({ markdown }) => markdown)
  for (const body of bodies) assertSameHoweverParsed(body)
  const several = fc.array(fc.constantFrom(...bodies), { maxLength: 4 }).map((parts) => parts.join('\n\n'))
  fc.assert(fc.property(several, assertSameHoweverParsed), runParameters(60, 33))
})

t.test('parsing by fragments equals parsing whole for real files', async (t) => {
  const files = markdownBelow('node_modules').concat(markdownBelow('fixtures'), markdownBelow('docs'))
  let cut = 0
  for (const file of files) {
    const text = readFileSync(file, 'utf8')
    if ((fragmentsOf(text)?.length ?? 0) > 1) cut++
    try {
      assertSameHoweverParsed(text)
    } catch (error) {
      t.fail(`${file}: ${error}`)
    }
  }
  t.ok(cut > files.length / 2, 'most files are parsed by fragments')
})

/** One of 24 files, so that the test takes only seconds. */
function markdownBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => /\.md$/i.test(name) && !name.includes('.cache'))
    .sort()
    .filter((_, place) => place % 24 === 0)
    .map((name) => join(folder, name))
}

interface Edit {
  at: number
  removed: number
  added: string
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(30),
  added: fc.oneof(line, fc.constantFrom('', 'a', '\n', '\n\n', '`', '*', '@Ada ', '[[c:12]] ')),
})

function edited(text: string, { at, removed, added }: Edit): string {
  const from = Math.floor(at * text.length)
  return text.slice(0, from) + added + text.slice(from + removed)
}

t.test(
  'a file that is edited again and again is analysed as if each revision were the first one',
  async () => {
    fc.assert(
      fc.property(anyBody, fc.array(edit, { minLength: 1, maxLength: 5 }), (body, edits) => {
        clearFragments()
        let text = `# Title\n\n${body}`
        let before = standing(find(text))
        for (const each of edits) {
          text = edited(text, each)
          const [found, sent] = [find(text, { before }), send(`# Title\n\n${text}`, { before })]
          clearFragments()
          assert.deepEqual(find(text, { before }), found)
          clearFragments()
          assert.deepEqual(send(`# Title\n\n${text}`, { before }), sent)
          before = standing(found)
        }
      }),
      runParameters(70, 32),
    )
  },
)
