import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { ingested } from './ingested.ts'
import type { Load } from './load.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'
import { type Loader, startLoader } from './processes.ts'

const warmUpMs = 2000
/** Idle and busy rounds alternate, since a machine's speed changes by the minute; the medians of their p99 count. */
const rounds = 7
const durationMs = 3000
const boundMs = 50
/** How much slower small GETs may be during a search. */
const slowdown = 1.5

const page = `${docs}/shelf-0/page-0.md`

const textOf = (number: number) =>
  `# Page ${number}\n\nA common word, a rare one (w${number}x), and the rest of a short note.\n`

/** Searches for words of all documents, and for words of a single one, while others read. */
export const searchAmong =
  (documents: number): Bench =>
  () =>
    withBenchWorkspace(async (bench) => {
      await writeDocuments(bench, documents, textOf)
      const { port } = await bench.serve()
      await ingested(bench, { port })
      const [reader, searcher] = [startLoader(), startLoader()]
      try {
        const load = { port, method: 'GET', headers: bench.authorization, status: 200 }
        const read = { ...load, path: page, connections: 8, everyMs: 20, durationMs }
        const rows: BenchRow[] = []
        for (const [kind, word] of [
          ['common', 'common'],
          ['rare', 'w{d}x'],
        ] as const) {
          const path = `/v1/search?q=${word}`
          const search = { ...load, path, connections: 1, everyMs: 50, documents, durationMs }
          const what = `Search for a ${kind} word, ${documents.toLocaleString('en')} documents: p99`
          rows.push(...(await searchWhileReading(what, { reader, read }, { searcher, search })))
        }
        return rows
      } finally {
        await reader.close()
        await searcher.close()
      }
    })

async function searchWhileReading(
  what: string,
  { reader, read }: { reader: Loader; read: Load },
  { searcher, search }: { searcher: Loader; search: Load },
): Promise<BenchRow[]> {
  await searcher.run({ ...search, durationMs: warmUpMs })
  const p99Ms: { idle: number[]; meanwhile: number[]; found: number[] } = {
    idle: [],
    meanwhile: [],
    found: [],
  }
  for (let round = 0; round < rounds; round++) {
    const idle = await reader.run(read)
    const [meanwhile, found] = await Promise.all([reader.run(read), searcher.run(search)])
    p99Ms.idle.push(idle.p99Ms)
    p99Ms.meanwhile.push(meanwhile.p99Ms)
    p99Ms.found.push(found.p99Ms)
  }
  const [idleMs, meanwhileMs] = [median(p99Ms.idle), median(p99Ms.meanwhile)]
  const ratio = meanwhileMs / idleMs
  const foundMs = median(p99Ms.found)
  return [
    {
      what,
      workroom: milliseconds(foundMs),
      against: milliseconds(boundMs),
      ratio: times(foundMs / boundMs),
      target: '≤ 1',
      isMet: foundMs <= boundMs,
    },
    {
      what: 'p99 of small GETs meanwhile',
      workroom: milliseconds(meanwhileMs),
      against: `${milliseconds(idleMs)} idle`,
      ratio: times(ratio),
      target: `≤ ${slowdown}`,
      isMet: ratio <= slowdown,
    },
  ]
}
