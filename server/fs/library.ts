import type { Documents } from '../../core/documents/index.ts'
import { newRoutes, type Routes } from '../context.ts'
import { library } from '../schemas/files.ts'

export const libraryRoutes = ({ lists }: Pick<Documents, 'lists'>): Routes =>
  newRoutes()
    .purpose('List the folders of the library')
    .answers(library)
    .refuses('forbidden', 'not_found')
    .get('/projects/:project/library', async (ctx) => {
      ctx.body = await lists.library(ctx.state.caller, ctx.params.project!)
    })
