import type { WorkspaceIdentity } from '../../core/workspace/identity.ts'
import { newRoutes, type Routes } from '../context.ts'
import { readExactFields, text } from '../request-fields.ts'

const path = '/api/workspace'

/** What the workspace is called. */
export const workspaceRoutes = (identity: WorkspaceIdentity): Routes =>
  newRoutes()
    .get(path, (ctx) => {
      ctx.body = { workspace: identity.view() }
    })
    .patch(path, async (ctx) => {
      const { name } = await readExactFields(ctx, { name: text })
      ctx.body = { workspace: await identity.rename(ctx.state.caller, name) }
    })
