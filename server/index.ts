import type { Config } from '../core/config.ts'
import { type RandomBytes, systemRandom } from '../core/ids.ts'
import { type Clock, systemClock } from '../core/time/clock.ts'
import { lockWorkspace, type OpenWorkspace, type WorkspaceOptions } from '../core/workspace/index.ts'
import { createApp } from './app.ts'
import { type HttpServer, listen } from './http-server.ts'
import { type Log, openLog } from './log.ts'
import { requestIds } from './middleware/request-id.ts'
import { brokenRequestLog } from './middleware/request-log.ts'
import type { ServerParts } from './parts.ts'
import { publicUrlMend } from './proxy-warnings.ts'

export interface ServerOptions extends Pick<WorkspaceOptions, 'scanEveryMs' | 'faults'> {
  home: string
  config: Config
  port?: number
  clock?: Clock
  random?: RandomBytes
  log?: Log
  /** Called when the port is open, before the workspace is. Requests wait for it. */
  onListening?: (port: number) => void
}

export interface RunningServer {
  url: string
  port: number
  workspace: OpenWorkspace
  close(): Promise<void>
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  if (options.log) return serve(options, options.log)
  const log = openLog(options.config.log.level)
  try {
    const server = await serve(options, log)
    return { ...server, close: () => server.close().finally(() => log.close()) }
  } catch (error) {
    log.close()
    throw error
  }
}

async function serve(
  { clock = systemClock, random = systemRandom, port, onListening, ...options }: ServerOptions,
  log: Log,
): Promise<RunningServer> {
  const { config } = options
  const onProblem = (message: string, error?: unknown) => log.error({ err: error }, message)
  const locked = await lockWorkspace({ ...options, clock, random, onProblem })
  const newRequestId = requestIds(random)
  let server: HttpServer
  try {
    server = await listen({
      host: config.host,
      port: port ?? config.port,
      newRequestId,
      onBadRequest: brokenRequestLog(log),
    })
  } catch (error) {
    await locked.close()
    throw error
  }
  try {
    const publicUrl = config.publicUrl ?? server.address
    await locked.setPublicUrl(publicUrl)
    onListening?.(server.port)
    return await serveWorkspace(server, await locked.open(), { config, log, newRequestId, publicUrl })
  } catch (error) {
    await server.close(0)
    await locked.close()
    throw error
  }
}

interface ServeWorkspaceOptions extends Pick<ServerParts, 'log' | 'newRequestId' | 'publicUrl'> {
  config: Config
}

async function serveWorkspace(
  server: HttpServer,
  workspace: OpenWorkspace,
  { config, log, newRequestId, publicUrl }: ServeWorkspaceOptions,
): Promise<RunningServer> {
  if (config.trustProxy && config.publicUrl === null) {
    log.warn({}, `trustProxy is set and publicUrl is not: links lead to ${publicUrl}. ${publicUrlMend}`)
  }
  workspace.maintenance.startSending()
  const { app, upgrade } = createApp(workspace, {
    config,
    log,
    newRequestId,
    stopping: server.stopping,
    publicUrl,
    allowLongBody: (request) => server.allowLongBody(request),
  })
  server.serve(app.callback(), upgrade)
  return {
    url: publicUrl,
    port: server.port,
    workspace,
    async close() {
      await server.close()
      await workspace.close()
    },
  }
}
