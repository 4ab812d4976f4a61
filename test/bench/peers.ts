import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from '../support/http-client.ts'
import { type BenchWorkspace, docs, withBenchWorkspace } from './bench-workspace.ts'
import { davDocs } from './dav.ts'
import { editsOf, putDocuments } from './edited-documents.ts'
import { comparedLoads, interleaveLoads, type ServerLoad } from './interleave.ts'
import type { Bench, BenchRow } from './measured.ts'
import { type PeerServer, peerServers } from './peer-servers.ts'
import { type Loader, type Peer, type Served, startLoader } from './processes.ts'
import { prose } from './prose.ts'

const documentBytes = 4096

/** The least rates, as a share of the peer's, which neither flushes nor indexes what it stores. */
const targets: Record<string, { edits?: number; propfind?: number; new?: number }> = {
  rclone: { edits: 0.5, propfind: 1.5 },
  nephele: { new: 1 },
}

interface Compared {
  loader: Loader
  server: Served
  peer: Peer & PeerServer
  authorization: BenchWorkspace['authorization']
}

/** Compares writes, reads and listings with other installed servers, on the same disk with the same files. */
export const peers: Bench = async () => {
  const rows: BenchRow[] = []
  for (const server of peerServers) rows.push(...(await compareWith(server)))
  return rows
}

/** The peer serves a folder outside of the home, which only the home's user can read. */
async function compareWith(other: PeerServer): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'workroom-peer-'))
  await chmod(folder, 0o755)
  const peer = await other.serve(join(folder, 'served'))
  try {
    if (peer) return await compareAll({ ...other, ...peer })
    process.stderr.write(`${other.name} is not installed: nothing is compared with it.\n`)
    return []
  } finally {
    await peer?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const compareAll = (peer: Peer & PeerServer): Promise<BenchRow[]> =>
  withBenchWorkspace(async (bench) => {
    const loader = startLoader()
    try {
      const server = await bench.serve()
      await putDocuments((name, body) => bench.request(server.port, 'PUT', `${docs}/${name}`, { body }))
      await putDocuments((name, body) =>
        request(`http://127.0.0.1:${peer.port}`, 'PUT', `/${name}`, { body }),
      )
      const compared = { loader, server, peer, authorization: bench.authorization }
      return [
        await propfind(compared),
        await reads(compared),
        await paragraphs(compared),
        await newDocuments(compared),
      ]
    } finally {
      await loader.close()
    }
  })

/** Runs a load on Workroom and one on the peer, in turns. */
async function compareLoads(
  { loader, server, peer, authorization }: Compared,
  what: string,
  [ours, theirs]: [Omit<ServerLoad, 'port' | 'pid'>, Omit<ServerLoad, 'port' | 'pid'>],
  target?: number,
): Promise<BenchRow> {
  const results = await interleaveLoads(loader, [
    { ...ours, port: server.port, pid: server.pid, headers: { ...ours.headers, ...authorization } },
    { ...theirs, port: peer.port, pid: peer.pid },
  ])
  return comparedLoads(`${what}, against ${peer.name}`, results, target)
}

function propfind(compared: Compared): Promise<BenchRow> {
  const load = { method: 'PROPFIND', connections: 8, status: 207, headers: { Depth: '1' } }
  return compareLoads(
    compared,
    'PROPFIND of 1,000 members',
    [
      { ...load, path: `${davDocs}/` },
      { ...load, path: '/' },
    ],
    targets[compared.peer.name]?.propfind,
  )
}

function reads(compared: Compared): Promise<BenchRow> {
  const load = { method: 'GET', connections: 32, status: 200 }
  const path = 'edited-7.md'
  return compareLoads(compared, 'GET of 4 kB over /dav', [
    { ...load, path: `${davDocs}/${path}` },
    { ...load, path: `/${path}` },
  ])
}

function paragraphs(compared: Compared): Promise<BenchRow> {
  const { peer } = compared
  return compareLoads(
    compared,
    'PUT that changes a paragraph, 32 writers',
    [
      { ...editsOf(docs), status: 201 },
      { ...editsOf(''), status: peer.overwritten },
    ],
    targets[peer.name]?.edits,
  )
}

function newDocuments(compared: Compared): Promise<BenchRow> {
  const body = prose('New {n}', documentBytes)
  const load = { method: 'PUT', body, connections: 32, status: 201 }
  return compareLoads(
    compared,
    'PUT of new 4 kB documents, 32 writers',
    [
      { ...load, path: `${docs}/new-{n}.md` },
      { ...load, path: '/new-{n}.md' },
    ],
    targets[compared.peer.name]?.new,
  )
}
