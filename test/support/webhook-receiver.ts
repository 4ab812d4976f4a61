import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  /** The very bytes. */
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it waits for
  json: any
}

/** What a call is answered: a status, the text of a reply, or whatever a test does with the response. */
export type Manner = number | string | ((response: ServerResponse, called: ReceivedRequest) => void)

/** Something that is called by webhooks, on a port of its own. */
export interface WebhookReceiver {
  /** Where an agent of this name is to be called. */
  urlOf(name: string): string
  /** The calls that came for a name, oldest first. */
  calls(name: string): ReceivedRequest[]
  /** How calls for a name are answered from now on; 204 until it is said. */
  answer(name: string, manner: Manner): void
}

/** Starts a receiver on the loopback address; it ends with the test, whatever it holds open. */
export async function startReceiver(t: Test): Promise<WebhookReceiver> {
  const calls: ReceivedRequest[] = []
  const manners = new Map<string, Manner>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const path = request.url!
    const called = { path, headers: request.headers, body, json: JSON.parse(body.toString()) }
    calls.push(called)
    respond(response, called, manners.get(path) ?? 204)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  const pathOf = (name: string) => `/${encodeURIComponent(name)}`
  return {
    urlOf: (name) => `http://127.0.0.1:${port}${pathOf(name)}`,
    calls: (name) => calls.filter(({ path }) => path === pathOf(name)),
    answer: (name, manner) => void manners.set(pathOf(name), manner),
  }
}

function respond(response: ServerResponse, called: ReceivedRequest, manner: Manner): void {
  if (typeof manner === 'function') manner(response, called)
  else if (typeof manner === 'number') response.writeHead(manner).end()
  else {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ body: manner }))
  }
}
