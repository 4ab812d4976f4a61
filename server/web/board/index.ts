import { newRoutes, type Routes } from '../../context.ts'
import type { PageDeps } from '../signed-in.ts'
import { boardPage } from './board.ts'
import { cardPage } from './card.ts'

export const boardPageRoutes = ({ workspace, page }: PageDeps): Routes =>
  newRoutes()
    .purpose('Page: the board; ?q=, ?assignee= and ?label= filter, ?done=all shows all that is done')
    .get(
      '/projects/:slug/board',
      page((ctx, { caller }) => boardPage(workspace, ctx, caller)),
    )
    .purpose('Page: a card; ?history, ?activity, ?revision=, ?diff=')
    .get(
      '/projects/:slug/board/:number',
      page((ctx, reader) => cardPage(workspace, ctx, reader)),
    )
