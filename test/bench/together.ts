import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type BenchWorkspace, withBenchWorkspace } from './bench-workspace.ts'
import { documentsFor, metric, signedIn, type Target } from './live-texts.ts'
import { type Bench, type BenchRow, median, milliseconds, times } from './measured.ts'
import { type Peer, type Served, startRelay, startTypists, type Typists } from './processes.ts'
import { processorMs } from './processor-time.ts'
import type { Typing, TypingResult } from './typing.ts'

/** Ten letters a second. */
const fastMs = 100
const roundMs = 2500
const rounds = 3
/** Until it is seen, what somebody types elsewhere shall not feel late. */
const boundMs = 50
const largeBytes = 1_000_000
const largeEveryMs = 25
/** Of a text of that length. */
const boundProcessorMs = 1

/** Editors that type in the same documents at once, against a relay that passes on what it is sent. */
export const together: Bench = () => withBenchWorkspace(latencies)

async function latencies(workshop: BenchWorkspace): Promise<BenchRow[]> {
  const server = await workshop.serve()
  const relay = await startRelay()
  const typists = startTypists()
  try {
    const ours = await signedIn(workshop, server)
    const theirs = { port: relay.port, signin: null }
    const against = async (what: string, load: Load): Promise<BenchRow> => {
      const urls = await documentsFor(workshop, server, load.documents)
      const results: { our: TypingResult; their: TypingResult }[] = []
      for (let round = 0; round < rounds; round++) {
        const their = await typists.run(typingOf(load, urls, theirs))
        results.push({ their, our: await typists.run(typingOf(load, urls, ours)) })
      }
      return rowOf(what, results)
    }
    return [
      await against('A keystroke of one editor, to another', { documents: 1, writers: 1, readers: 1 }),
      await against('A keystroke of one of 50 who type in one document', { documents: 1, writers: 50 }),
      await against('A keystroke in one of 20 documents, in each of which 3 type', {
        documents: 20,
        writers: 3,
      }),
      await inLargeText(workshop, { server, typists, ours, relay }),
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
  const middle = (of: (result: (typeof results)[number]) => number) => median(results.map(of))
  const p99Ms = middle(({ our }) => our.p99Ms)
  return {
    what: `${what} (p99 ${milliseconds(p99Ms)}; of the relay ${milliseconds(middle(({ their }) => their.p99Ms))})`,
    workroom: milliseconds(middle(({ our }) => our.p50Ms)),
    against: `relay ${milliseconds(middle(({ their }) => their.p50Ms))}`,
    ratio: times(middle(({ our, their }) => our.p50Ms / their.p50Ms)),
    target: `p99 ≤ ${boundMs} ms`,
    isMet: p99Ms <= boundMs,
  }
}

/** What a save leads to goes on after it: the text is parsed, and its words are looked up. */
async function atRest(pid: number): Promise<void> {
  let before = processorMs(pid)
  await eventually(async () => {
    await pause(500)
    const now = processorMs(pid)
    const isAtRest = now - before <= 10
    before = now
    return isAtRest
  }, 30_000)
}

/** Shorter than the time after which a text is saved, and so parsed. */
async function inLargeText(
  workshop: BenchWorkspace,
  { server, typists, ours, relay }: { server: Served; typists: Typists; ours: Target; relay: Peer },
): Promise<BenchRow> {
  const load = { documents: 1, writers: 1, readers: 1 }
  const urls = await documentsFor(workshop, server, load.documents, largeBytes)
  const costOf = async (durationMs: number, { writers = 1, target = ours, pid = server.pid } = {}) => {
    await atRest(pid)
    const startMs = processorMs(pid)
    const typing = { ...typingOf({ ...load, writers }, urls, target), everyMs: largeEveryMs, durationMs }
    const result = await typists.run(typing)
    const tookMs = processorMs(pid) - startMs
    await eventually(async () => (await metric(workshop, server, 'workroom_live_documents')) === 0)
    return { ...result, tookMs }
  }
  const theirs = { target: { port: relay.port, signin: null }, pid: relay.pid }
  const their = await costOf(9000, theirs)
  // A server that has run for a while has compiled what it does often.
  const many = await costOf(5000, { writers: 8 })
  // What it takes to open the text is in both.
  const [short, long] = [await costOf(1000), await costOf(9000)]
  const eachMs = (long.tookMs - short.tookMs) / (long.letters - short.letters)
  const ofMany = milliseconds(many.tookMs / many.letters)
  const ofRelay = milliseconds(their.tookMs / their.letters)
  return {
    what: `Processor time of a keystroke in a text of 1 MB, one every ${largeEveryMs} ms (of 8 who type at once ${ofMany}; of the relay, for one, ${ofRelay})`,
    workroom: milliseconds(eachMs),
    against: milliseconds(boundProcessorMs),
    ratio: times(eachMs / boundProcessorMs),
    target: '≤ 1',
    isMet: eachMs <= boundProcessorMs,
    processorMs: eachMs,
  }
}
