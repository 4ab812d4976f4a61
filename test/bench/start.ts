import { setTimeout as pause } from 'node:timers/promises'
import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { ingested } from './ingested.ts'
import { type Bench, type BenchRow, median, milliseconds, perSecond, times } from './measured.ts'

const starts = 3
/** Until the server accepts connections, for any number of documents. */
const listenMs = 1000
/** Until known documents can be read and listed. */
const readMs = 2000
const ingestRate = 2000

/** Since the start of the process. */
interface StartTimes {
  listens: number
  reads: number
  lists: number
}

/** A first start that ingests new files, then starts on a home of unchanged documents. */
export const startAmong =
  (documents: number): Bench =>
  () =>
    withBenchWorkspace(async (bench) => {
      await writeDocuments(bench, documents, (number) => `# Page ${number}\n\nNo more than this.\n`)
      const firstTime = await bench.serve()
      await ingested(bench, firstTime)
      const ingestedMs = performance.now() - firstTime.startedMs
      await firstTime.close()
      const taken: StartTimes[] = []
      for (let count = 0; count < starts; count++) taken.push(await startOnce(bench))
      const medianOf = (name: keyof StartTimes) => median(taken.map((start) => start[name]))
      const known = `Start with ${documents.toLocaleString('en')} known documents`
      const rate = documents / (ingestedMs / 1000)
      return [
        bounded(`${known}: listens`, medianOf('listens'), listenMs),
        bounded(`${known}: answers with a document`, medianOf('reads'), readMs),
        bounded(`${known}: answers with a list`, medianOf('lists'), readMs),
        bounded(`Start on ${documents.toLocaleString('en')} new files: listens`, firstTime.startMs, listenMs),
        {
          what: 'The same: files ingested',
          workroom: perSecond(rate),
          against: perSecond(ingestRate),
          ratio: times(rate / ingestRate),
          target: '≥ 1',
          isMet: rate >= ingestRate,
        },
      ]
    })

async function startOnce(bench: BenchWorkspace): Promise<StartTimes> {
  const server = await bench.serve()
  const since = () => performance.now() - server.startedMs
  await bench.request(server.port, 'GET', `${docs}/shelf-0/page-0.md`)
  const reads = since()
  await bench.request(server.port, 'GET', `${docs}?limit=100`)
  const lists = since()
  await ingested(bench, server)
  // Lets postponed work of this start finish before the next one.
  await pause(1000)
  await server.close()
  return { listens: server.startMs, reads, lists }
}

const bounded = (what: string, ms: number, boundMs: number): BenchRow => ({
  what,
  workroom: milliseconds(ms),
  against: milliseconds(boundMs),
  ratio: times(ms / boundMs),
  target: '≤ 1',
  isMet: ms <= boundMs,
})
