import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from '../support/http-client.ts'
import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { davDocs } from './dav.ts'
import { editsOf, putDocuments } from './edited-documents.ts'
import { comparedLoads, interleaveLoads } from './interleave.ts'
import type { Bench, BenchRow } from './measured.ts'
import { type Loader, type Peer, type Served, serveByRclone, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const documentBytes = 4096
/** The least rates, compared with `rclone serve webdav`, which neither flushes nor indexes what it stores. */
const targets = { edits: 0.5, propfind: 1.5 }

interface Compared {
  loader: Loader
  server: Served
  peer: Peer
  authorization: BenchWorkspace['authorization']
}

/** Writes and listings, against `rclone serve webdav` on the same disk with the same files. Needs rclone on the PATH. */
export const peers: Bench = () =>
  withBenchWorkspace(async (workshop) => {
    const folder = join(workshop.home, '..', 'rclone')
    await mkdir(folder)
    const loader = startLoader()
    const peer = await serveByRclone(folder)
    try {
      const server = await workshop.serve()
      await putDocuments((name, body) => workshop.request(server.port, 'PUT', `${docs}/${name}`, { body }))
      await putDocuments((name, body) =>
        request(`http://127.0.0.1:${peer.port}`, 'PUT', `/${name}`, { body }),
      )
      const compared = { loader, server, peer, authorization: workshop.authorization }
      return [await propfind(compared), await paragraphs(compared), await newDocuments(compared)]
    } finally {
      await loader.close()
      await peer.close()
    }
  })

async function propfind({ loader, server, peer, authorization }: Compared): Promise<BenchRow> {
  const load = { method: 'PROPFIND', connections: 8, status: 207 }
  const headers = { Depth: '1' }
  const results = await interleaveLoads(loader, [
    {
      ...load,
      port: server.port,
      pid: server.pid,
      path: `${davDocs}/`,
      headers: { ...headers, ...authorization },
    },
    { ...load, port: peer.port, pid: peer.pid, path: '/', headers },
  ])
  return comparedLoads('PROPFIND of 1,000 members, against rclone', results, targets.propfind)
}

async function paragraphs({ loader, server, peer, authorization }: Compared): Promise<BenchRow> {
  const status = 201
  const results = await interleaveLoads(loader, [
    { ...editsOf(docs), port: server.port, pid: server.pid, headers: authorization, status },
    { ...editsOf(''), port: peer.port, pid: peer.pid, status },
  ])
  return comparedLoads('PUT that changes a paragraph, 32 writers, against rclone', results, targets.edits)
}

async function newDocuments({ loader, server, peer, authorization }: Compared): Promise<BenchRow> {
  const body = prose('New {n}', documentBytes)
  const load = { method: 'PUT', body, connections: 32, status: 201 }
  const results = await interleaveLoads(loader, [
    { ...load, port: server.port, pid: server.pid, path: `${docs}/new-{n}.md`, headers: authorization },
    { ...load, port: peer.port, pid: peer.pid, path: '/new-{n}.md' },
  ])
  return comparedLoads('PUT of new 4 kB documents, 32 writers, against rclone', results)
}
