import type { Workspace } from '../core/workspace/index.ts'
import { newRoutes, type Routes } from './context.ts'

/** `GET /healthz` needs no key: what watches over the server has none (`decisions.md`, last section). */
export const healthRoutes = (workspace: Pick<Workspace, 'health'>): Routes =>
  newRoutes().get('/healthz', (ctx) => {
    const problems = workspace.health()
    ctx.set('Cache-Control', 'no-store')
    ctx.status = problems.length === 0 ? 200 : 503
    ctx.body = problems.length === 0 ? { ok: true } : { ok: false, problems }
  })
