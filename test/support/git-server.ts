import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface GitServer {
  port: number
  requestUrls: string[]
}

/** Serves repositories with git's own backend. @param intercept returns true if it has handled a request */
export async function serveRepositories(
  t: Test,
  root: string,
  intercept: (path: string, response: ServerResponse) => boolean = () => false,
  tls: ServerOptions | null = null,
): Promise<GitServer> {
  const requestUrls: string[] = []
  const handle: RequestListener = (request, response) => {
    requestUrls.push(request.url!)
    if (!intercept(request.url!, response)) runBackend(root, request, response)
  }
  const server = tls ? createTlsServer(tls, handle) : createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { port: (server.address() as AddressInfo).port, requestUrls }
}

function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url!, 'http://x')
  const { headers, method } = request
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: method,
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  request.pipe(child.stdin)
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.on('close', () => {
    const answer = Buffer.concat(chunks)
    const end = answer.indexOf('\r\n\r\n')
    for (const line of answer.toString('latin1', 0, end).split('\r\n')) {
      const [name, value] = line.split(': ') as [string, string]
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10)
      else response.setHeader(name, value)
    }
    response.end(answer.subarray(end + 4))
  })
}
