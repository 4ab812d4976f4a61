import Koa from 'koa'
import type { Config } from '../core/config.ts'
import type { Workspace } from '../core/workspace.ts'
import { apiRoutes } from './api/index.ts'
import type { RequestState } from './context.ts'
import { treeRoutes } from './fs/index.ts'
import { healthRoutes } from './health.ts'
import type { Log } from './log.ts'
import { bearer } from './middleware/bearer.ts'
import { errors } from './middleware/errors.ts'
import { noRoute } from './middleware/no-route.ts'
import { readableRequest, readableTarget } from './middleware/readable-request.ts'
import { requestId } from './middleware/request-id.ts'
import { requestLog } from './middleware/request-log.ts'
import { refuseWhenStopping } from './middleware/stopping.ts'
import { unsubscribeRoutes } from './unsubscribe.ts'
import { v1Routes } from './v1/index.ts'

export interface AppOptions {
  config: Pick<Config, 'trustProxy' | 'limits'>
  log: Log
  newRequestId: () => string
  /** Fires when the server is about to stop. */
  stopping: AbortSignal
  /** The base address that people and agents use, without a slash at its end. */
  publicUrl: string
}

/** What a client does that goes away before its answer is sent. */
const goneAway = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'])

/** The middleware and the routes, in the order in which a request meets them. */
export function createApp(workspace: Workspace, options: AppOptions): Koa<RequestState> {
  const { config, log, newRequestId, stopping, publicUrl } = options
  const { trustProxy, limits } = config
  const app = new Koa<RequestState>()
  app.on('error', (error: Error) => {
    if (!('code' in error && goneAway.has(error.code)))
      log.error({ err: error }, 'An answer could not be sent.')
  })
  app
    .use(requestId(newRequestId))
    .use(requestLog(log))
    .use(errors(log))
    .use(readableTarget)
    .use(refuseWhenStopping(stopping))
    .use(bearer(workspace, { trustProxy, requestsPerMinute: limits.requestsPerMinute }))
    .use(readableRequest)
    .use(treeRoutes(workspace, { markdownBytes: limits.markdownBytes, publicUrl }))
    .use(apiRoutes(workspace).routes())
    .use(v1Routes(workspace, { trustProxy, stopping }).routes())
    .use(healthRoutes(workspace).routes())
    .use(unsubscribeRoutes(workspace).routes())
    .use(noRoute)
  return app
}
