import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import type { DocumentServices } from '../documents/document-context.ts'
import { boardChanges, boardPage } from './board.ts'
import { cardPage } from './card.ts'

export const boardPageRoutes = (
  workspace: DocumentServices & Pick<Workspace, 'events'>,
  { page, pages }: Pick<ServerParts, 'page' | 'pages'>,
): Routes =>
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
