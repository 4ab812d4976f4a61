import { z } from 'zod'
import { maxResults, requireSearchType, searchTypes } from '../../core/search/search.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { count, oneOf, refusalBy, refusedAs } from '../input-types.ts'
import { projectParameter } from '../project-fields.ts'
import { ingesting } from '../schemas/model.ts'
import { searchResult } from '../schemas/search.ts'

const findTexts = accepts({
  query: {
    q: z.string().describe('Words, phrases in quotes, and operators such as from:').default(''),
    project: projectParameter,
    type: oneOf(searchTypes, (type) => refusalBy(() => requireSearchType(type)))
      .optional()
      .describe('What is searched; default everything'),
    limit: refusedAs(
      count(maxResults),
      z.string(),
      () => `The limit must be a whole number from 1 to ${maxResults}.`,
    ).default(20),
  },
})

export const searchRoutes = (search: Workspace['search']['texts']): Routes =>
  newRoutes()
    .purpose('Search documents, posts, cards, comments and messages')
    .answers(z.object({ query: z.string(), results: z.array(searchResult), ...ingesting }))
    .refuses('forbidden', 'not_found')
    .get('/v1/search', findTexts, async (ctx) => {
      const { q: query, ...filters } = findTexts.query(ctx)
      ctx.body = await search.find(ctx.state.caller, { query, ...filters })
    })
