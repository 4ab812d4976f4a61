import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { besideBareKoa } from './interleave.ts'
import type { Bench, BenchRow } from './measured.ts'
import { type BareKoa, type Loader, type Served, startBareKoa, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const documentBytes = 4096
const connections = 32
const listed = 1000

interface ReadSetup {
  workshop: BenchWorkspace
  server: Served
  beside: { loader: Loader; koa: BareKoa }
}

const onStage = (measure: (stage: ReadSetup) => Promise<BenchRow[]>): Promise<BenchRow[]> =>
  withBenchWorkspace(async (workshop) => {
    const beside = { loader: startLoader(), koa: await startBareKoa() }
    try {
      return await measure({ workshop, server: await workshop.serve(), beside })
    } finally {
      await beside.loader.close()
      await beside.koa.close()
    }
  })

async function written({ workshop, server }: ReadSetup) {
  const path = `${docs}/reading.md`
  await workshop.request(server.port, 'PUT', path, { body: prose('Reading', documentBytes) })
  return { path, answer: await workshop.request(server.port, 'GET', path) }
}

export const get: Bench = () =>
  onStage(async (stage) => {
    const { path, answer } = await written(stage)
    const measured = await besideBareKoa(
      stage.beside,
      { what: 'GET of a 4 kB document, 32 connections', answer, target: 0.5 },
      {
        port: stage.server.port,
        pid: stage.server.pid,
        method: 'GET',
        path,
        headers: stage.workshop.authorization,
        connections,
        status: 200,
      },
    )
    return [measured]
  })

/** The same for a reader who already has it. */
export const notModified: Bench = () =>
  onStage(async (stage) => {
    const { path, answer } = await written(stage)
    const measured = await besideBareKoa(
      stage.beside,
      { what: 'GET answered with 304, 32 connections', answer },
      {
        port: stage.server.port,
        pid: stage.server.pid,
        method: 'GET',
        path,
        headers: { ...stage.workshop.authorization, 'If-None-Match': answer.headers.etag! },
        connections,
        status: 304,
      },
    )
    return [measured]
  })

export const list: Bench = () =>
  onStage(async (stage) => {
    const { workshop, server, beside } = stage
    let next = 0
    const write = async () => {
      while (next < listed - 1) {
        const title = `Listed ${next++}`
        await workshop.request(server.port, 'PUT', `${docs}/${title.replace(' ', '-').toLowerCase()}.md`, {
          body: `# ${title}\n\nOne of many.\n`,
        })
      }
    }
    await Promise.all(Array.from({ length: 16 }, write))
    const answer = await workshop.request(server.port, 'GET', docs)
    const count = answer.json.documents.length
    if (count !== listed) throw new Error(`${count} documents are listed.`)
    const measured = await besideBareKoa(
      beside,
      { what: 'List of 1,000 documents, 8 connections', answer },
      {
        port: server.port,
        pid: server.pid,
        method: 'GET',
        path: docs,
        headers: workshop.authorization,
        connections: 8,
        status: 200,
      },
    )
    return [measured]
  })
