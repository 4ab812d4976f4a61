import { docs, withBenchWorkspace } from './bench-workspace.ts'
import { comparedLoads, interleaveLoads, type ServerLoad } from './interleave.ts'
import type { Bench } from './measured.ts'
import { startLoader } from './processes.ts'
import { prose } from './prose.ts'

/** The same documents as `docs`, over the mount. */
export const davDocs = '/dav/projects/general/documents'

const documentBytes = 4096
/** The least rate, as a share of that over `/v1/fs`. */
const target = 0.6

/** Compares reads of a document over the mount with reads over `/v1/fs`. */
export const dav: Bench = () =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    try {
      const { port, pid } = await bench.serve()
      await bench.request(port, 'PUT', `${docs}/reading.md`, { body: prose('Reading', documentBytes) })
      const load = (path: string): ServerLoad => ({
        port,
        pid,
        method: 'GET',
        path,
        headers: bench.authorization,
        connections: 32,
        status: 200,
      })
      const results = await interleaveLoads(loader, [
        load(`${davDocs}/reading.md`),
        load(`${docs}/reading.md`),
      ])
      return [comparedLoads('GET of 4 kB over /dav, against the same over /v1/fs', results, target)]
    } finally {
      await loader.close()
    }
  })
