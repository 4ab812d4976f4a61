import type { Documents } from '../../core/documents/types.ts'
import { newRoutes, type Routes } from '../context.ts'
import { sendWritten } from './answers.ts'

const trash = '/projects/:project/trash'

/** `trash/`: what was deleted and can still be brought back. */
export const trashRoutes = (documents: Documents): Routes =>
  newRoutes()
    .get(trash, async (ctx) => {
      ctx.body = await documents.trash(ctx.state.caller, ctx.params.project!)
    })
    .post(`${trash}/:id/_restore`, async (ctx) => {
      const { project, id } = ctx.params
      const restored = await documents.restoreFromTrash(ctx.state.caller, project!, id!)
      if ('revision' in restored) return sendWritten(ctx, restored)
      ctx.status = 201
      ctx.body = restored
    })
