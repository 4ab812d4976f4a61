import { z } from 'zod'
import type { Documents } from '../../core/documents/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { presenceList } from '../schemas/presence.ts'

const listPresence = accepts({ query: { member: z.string().describe('A member, by id or name').optional() } })

/** `docs/interface.md#document-presence` */
export const presenceRoutes = (presence: Documents['presence']): Routes =>
  newRoutes()
    .purpose('List who is in which document')
    .answers(presenceList)
    .refuses('forbidden', 'not_found')
    .get('/v1/presence', listPresence, (ctx) => {
      ctx.body = presence.list(ctx.state.caller, listPresence.query(ctx).member)
    })
