import type { Documents } from '../../core/documents/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { queryText } from '../request-fields.ts'

/** `refs`: finds the token by which something in the project is linked to. */
export const refRoutes = (documents: Pick<Documents, 'refs'>): Routes =>
  newRoutes().get('/projects/:project/refs', accepts({ query: ['q'] }), (ctx) => {
    ctx.body = documents.refs(ctx.state.caller, ctx.params.project!, queryText(ctx, 'q') ?? '')
  })
