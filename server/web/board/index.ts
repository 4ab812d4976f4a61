import { newRoutes, type Routes } from '../../context.ts'
import type { WebParts } from '../signed-in.ts'
import { boardPage } from './board.ts'
import { cardPage } from './card.ts'

/** The board of a project, and its cards. */
export const boardPageRoutes = ({ workspace, page }: WebParts): Routes =>
  newRoutes()
    .get(
      '/projects/:slug/board',
      page((ctx, { caller }) => boardPage(workspace, ctx, caller)),
    )
    .get(
      '/projects/:slug/board/:number',
      page((ctx, { caller }) => cardPage(workspace, ctx, caller)),
    )
