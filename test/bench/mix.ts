import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { writeDocuments } from './documents-on-disk.ts'
import { ingested } from './ingested.ts'
import { type Bench, milliseconds, times } from './measured.ts'
import type { Served } from './processes.ts'
import { prose } from './prose.ts'

const durationMs = 8_000
const boundMs = 25

/** The longest hold of the event loop under requests of every kind. */
export const mixAmong =
  (count: number): Bench =>
  () =>
    withBenchWorkspace(async (bench) => {
      await writeDocuments(bench, count, (number) => `# Page ${number}\n\nSome common words.\n`)
      const server = await bench.serve()
      await ingested(bench, server)
      // Each scrape starts a new measurement of the event loop.
      await longestHoldMs(bench, server)
      await requestEverything(bench, server, durationMs)
      const holdMs = await longestHoldMs(bench, server)
      return [
        {
          what: `Longest hold of the event loop, mixed requests, ${count.toLocaleString('en')} documents`,
          workroom: milliseconds(holdMs),
          against: `${boundMs} ms`,
          ratio: times(holdMs / boundMs),
          target: '≤ 1',
          isMet: holdMs <= boundMs,
        },
      ]
    })

/** Sends requests of all kinds concurrently, one at a time of each, to the documents of `writeDocuments`. */
export async function requestEverything(
  bench: BenchWorkspace,
  { port }: Served,
  forMs: number,
): Promise<void> {
  const body = (turn: number) => prose(`Written ${turn}`, 4096)
  const kinds: ((turn: number) => Promise<unknown>)[] = [
    () => bench.request(port, 'GET', `${docs}/shelf-0/page-7.md`),
    (turn) => bench.request(port, 'PUT', `${docs}/written-${turn}.md`, { body: body(turn) }),
    (turn) => bench.request(port, 'PUT', `${docs}/shelf-0/page-8.md`, { body: body(turn) }),
    () => bench.request(port, 'GET', docs),
    () => bench.request(port, 'GET', `${docs}?limit=100`),
    () => bench.request(port, 'GET', '/v1/search?q=common'),
    (turn) => bench.request(port, 'GET', `/v1/search?q=${turn}`),
    () =>
      bench.request(port, 'PROPFIND', '/dav/projects/general/documents/shelf-0/', {
        headers: { Depth: '1' },
      }),
    (turn) =>
      bench.request(port, 'POST', '/api/rooms/general/messages', { body: { body: `Message ${turn}` } }),
    () => bench.request(port, 'GET', '/v1/events?wait=1'),
  ]
  const untilMs = performance.now() + forMs
  await Promise.all(
    kinds.map(async (send) => {
      for (let turn = 0; performance.now() < untilMs; turn++) await send(turn)
    }),
  )
}

/** Since the previous scrape; includes the interval between two samples. */
async function longestHoldMs(bench: BenchWorkspace, { port }: Served): Promise<number> {
  const { text } = await bench.request(port, 'GET', '/metrics')
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]
  if (seconds === undefined) throw new Error('The metrics do not tell the delay of the event loop.')
  return Number(seconds) * 1000
}
