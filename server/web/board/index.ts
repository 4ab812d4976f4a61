import { newRoutes, type Routes } from '../../context.ts'
import { queryText } from '../../request-fields.ts'
import type { PageDeps } from '../signed-in.ts'
import { boardChanges, boardPage } from './board.ts'
import { cardPage } from './card.ts'

export const boardPageRoutes = ({ workspace, page, pages }: PageDeps): Routes =>
  newRoutes()
    .purpose(
      'Page: the board; ?q=, ?assignee= and ?label= filter, ?done=all shows all that is done; ?part=changes for its script',
    )
    .get(
      '/projects/:slug/board',
      page(async (ctx, { caller }) => {
        if (queryText(ctx, 'part') !== 'changes') return boardPage(workspace, ctx, caller)
        pages.showPart(ctx, await boardChanges(workspace, ctx, caller))
        return undefined
      }),
    )
    .purpose('Page: a card; ?history, ?activity, ?revision=, ?diff=')
    .get(
      '/projects/:slug/board/:number',
      page((ctx, reader) => cardPage(workspace, ctx, reader)),
    )
