import type { Config } from '../core/config.ts'
import { type RandomBytes, systemRandom } from '../core/ids.ts'
import { type Clock, systemClock } from '../core/time/clock.ts'
import { type OpenWorkspace, openWorkspace, type WorkspaceOptions } from '../core/workspace/index.ts'
import { createApp } from './app.ts'
import { listen } from './http-server.ts'
import { type Log, openLog } from './log.ts'
import { brokenRequestLog } from './middleware/request-log.ts'
import { publicUrlMend } from './proxy-warnings.ts'
import { requestIds } from './request-ids.ts'

export interface ServerOptions extends Pick<WorkspaceOptions, 'scanEveryMs' | 'faults'> {
  home: string
  config: Config
  port?: number
  clock?: Clock
  random?: RandomBytes
  log?: Log
}

export interface RunningServer {
  url: string
  port: number
  workspace: OpenWorkspace
  /** Stops in order: held requests are released, running ones finish, then the workspace closes. */
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

async function serve(options: ServerOptions, log: Log): Promise<RunningServer> {
  const { config, clock = systemClock, random = systemRandom } = options
  const onProblem = (message: string, error?: unknown) => log.error({ err: error }, message)
  const workspace = await openWorkspace({ ...options, clock, random, onProblem })
  try {
    const newRequestId = requestIds(random)
    const server = await listen({
      host: config.host,
      port: options.port ?? config.port,
      newRequestId,
      onBadRequest: brokenRequestLog(log),
    })
    const publicUrl = config.publicUrl ?? server.address
    if (config.trustProxy && config.publicUrl === null) {
      log.warn({}, `trustProxy is set and publicUrl is not: links lead to ${publicUrl}. ${publicUrlMend}`)
    }
    await workspace.maintenance.setPublicUrl(publicUrl)
    const { app, upgrade } = createApp(workspace, {
      config,
      log,
      newRequestId,
      stopping: server.stopping,
      publicUrl,
      allowLongBody: (request) => server.allowLongBody(request),
    })
    server.serve(app.callback())
    server.serveUpgrades(upgrade)
    return {
      url: publicUrl,
      port: server.port,
      workspace,
      async close() {
        await server.close()
        await workspace.close()
      },
    }
  } catch (error) {
    await workspace.close()
    throw error
  }
}
