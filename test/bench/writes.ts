import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { comparedLoads, compareWithBareKoa, interleaveLoads, type ServerLoad } from './interleave.ts'
import type { Bench } from './measured.ts'
import { startBareKoa, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const documentBytes = 4096
/** How much faster many writers must be than one: on new documents, and on a single one. */
const targets = { new: 5, same: 1 }

/** Writes new documents, by one writer and by many in turns; then one document. */
export const put: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    const koa = await startBareKoa()
    try {
      const server = await bench.serve()
      const path = `${docs}/written.md`
      const body = prose('Written {n}', documentBytes)
      const response = await bench.request(server.port, 'PUT', path, { body: prose('Written', 4096) })
      const one: ServerLoad = {
        port: server.port,
        pid: server.pid,
        method: 'PUT',
        path: `${docs}/written-{n}.md`,
        headers: bench.authorization,
        body,
        connections: 1,
        status: 201,
      }
      const rewriting: ServerLoad = {
        ...one,
        path,
        body: prose('Written', documentBytes - 20).concat('\nTake {n}.\n'),
      }
      const distinct = { what: 'PUT of new 4 kB documents, 1 writer', response }
      const many = { what: 'PUT of new 4 kB documents, 32 writers', response }
      const again = { what: 'PUT to one 4 kB document, 1 writer', response }
      const writersCompared = await interleaveLoads(loader, [{ ...one, connections: 32 }, one])
      const bareKoa = { loader, koa }
      return [
        await compareWithBareKoa(bareKoa, distinct, {
          ...one,
          path: `${docs}/single-{n}.md`,
          body: prose('Single {n}', documentBytes),
        }),
        await compareWithBareKoa(bareKoa, many, {
          ...one,
          path: `${docs}/crowd-{n}.md`,
          body: prose('Crowd {n}', documentBytes),
          connections: 32,
        }),
        comparedLoads('32 writers against 1 writer', writersCompared, targets.new),
        await compareWithBareKoa(bareKoa, again, rewriting),
        comparedLoads(
          '32 writers of one document against 1 writer of it',
          await interleaveLoads(loader, [{ ...rewriting, connections: 32 }, rewriting]),
          targets.same,
        ),
      ]
    } finally {
      await loader.close()
      await koa.close()
    }
  })
