import type { Workspace } from '../../core/workspace/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { readFields, text } from '../request-fields.ts'

const path = '/api/workspace'

export const workspaceRoutes = (identity: Workspace['identity']): Routes =>
  newRoutes()
    .purpose('Read the workspace’s name')
    .get(path, (ctx) => {
      ctx.body = { workspace: identity.view() }
    })
    .purpose('Rename the workspace; its slug stays')
    .patch(path, accepts({ body: 'json' }), async (ctx) => {
      const { name } = await readFields(ctx, { name: text })
      ctx.body = { workspace: await identity.rename(ctx.state.caller, name) }
    })
