import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { queryText } from '../request-fields.ts'

const defaultLimit = 20

export const searchRoutes = (search: Workspace['search']['texts']): Routes =>
  newRoutes()
    .purpose('Search documents, posts, cards, comments and messages')
    .get('/v1/search', accepts({ query: ['q', 'project', 'type', 'limit'] }), async (ctx) => {
      const type = queryText(ctx, 'type')
      const project = queryText(ctx, 'project')
      ctx.body = await search.find(ctx.state.caller, {
        query: queryText(ctx, 'q') ?? '',
        limit: Number(queryText(ctx, 'limit') ?? defaultLimit),
        ...(type !== undefined && { type }),
        ...(project !== undefined && { project }),
      })
    })
