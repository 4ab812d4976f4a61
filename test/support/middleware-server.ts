import Koa from 'koa'
import type { Test } from 'tap'
import type { RequestState } from '../../server/context.ts'
import { type HttpServer, listen } from '../../server/http-server.ts'
import { errorHandler } from '../../server/middleware/errors.ts'
import { requestId, requestIds } from '../../server/middleware/request-id.ts'
import { brokenRequestLog, requestLog } from '../../server/middleware/request-log.ts'
import { rejectWhileStopping } from '../../server/middleware/stopping.ts'
import { type CapturedLog, capturedLog } from './captured-log.ts'
import { type HttpResponse, type RequestOptions, request } from './http-client.ts'
import { seededRandom } from './seeded-random.ts'

export interface MiddlewareServer {
  url: string
  server: HttpServer
  log: CapturedLog
  request(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>
}

/** Serves the outer middleware on a real socket, around routes of the test. */
export async function serveMiddleware(
  t: Test,
  configure: (app: Koa<RequestState>, server: HttpServer) => void,
  options: { receiveMs?: number } = {},
): Promise<MiddlewareServer> {
  const log = capturedLog()
  const newRequestId = requestIds(seededRandom(t.fullname))
  const onBroken = brokenRequestLog(log)
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    newRequestId,
    onBadRequest: onBroken,
    ...options,
  })
  const app = new Koa<RequestState>()
  app.on('error', (error) => log.error({ err: error }, 'A response could not be sent.'))
  app
    .use(requestId(newRequestId))
    .use(requestLog(log))
    .use(errorHandler(log))
    .use(rejectWhileStopping(server.stopping))
  configure(app, server)
  server.serve(app.callback(), (_request, socket) => socket.destroy())
  t.teardown(() => server.close(0))
  return {
    url: server.address,
    server,
    log,
    request: (method, path, options) => request(server.address, method, path, options),
  }
}
