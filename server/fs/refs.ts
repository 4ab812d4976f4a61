import { z } from 'zod'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { refList } from '../schemas/document-links.ts'

const findRefs = accepts({
  query: { q: z.string().describe('Words of a title, or a part of a name').default('') },
})

export const refRoutes = (refs: Workspace['links']['refs']): Routes =>
  newRoutes()
    .purpose('Find the token that links to something; ?q=')
    .answers(refList)
    .refuses('forbidden', 'not_found')
    .get('/projects/:project/refs', findRefs, async (ctx) => {
      ctx.body = await refs.find(ctx.state.caller, ctx.params.project!, findRefs.query(ctx).q)
    })
