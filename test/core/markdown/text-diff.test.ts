import t from 'tap'
import { diffTexts } from '../../../core/markdown/text-diff.ts'
import type { TextDiff } from '../../../core/markdown/types.ts'

const differencesOf = (before: string, after: string): TextDiff =>
  diffTexts({ before: Buffer.from(before), after: Buffer.from(after) })!

/** Formats each line with its numbers before and after, and changed words in brackets. */
const shown = ({ lines }: TextDiff): string[] =>
  lines.map((line) => {
    if (line.kind === 'equal') return `… ${line.count}`
    const sign = { same: ' ', added: '+', removed: '-' }[line.kind]
    const text = line.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('')
    return `${line.before ?? ''}|${line.after ?? ''} ${sign}${text}`
  })

t.test('a line that replaces a similar one shows the changed words', async (t) => {
  const differences = differencesOf('# Plan\n\nWe go on Monday.\n', '# Plan\n\nWe go on Friday.\n')
  t.same(shown(differences), ['1|1  # Plan', '2|2  ', '3| -We go on [Monday].', '|3 +We go on [Friday].'])
  t.match(differences, { added: 1, removed: 1, isCut: false })
})

t.test('lines with little in common are shown whole', async (t) => {
  t.same(shown(differencesOf('The quiet morning\n', 'Nobody came at all, ever\n')), [
    '1| -The quiet morning',
    '|1 +Nobody came at all, ever',
  ])
})

t.test('equal lines far from every change are left out and counted', async (t) => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  const changed = lines.with(10, 'another').toSpliced(15, 0, 'a new one')
  t.same(shown(differencesOf(lines.join('\n'), changed.join('\n'))), [
    '… 7',
    '8|8  line 7',
    '9|9  line 8',
    '10|10  line 9',
    '11| -line 10',
    '|11 +another',
    '12|12  line 11',
    '13|13  line 12',
    '14|14  line 13',
    '15|15  line 14',
    '|16 +a new one',
    '16|17  line 15',
    '17|18  line 16',
    '18|19  line 17',
    '… 2',
  ])
})

t.test('line ends, and a missing one at the end, are not differences', async (t) => {
  const same = differencesOf('one\r\ntwo\r\n', 'one\ntwo')
  t.same([same.added, same.removed, shown(same)], [0, 0, ['… 2']])
  t.same(shown(differencesOf('', 'first\n')), ['|1 +first'])
  t.same(shown(differencesOf('last\n', '')), ['1| -last'])
})

t.test('the first of very many changes are shown, with a note that there are more', async (t) => {
  const lines = Array.from({ length: 6000 }, (_, index) => `${index}`).join('\n')
  const differences = differencesOf('', lines)
  t.match(differences, { added: 6000, isCut: true })
  t.equal(differences.lines.length, 5000)
})

t.test('texts that would take too long are not compared', async (t) => {
  const text = (seed: number) =>
    Array.from({ length: 60_000 }, (_, index) => `${(index * 7919 + seed) % 104_729}`).join('\n')
  t.equal(diffTexts({ before: Buffer.from(text(1)), after: Buffer.from(text(50_021)) }), null)
})
