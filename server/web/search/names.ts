import { newRoutes, type Routes } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import type { PageDeps } from '../signed-in.ts'
import { actionsFor } from './actions.ts'
import { nameKindLabels } from './kinds.ts'
import { ownPages } from './own-pages.ts'

const maxSuggestions = 6

/** For the search field of an open page. */
export const nameRoutes = ({ workspace, page }: PageDeps): Routes =>
  newRoutes()
    .purpose('Find by name, for the search field of an open page')
    .get(
      '/navigation/names',
      page(async (ctx, { caller }) => {
        const query = queryText(ctx, 'q') ?? ''
        const { named, isSimilar } = await workspace.search.names.find(
          caller,
          { query, limit: maxSuggestions },
          ownPages(caller.member),
        )
        ctx.set('Cache-Control', 'no-store')
        const labelled = named.map((match) => ({ ...match, kind: nameKindLabels[match.kind].one }))
        ctx.body = { named: labelled, isSimilar }
        return undefined
      }),
    )
    .purpose('Find the token that links to something in any project; ?q=')
    .get(
      '/navigation/refs',
      page(async (ctx, { caller }) => {
        ctx.set('Cache-Control', 'no-store')
        ctx.body = { refs: await workspace.links.refs.findInAllProjects(caller, queryText(ctx, 'q') ?? '') }
        return undefined
      }),
    )
    .purpose('List the actions for the search field of an open page; ?at=')
    .get(
      '/navigation/actions',
      page((ctx, { caller }) => {
        ctx.set('Cache-Control', 'no-store')
        ctx.body = { actions: actionsFor(workspace, caller, queryText(ctx, 'at') ?? '/') }
        return undefined
      }),
    )
