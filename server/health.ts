import type { Workspace } from '../core/workspace/index.ts'
import { newRoutes, type Routes } from './context.ts'
import type { ServerParts } from './parts.ts'

/** Needs no key: monitoring has none (`docs/operations.md#health`). */
export const healthRoutes = (
  workspace: Pick<Workspace, 'maintenance'>,
  { proxyWarnings }: Pick<ServerParts, 'proxyWarnings'>,
): Routes =>
  newRoutes()
    .purpose('Check whether the server is healthy; needs no key')
    .get('/healthz', (ctx) => {
      const problems = workspace.maintenance.health()
      const warnings = proxyWarnings.current()
      const ingesting = workspace.maintenance.ingestProgress()
      ctx.set('Cache-Control', 'no-store')
      ctx.status = problems.length === 0 ? 200 : 503
      ctx.body = {
        ok: problems.length === 0,
        ...(problems.length > 0 && { problems }),
        ...(ingesting && { ingesting }),
        // Any client can cause these, so they leave the status at 200.
        ...(warnings.length > 0 && { warnings }),
      }
    })
