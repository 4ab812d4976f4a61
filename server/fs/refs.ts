import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { queryText } from '../request-fields.ts'

/** `refs`: finds the token by which something in the project is linked to. */
export const refRoutes = (refs: Workspace['links']['refs']): Routes =>
  newRoutes()
    .purpose('Find the token that links to something; ?q=')
    .get('/projects/:project/refs', accepts({ query: ['q'] }), (ctx) => {
      ctx.body = refs.find(ctx.state.caller, ctx.params.project!, queryText(ctx, 'q') ?? '')
    })
