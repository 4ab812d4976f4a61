import { z } from 'zod'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { ingesting } from '../schemas/model.ts'
import { searchResult } from '../schemas/search.ts'

/** Core says which types and limits there are. */
const findTexts = accepts({
  query: {
    q: z.string().default(''),
    project: z.string().optional(),
    type: z.string().optional(),
    limit: z.string().default('20').transform(Number).meta({ type: 'integer' }),
  },
})

export const searchRoutes = (search: Workspace['search']['texts']): Routes =>
  newRoutes()
    .purpose('Search documents, posts, cards, comments and messages')
    .answers(z.object({ query: z.string(), results: z.array(searchResult), ...ingesting }))
    .get('/v1/search', findTexts, async (ctx) => {
      const { q: query, ...wanted } = findTexts.query(ctx)
      ctx.body = await search.find(ctx.state.caller, { query, ...wanted })
    })
