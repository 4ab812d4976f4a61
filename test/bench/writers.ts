import { docs, withBenchWorkspace } from './bench-workspace.ts'
import type { Load, LoadResult } from './load.ts'
import { type Bench, type BenchRow, milliseconds, times } from './measured.ts'
import { startLoader } from './processes.ts'
import { prose } from './prose.ts'

const connections = 500
const documentBytes = 4096
const warmUpMs = 3000
const durationMs = 15_000
/** The p99 against the median, where all writers do the same. */
const target = 3

/** Many concurrent writers, served in order, so that none waits much longer than most. */
export const writers: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const [loader, other] = [startLoader(), startLoader()]
    try {
      const { port } = await bench.serve()
      const load = (path: string, body: string, share: Partial<Load>): Load => ({
        port,
        method: 'PUT',
        path: `${docs}/${path}.md`,
        headers: bench.authorization,
        body,
        connections,
        durationMs,
        status: 201,
        ...share,
      })
      const fresh = (name: string, share: Partial<Load> = {}) =>
        load(`${name}-{n}`, prose(`${name} {n}`, documentBytes), share)
      await loader.run(fresh('warm', { connections: 32, durationMs: warmUpMs }))
      const alike = await loader.run(fresh('new'))
      const half = { connections: connections / 2 }
      const [apart, together] = await Promise.all([
        loader.run(fresh('apart', half)),
        other.run(load('one', prose('One', documentBytes - 20).concat('\nTake {n}.\n'), half)),
      ])
      return [
        {
          ...waits(`PUT of new 4 kB documents, ${connections} connections`, alike),
          target: `≤ ${target}`,
          isMet: alike.p99Ms / alike.p50Ms <= target,
        },
        waits(`The same by ${half.connections}, while as many write to one document`, apart),
        waits(`Those ${half.connections}`, together),
      ]
    } finally {
      await loader.close()
      await other.close()
    }
  })

const waits = (what: string, { p50Ms, p99Ms, maxMs }: LoadResult): BenchRow => ({
  what: `${what}: p99 against the median (longest ${milliseconds(maxMs)})`,
  workroom: milliseconds(p99Ms),
  against: milliseconds(p50Ms),
  ratio: times(p99Ms / p50Ms),
  target: '',
  isMet: null,
})
