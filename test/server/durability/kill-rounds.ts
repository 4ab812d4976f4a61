import { Agent } from 'node:http'
import { treePath } from '../../../core/documents/model/document-paths.ts'
import { type HttpResponse, request } from '../../support/http-client.ts'
import type { ChildServer } from './child-server.ts'
import type { Records } from './ledger.ts'
import type { Write } from './writers.ts'

/** Concurrent writers and the key that they use. */
export interface Writing {
  key: string
  everybody: Write[]
  /** Ends the server; default: SIGKILL. */
  end?: () => void
  /** Whether an answer is to be expected of a server whose disk is gone. */
  isExpected?: (failure: unknown) => boolean
}

/**
 * Runs all writers at the same time until the server ends: `ms` after so many `answers`, or sooner by itself.
 * @returns how many requests were answered
 * @throws the first unexpected answer
 */
export async function writeUntil(
  after: { answers: number; ms: number },
  server: ChildServer,
  { key, everybody, end = () => server.kill(), isExpected = () => false }: Writing,
): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  let answered = 0
  let isGone = false
  const asOwner = async (method: string, path: string, body?: unknown): Promise<HttpResponse> => {
    const response = await request(server.url, method, path, { key, body, agent })
    answered += 1
    if (answered === after.answers) setTimeout(end, after.ms)
    return response
  }
  void server.gone.then(() => {
    isGone = true
  })
  const failures: unknown[] = []
  await Promise.all(
    everybody.map(async (write) => {
      while (!isGone) {
        try {
          await write(asOwner)
        } catch (error) {
          // A broken connection has a system error code; anything else is an unexpected answer.
          if (!(error instanceof Error && 'code' in error) && !isExpected(error)) failures.push(error)
          server.kill()
          await server.gone
        }
      }
    }),
  )
  await server.gone
  agent.destroy()
  if (failures.length > 0) throw failures[0]
  return answered
}

/** Returns the documents with events after a tick that HTTP shows otherwise than database and disk have them. */
export async function unreadable(
  url: string,
  key: string,
  { documents, events }: Records,
  afterTick: number,
): Promise<string[]> {
  const agent = new Agent({ keepAlive: true })
  const wrong: string[] = []
  for (const id of new Set(
    events.filter(({ tick }) => tick > afterTick).map(({ documentId }) => documentId),
  )) {
    const row = documents.get(id)
    if (!row || row.kind === 'home') continue
    const response = await request(url, 'GET', treePath({ slug: 'general' }, row), { key, agent })
    const isAsKept =
      response.status === 200 &&
      response.headers['x-service-revision'] === row.revision &&
      response.text.includes(`id: ${id}\n`)
    // Another document may have taken the name of a deleted one.
    const isGone = response.status === 404 || !response.text.includes(`id: ${id}\n`)
    if (row.deletedMs === null ? !isAsKept : !isGone) wrong.push(`${row.path}: ${response.status}`)
  }
  agent.destroy()
  return wrong
}
