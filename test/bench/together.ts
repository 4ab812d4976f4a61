import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type BenchWorkspace, withBenchWorkspace } from './bench-workspace.ts'
import { documentsFor, metric, signedIn, type Target } from './live-texts.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'
import { type Peer, type Served, startRelay, startTypists, type Typists } from './processes.ts'
import { processorMs } from './processor-time.ts'
import type { Typing, TypingResult } from './typing.ts'

const fastMs = 100
const roundMs = 2500
const rounds = 3
/** Letters that others type should not feel late. */
const boundMs = 50
const largeBytes = 1_000_000
const manyWriters = 50
const aloneEveryMs = 25
const boundProcessorMs = 1

/** Compares editors that type in the same documents with a bare relay. */
export const together: Bench = () => withBenchWorkspace(latencies)

async function latencies(bench: BenchWorkspace): Promise<BenchRow[]> {
  const server = await bench.serve()
  const relay = await startRelay()
  const typists = startTypists()
  try {
    const ours = await signedIn(bench, server)
    const theirs = { port: relay.port, signin: null }
    const against = async (what: string, load: Load): Promise<BenchRow> => {
      const urls = await documentsFor(bench, server, load.documents)
      const results: { our: TypingResult; their: TypingResult }[] = []
      for (let round = 0; round < rounds; round++) {
        const their = await typists.run(typingOf(load, urls, theirs))
        results.push({ their, our: await typists.run(typingOf(load, urls, ours)) })
      }
      return rowOf(what, results)
    }
    return [
      await against('A keystroke of one editor, to another', { documents: 1, writers: 1, readers: 1 }),
      await against(`A keystroke of one of ${manyWriters} who type in one document`, {
        documents: 1,
        writers: manyWriters,
      }),
      await against('A keystroke in one of 20 documents, in each of which 3 type', {
        documents: 20,
        writers: 3,
      }),
      await inLargeText(bench, { server, typists, ours, relay }),
    ]
  } finally {
    await Promise.all([typists.close(), relay.close()])
  }
}

interface Load {
  documents: number
  writers: number
  readers?: number
}

const typingOf = ({ writers, readers = 0 }: Load, paths: string[], { port, signin }: Target): Typing => ({
  urls: paths.map((path) => `ws://127.0.0.1:${port}${path}`),
  writers,
  readers,
  everyMs: fastMs,
  durationMs: roundMs,
  signin,
})

function rowOf(what: string, results: { our: TypingResult; their: TypingResult }[]): BenchRow {
  const medianOf = (of: (result: (typeof results)[number]) => number) => median(results.map(of))
  const p99Ms = medianOf(({ our }) => our.p99Ms)
  return {
    what: `${what} (p99 ${milliseconds(p99Ms)}; of the relay ${milliseconds(medianOf(({ their }) => their.p99Ms))})`,
    workroom: milliseconds(medianOf(({ our }) => our.p50Ms)),
    against: `relay ${milliseconds(medianOf(({ their }) => their.p50Ms))}`,
    ratio: times(medianOf(({ our, their }) => our.p50Ms / their.p50Ms)),
    target: `p99 ≤ ${boundMs} ms`,
    isMet: p99Ms <= boundMs,
  }
}

/** Waits for the work after a save: parsing and indexing. */
async function waitUntilIdle(pid: number): Promise<void> {
  let before = processorMs(pid)
  await eventually(async () => {
    await pause(500)
    const now = processorMs(pid)
    const isIdle = now - before <= 10
    before = now
    return isIdle
  }, 30_000)
}

/** The cost of a letter when many type, and when one types alone. */
async function inLargeText(
  bench: BenchWorkspace,
  { server, typists, ours, relay }: { server: Served; typists: Typists; ours: Target; relay: Peer },
): Promise<BenchRow> {
  const urls = await documentsFor(bench, server, 1, largeBytes)
  const costOf = async (
    typing: Pick<Typing, 'writers' | 'everyMs'>,
    durationMs: number,
    isRelay: boolean,
  ) => {
    const { target, pid } = isRelay
      ? { target: { port: relay.port, signin: null }, pid: relay.pid }
      : { target: ours, pid: server.pid }
    await waitUntilIdle(pid)
    const startMs = processorMs(pid)
    const load = typingOf({ documents: 1, writers: typing.writers, readers: 1 }, urls, target)
    const { letters } = await typists.run({ ...load, everyMs: typing.everyMs, durationMs })
    const tookMs = processorMs(pid) - startMs
    await eventually(async () => (await metric(bench, server, 'workroom_live_documents')) === 0)
    return { letters, tookMs }
  }
  // Both include opening the text, and end before the save, which would parse it.
  const costOfLetter = async (writers: number, everyMs: number, isRelay = false) => {
    const short = await costOf({ writers, everyMs }, 1000, isRelay)
    const long = await costOf({ writers, everyMs }, 9000, isRelay)
    return (long.tookMs - short.tookMs) / (long.letters - short.letters)
  }
  // Lets the server compile its code.
  await costOf({ writers: 8, everyMs: aloneEveryMs }, 5000, false)
  const ofMany = await costOfLetter(manyWriters, fastMs)
  const ofManyOfRelay = await costOfLetter(manyWriters, fastMs, true)
  const alone = await costOfLetter(1, aloneEveryMs)
  const aloneOfRelay = await costOfLetter(1, aloneEveryMs, true)
  const aside = `of one who types alone ${milliseconds(alone)}, of the relay ${milliseconds(aloneOfRelay)}`
  return {
    what: `Processor time of a keystroke of one of ${manyWriters} who type in a text of 1 MB (${aside})`,
    workroom: milliseconds(ofMany),
    against: `relay ${milliseconds(ofManyOfRelay)}`,
    ratio: times(ofMany / ofManyOfRelay),
    target: `≤ ${boundProcessorMs} ms`,
    isMet: ofMany <= boundProcessorMs,
    processorMs: ofMany,
  }
}
