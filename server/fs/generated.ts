import { WorkspaceError } from '../../core/errors.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { viewOf } from './view-of.ts'

const allowed = 'GET, HEAD'

/** A file that is made for its reader on the spot: it is read, and has no blocks to be viewed or written alone. */
export const generatedFile = (path: string, answer: (ctx: RouteContext) => void | Promise<void>): Routes =>
  newRoutes()
    .get(path, (ctx) => {
      if (viewOf(ctx) !== undefined) {
        throw new WorkspaceError(
          'unprocessable',
          'This file is made on the spot and has no views. Read it without ?view=.',
        )
      }
      return answer(ctx)
    })
    .all(path, (ctx) => {
      if (ctx.method === 'PUT' && ctx.query.block !== undefined) {
        throw new WorkspaceError(
          'unprocessable',
          'This file is made on the spot: it has no block that could be written.',
        )
      }
      throw new WorkspaceError('method_not_allowed', `${ctx.method} is not possible here, only ${allowed}.`, {
        headers: { Allow: allowed },
      })
    })
