import type { IncomingMessage } from 'node:http'
import Koa from 'koa'
import type { Config } from '../core/config.ts'
import { WorkspaceError } from '../core/errors/workspace-error.ts'
import type { Workspace } from '../core/workspace/index.ts'
import { apiRoutes } from './api/index.ts'
import { BrowserSessions } from './browser-sessions.ts'
import type { Context, RequestState } from './context.ts'
import { handleDav } from './dav/index.ts'
import type { UpgradeListener } from './early-requests.ts'
import { type Endpoint, endpointsOf } from './endpoints.ts'
import { methodNotAllowed } from './error-response.ts'
import { methodRefusal, pathHint } from './fs/hints.ts'
import { treeRoutes } from './fs/index.ts'
import { downloadRoutes } from './fs/library.ts'
import { healthRoutes } from './health.ts'
import { introductionRoutes } from './introduction.ts'
import { InvalidKeys } from './invalid-keys.ts'
import { liveSockets } from './live/index.ts'
import { mcpRoutes } from './mcp/index.ts'
import { metricsRoutes } from './metrics.ts'
import { caller } from './middleware/authenticate.ts'
import { compression } from './middleware/compression.ts'
import { errorHandler } from './middleware/errors.ts'
import { longLists } from './middleware/long-lists.ts'
import { requestId } from './middleware/request-id.ts'
import { requestLog } from './middleware/request-log.ts'
import { rejectWhileStopping } from './middleware/stopping.ts'
import { requireValidRequest, requireValidTarget } from './middleware/validate-request.ts'
import { OnboardingRate } from './onboarding-rate.ts'
import { openApiDocument, openApiRoutes } from './openapi/document.ts'
import type { ServerParts } from './parts.ts'
import { ProxyWarnings } from './proxy-warnings.ts'
import { OriginCheck } from './same-origin.ts'
import { unsubscribeRoutes } from './unsubscribe.ts'
import { v1Routes } from './v1/index.ts'
import { Assets } from './web/assets.ts'
import { signInFirst, webRoutes } from './web/index.ts'
import { Pages } from './web/pages.ts'
import { pageFor } from './web/signed-in.ts'

interface AppOptions extends Pick<ServerParts, 'log' | 'newRequestId' | 'stopping' | 'publicUrl'> {
  config: Pick<Config, 'trustProxy' | 'limits'>
  allowLongBody(request: IncomingMessage): void
}

/** Errors of a client that disconnects before its response is sent. */
const disconnectCodes = new Set<unknown>([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
])

/** Assembles the middleware and routes in the order in which a request passes them. */
export function createApp(
  workspace: Workspace,
  options: AppOptions,
): { app: Koa<RequestState>; endpoints: Endpoint[]; upgrade: UpgradeListener } {
  const { config, log, newRequestId, stopping, publicUrl, allowLongBody } = options
  const { trustProxy, limits } = config
  const { clock } = workspace
  const metrics = metricsRoutes(workspace)
  const proxyWarnings = new ProxyWarnings({ publicUrl, trustProxy, clock, log })
  const site = new OriginCheck({
    publicUrl,
    trustProxy,
    onUnknownOrigin: (origin) => proxyWarnings.observeOrigin(origin),
  })
  const browserSessions = new BrowserSessions(workspace, site)
  const assets = new Assets()
  const pages = new Pages(workspace, assets, site)
  let description: object | undefined
  const parts: ServerParts = {
    publicUrl,
    trustProxy,
    limits,
    log,
    newRequestId,
    stopping,
    uploads: { uploadBytes: limits.uploadBytes, allowLongBody },
    site,
    browserSessions,
    invalidKeys: new InvalidKeys(clock),
    onboardingRate: new OnboardingRate(clock),
    proxyWarnings,
    assets,
    pages,
    page: pageFor(workspace, pages, browserSessions),
    description: () => (description ??= openApiDocument(endpoints)),
  }
  const tree = treeRoutes(workspace, parts)
  const otherRoutes = [
    apiRoutes(workspace, parts.uploads),
    v1Routes(workspace, parts),
    healthRoutes(workspace, parts),
    metrics.routes,
    introductionRoutes(publicUrl),
    unsubscribeRoutes(workspace, pages),
    downloadRoutes(workspace),
    openApiRoutes(parts.description),
    mcpRoutes(workspace, parts, () => listener),
    webRoutes(workspace, parts),
  ]
  const endpoints = endpointsOf([...tree.mounted, ...otherRoutes])
  const app = new Koa<RequestState>()
  // Koa compares each JSON answer with it, and Node loads its whole HTTP client when it is first read.
  Reflect.get(globalThis, 'Response')
  app.on('error', (error: Error) => {
    if (!('code' in error && disconnectCodes.has(error.code)))
      log.error({ err: error }, 'A response could not be sent.')
  })
  app
    .use(requestId(newRequestId))
    .use(requestLog(log, (ctx, ms) => metrics.durations.observe(ctx, ms)))
    .use(
      errorHandler(
        log,
        (ctx, failure) => pages.showFailure(ctx, failure, () => browserSessions.find(ctx)),
        (error) => workspace.maintenance.reportError(error),
      ),
    )
    .use(requireValidTarget)
    .use(compression)
    .use(longLists)
    .use(proxyWarnings.observe)
    .use(rejectWhileStopping(stopping))
    .use(caller(workspace, parts))
    .use(requireValidRequest)
    .use(handleDav(workspace, parts))
    .use(tree.handler)
  for (const routes of otherRoutes) app.use(routes.routes())
  app.use(signInFirst(browserSessions)).use(notFound)
  const upgrade = liveSockets(workspace, app, parts)
  const listener = app.callback()
  return { app, endpoints, upgrade }
}

/** The last middleware: 404, or 405 where the path exists for other methods. */
function notFound(ctx: Context): never {
  // The first match is the most specific: routes with fixed names precede those with parameters.
  const [route, ...others] = (ctx.matched ?? []) as { path: string | RegExp; methods: string[] }[]
  if (!route) {
    const hint = pathHint(ctx.path)
    if (hint === null)
      throw new WorkspaceError('not_found', 'No such path.', { next: { step: 'list the tree' } })
    throw new WorkspaceError('not_found', `No such path. ${hint}`)
  }
  const methods = new Set(route.methods)
  for (const other of others) {
    if (other.path === route.path) for (const method of other.methods) methods.add(method)
  }
  const allow = [...methods].sort().join(', ')
  throw methodNotAllowed(methodRefusal(ctx, allow), allow)
}
