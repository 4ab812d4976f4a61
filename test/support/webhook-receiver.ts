import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it waits for
  json: any
}

/** How a delivery is answered: a status, the text of a reply, or a handler. */
export type StubResponse = number | string | ((response: ServerResponse, received: ReceivedRequest) => void)

export interface WebhookReceiver {
  urlOf(name: string): string
  requests(name: string): ReceivedRequest[]
  /** Sets how deliveries for a name are answered; 204 at first. */
  respondWith(name: string, stub: StubResponse): void
}

/** Starts a receiver on the loopback address until the test ends. */
export async function startReceiver(t: Test): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = []
  const stubs = new Map<string, StubResponse>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const path = request.url!
    const received = { path, headers: request.headers, body, json: JSON.parse(body.toString()) }
    requests.push(received)
    respond(response, received, stubs.get(path) ?? 204)
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
    requests: (name) => requests.filter(({ path }) => path === pathOf(name)),
    respondWith: (name, stub) => void stubs.set(pathOf(name), stub),
  }
}

function respond(response: ServerResponse, received: ReceivedRequest, stub: StubResponse): void {
  if (typeof stub === 'function') stub(response, received)
  else if (typeof stub === 'number') response.writeHead(stub).end()
  else {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ body: stub }))
  }
}
