import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { ingested } from './ingested.ts'
import { comparedLoads, interleaveLoads, medianRatio, type ServerLoad, takeTurns } from './interleave.ts'
import { type Bench, type BenchRow, perSecond, times } from './measured.ts'
import { MovedFiles } from './moved-files.ts'
import { type Loader, type Served, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const few = 100
const documentBytes = 4096
const connections = 32
/** The least rate, as a share of that among few documents. */
const target = 0.9

interface Scale {
  bench: BenchWorkspace
  server: Served
  moved: MovedFiles
}

/** Compares writes, reads and renames among many documents with those among few: costs should be equal. */
export const scaleAmong =
  (documents: number): Bench =>
  () =>
    withBenchWorkspace((large) =>
      withBenchWorkspace(async (small) => {
        const loader = startLoader()
        try {
          return await compare(loader, [await open(large, documents), await open(small, few)], documents)
        } finally {
          await loader.close()
        }
      }),
    )

async function open(bench: BenchWorkspace, documents: number): Promise<Scale> {
  const moved = new MovedFiles(bench)
  await writeDocuments(bench, documents, (number) => `# Page ${number}\n\nSome common words.\n`)
  moved.write()
  const server = await bench.serve()
  await ingested(bench, server)
  return { bench, server, moved }
}

async function compare(loader: Loader, scales: Scale[], documents: number): Promise<BenchRow[]> {
  const among = `among ${documents.toLocaleString('en')} documents, against among ${few}`
  const rates = async (what: string, load: Pick<ServerLoad, 'method' | 'path' | 'body' | 'status'>) => {
    const loads = scales.map(({ bench, server }) => ({
      ...load,
      port: server.port,
      pid: server.pid,
      headers: bench.authorization,
      connections,
      documents: few,
    }))
    return comparedLoads(`${what} ${among}`, await interleaveLoads(loader, loads), target)
  }
  const known = `${docs}/shelf-0/page-{d}.md`
  const fresh = { method: 'PUT', path: `${docs}/new-{n}.md`, body: prose('New {n}', documentBytes) }
  // The title stays, so that later reads are not under a former name.
  const again = { method: 'PUT', path: known, body: prose('Page {d}\n\nTake {n}', documentBytes) }
  return [
    await rates('PUT of new 4 kB documents', { ...fresh, status: 201 }),
    await rates('PUT over 4 kB documents', { ...again, status: 201 }),
    await rates('GET of 4 kB documents', { method: 'GET', path: known, status: 200 }),
    await renames(scales, among),
  ]
}

async function renames(scales: Scale[], among: string): Promise<BenchRow> {
  const [ours = [], theirs = []] = await takeTurns(
    scales.map(
      ({ moved }) =>
        (durationMs: number) =>
          moved.renameFor(durationMs),
    ),
  )
  const { ours: rate, theirs: otherRate, ratio } = medianRatio(ours, theirs)
  return {
    what: `Files renamed on the disk ${among}`,
    workroom: perSecond(rate),
    against: perSecond(otherRate),
    ratio: times(ratio),
    target: `≥ ${target}`,
    isMet: ratio >= target,
  }
}
