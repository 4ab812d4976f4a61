import t from 'tap'
import { type JoinedFiles, splitFiles } from '../../../core/markdown/analyse-all.ts'
import { AnalysisBatches } from '../../../core/markdown/analysis-batches.ts'
import type { AnalyseRequest } from '../../../core/markdown/types.ts'

const requestOf = (text: string): AnalyseRequest => ({
  bytes: Buffer.from(text),
  origin: 'found',
  people: [],
  names: {},
  before: null,
})
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

/** Batches that only record which files would be analysed, alone and together. */
function recorded(): { batches: AnalysisBatches; alone: string[]; together: string[][] } {
  const alone: string[] = []
  const together: string[][] = []
  const rejected = () => Promise.reject(new Error('Not analysed'))
  const batches = new AnalysisBatches({
    analyseAll(files: JoinedFiles) {
      together.push(splitFiles(files).map(textOf))
      return rejected()
    },
    analyseAlone({ bytes }) {
      alone.push(textOf(bytes))
      return rejected()
    },
  })
  return { batches, alone, together }
}

t.test('a single new file needs no thread for batches', async (t) => {
  const { batches, alone, together } = recorded()
  await t.rejects(batches.add(requestOf('# One')))
  t.same({ alone, together }, { alone: ['# One'], together: [] })
})

t.test('files found at the same time are analysed together', async (t) => {
  const { batches, alone, together } = recorded()
  const results = await Promise.allSettled([batches.add(requestOf('# One')), batches.add(requestOf('# Two'))])
  t.same(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  t.same({ alone, together }, { alone: [], together: [['# One', '# Two']] })
})
