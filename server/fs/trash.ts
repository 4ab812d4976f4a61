import { z } from 'zod'
import type { Workspace } from '../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../context.ts'
import { revisionHeaders } from '../described-headers.ts'
import { written } from '../schemas/documents.ts'
import { restoredFile, trashList } from '../schemas/tree.ts'
import { sendWriteResult } from './responses.ts'

const path = '/projects/:project/trash'

export const trashRoutes = (trash: Workspace['files']['trash']): Routes =>
  newRoutes()
    .purpose('List what was deleted and can be restored')
    .answers(trashList)
    .refuses('forbidden', 'not_found')
    .get(path, async (ctx) => {
      ctx.body = await trash.list(ctx.state.caller, ctx.params.project!)
    })
    .purpose('Restore something from the trash')
    .answers(z.union([written, restoredFile]), 201)
    .answersHeaders(revisionHeaders)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${path}/:id/_restore`, async (ctx) => {
      const { project, id } = ctx.params
      const restored = await trash.restore(ctx.state.caller, project!, id!)
      if ('revision' in restored) return sendWriteResult(ctx, restored)
      ctx.status = 201
      ctx.body = restored
    })
