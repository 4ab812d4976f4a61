import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { compareWithBareKoa } from './interleave.ts'
import type { Bench, BenchRow } from './measured.ts'
import { type BareKoa, type Loader, type Served, startBareKoa, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const documentBytes = 4096
const connections = 32
const listed = 1000

interface ReadSetup {
  bench: BenchWorkspace
  server: Served
  bareKoa: { loader: Loader; koa: BareKoa }
}

const withReadSetup = (measure: (setup: ReadSetup) => Promise<BenchRow[]>): Promise<BenchRow[]> =>
  withBenchWorkspace(async (bench) => {
    const bareKoa = { loader: startLoader(), koa: await startBareKoa() }
    try {
      return await measure({ bench, server: await bench.serve(), bareKoa })
    } finally {
      await bareKoa.loader.close()
      await bareKoa.koa.close()
    }
  })

async function writeDocument({ bench, server }: ReadSetup) {
  const path = `${docs}/reading.md`
  await bench.request(server.port, 'PUT', path, { body: prose('Reading', documentBytes) })
  return { path, response: await bench.request(server.port, 'GET', path) }
}

export const get: Bench = () =>
  withReadSetup(async (setup) => {
    const { path, response } = await writeDocument(setup)
    const measured = await compareWithBareKoa(
      setup.bareKoa,
      { what: 'GET of a 4 kB document, 32 connections', response, target: 0.5 },
      {
        port: setup.server.port,
        pid: setup.server.pid,
        method: 'GET',
        path,
        headers: setup.bench.authorization,
        connections,
        status: 200,
      },
    )
    return [measured]
  })

/** The same for a reader who already has it. */
export const notModified: Bench = () =>
  withReadSetup(async (setup) => {
    const { path, response } = await writeDocument(setup)
    const measured = await compareWithBareKoa(
      setup.bareKoa,
      { what: 'GET answered with 304, 32 connections', response },
      {
        port: setup.server.port,
        pid: setup.server.pid,
        method: 'GET',
        path,
        headers: { ...setup.bench.authorization, 'If-None-Match': response.headers.etag! },
        connections,
        status: 304,
      },
    )
    return [measured]
  })

export const list: Bench = () =>
  withReadSetup(async (setup) => {
    const { bench, server, bareKoa } = setup
    let next = 0
    const write = async () => {
      while (next < listed - 1) {
        const title = `Listed ${next++}`
        await bench.request(server.port, 'PUT', `${docs}/${title.replace(' ', '-').toLowerCase()}.md`, {
          body: `# ${title}\n\nOne of many.\n`,
        })
      }
    }
    await Promise.all(Array.from({ length: 16 }, write))
    const response = await bench.request(server.port, 'GET', docs)
    const count = response.json.documents.length
    if (count !== listed) throw new Error(`${count} documents are listed.`)
    const measured = await compareWithBareKoa(
      bareKoa,
      { what: 'List of 1,000 documents, 8 connections', response },
      {
        port: server.port,
        pid: server.pid,
        method: 'GET',
        path: docs,
        headers: bench.authorization,
        connections: 8,
        status: 200,
      },
    )
    return [measured]
  })
