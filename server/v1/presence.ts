import type { Documents } from '../../core/documents/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { queryText } from '../request-fields.ts'

/** Who is in which document (`docs/interface.md#document-presence`). Asking puts nobody in one. */
export const presenceRoutes = (presence: Documents['presence']): Routes =>
  newRoutes()
    .purpose('List who is in which document')
    .get('/v1/presence', accepts({ query: ['member'] }), (ctx) => {
      ctx.body = presence.list(ctx.state.caller, queryText(ctx, 'member'))
    })
