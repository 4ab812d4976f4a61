import type { Documents } from '../../core/documents/types.ts'
import { newRoutes, type Routes } from '../context.ts'

/** `library`: its folders. */
export const libraryRoutes = (documents: Documents): Routes =>
  newRoutes().get('/projects/:project/library', async (ctx) => {
    ctx.body = await documents.library(ctx.state.caller, ctx.params.project!)
  })
