import { z } from 'zod'
import type { Workspace } from '../../core/workspace/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { workspace as workspaceModel } from '../schemas/members.ts'

const path = '/api/workspace'

const renameWorkspace = accepts({ body: { name: z.string() } })

export const workspaceRoutes = (identity: Workspace['identity']): Routes =>
  newRoutes()
    .purpose('Read the workspace’s name')
    .answers(z.object({ workspace: workspaceModel }))
    .get(path, (ctx) => {
      ctx.body = { workspace: identity.view() }
    })
    .purpose('Rename the workspace; its slug does not change')
    .answers(z.object({ workspace: workspaceModel }))
    .refuses('forbidden')
    .patch(path, renameWorkspace, async (ctx) => {
      const { name } = await renameWorkspace.fields(ctx)
      ctx.body = { workspace: await identity.rename(ctx.state.caller, name) }
    })
