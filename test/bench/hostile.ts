import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { type Bench, type BenchRow, milliseconds, times } from './measured.ts'
import { startLoader } from './processes.ts'
import { prose } from './prose.ts'

/** With a title, just below the limit of 2 MB. */
const bytes = 2 * 1024 * 1024 - 16
const storedBoundMs = 2000
const readersBoundMs = 50

/** What parsers are slowest at. */
const nestings: [name: string, piece: string][] = [
  ['quotes', '>'],
  ['lists on one line', '- - - a '],
  ['brackets', '['],
  ['emphasis', '*a_ '],
  ['setext tries', 'a\n=b\n'],
  ['footnotes', '[^a]: [^a]\n\n'],
  ['tables', '|a|b|\n|-|-|\n'],
  ['backticks', '`a``b```'],
]

const readers = { connections: 8, everyMs: 20 }

/** Stores 2 MB of the worst nesting while others read. */
export const hostile: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    try {
      const server = await bench.serve()
      const path = `${docs}/small.md`
      await bench.request(server.port, 'PUT', path, { body: prose('Small', 1024) })
      const read = (durationMs: number) =>
        loader.run({
          ...readers,
          port: server.port,
          method: 'GET',
          path,
          headers: bench.authorization,
          status: 200,
          durationMs,
        })
      await read(1000)
      const quiet = await read(2000)

      const lines: { name: string; storedMs: number; p99Ms: number }[] = []
      for (const [name, piece] of nestings) {
        const body = `# Hostile\n\n${piece.repeat(bytes / piece.length)}`
        const reading = read(2000)
        const begunMs = performance.now()
        await bench.request(server.port, 'PUT', `${docs}/hostile-${lines.length}.md`, { body })
        const storedMs = performance.now() - begunMs
        lines.push({ name, storedMs, p99Ms: (await reading).p99Ms })
      }
      return [
        measured('2 MB of hostile markdown is stored', lines, 'storedMs', storedBoundMs),
        measured(
          `p99 of small GETs meanwhile (${milliseconds(quiet.p99Ms)} before)`,
          lines,
          'p99Ms',
          readersBoundMs,
        ),
      ]
    } finally {
      await loader.close()
    }
  })

/** @returns the row of the worst nesting */
function measured(
  what: string,
  lines: { name: string; storedMs: number; p99Ms: number }[],
  which: 'storedMs' | 'p99Ms',
  boundMs: number,
): BenchRow {
  const worst = lines.reduce((worst, line) => (line[which] > worst[which] ? line : worst))
  return {
    what: `${what} (worst: ${worst.name})`,
    workroom: milliseconds(worst[which]),
    against: `${boundMs} ms`,
    ratio: times(worst[which] / boundMs),
    target: '≤ 1',
    isMet: worst[which] <= boundMs,
  }
}
