import { z } from 'zod'
import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { withAliases } from '../input-types.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { board as boardModel, column as columnModel, moved } from '../schemas/documents.ts'
import { linkRoutes } from './document-links.ts'
import { documentFileRoutes } from './document-routes.ts'
import { presenceRoutes } from './presence.ts'

const board = '/projects/:project/board'
const file = `${board}/:column/:name`

const moveCard = accepts({
  body: {
    toColumn: withAliases(z.string(), 'column', 'to'),
    before: z.int().optional(),
    after: z.int().optional(),
  },
})

const addressOf = ({ project, column, name }: Record<string, string>): Address => ({
  project: project!,
  folder: 'board',
  column: column!,
  name: name!,
})

export const boardRoutes = (
  { documents, links, live }: Pick<Workspace, 'documents' | 'links' | 'live'>,
  markdownBytes: number,
): Routes =>
  newRoutes()
    .purpose('List the four columns')
    .answers(boardModel)
    .refuses('forbidden', 'not_found')
    .get(board, async (ctx) => {
      ctx.body = await documents.lists.board(ctx.state.caller, ctx.params.project!)
    })
    .purpose('List the cards in a column; ?limit=, ?cursor=')
    .answers(columnModel)
    .refuses('forbidden', 'not_found')
    .get(`${board}/:column`, accepts({ query: pageParameters }), async (ctx) => {
      const { project, column } = ctx.params
      ctx.body = await documents.lists.column(ctx.state.caller, project!, column!, requestedPage(ctx))
    })
    .purpose('Move a card to a column, or to a position in it')
    .answers(moved)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${file}/_move`, moveCard, async (ctx) => {
      const move = await moveCard.fields(ctx)
      ctx.body = await documents.cards.move(ctx.state.caller, addressOf(ctx.params), move)
    })
    .use(presenceRoutes({ noun: 'card', path: file, addressOf, presence: documents.presence, live }).routes())
    .use(linkRoutes({ noun: 'card', path: file, addressOf, links: links.documents }).routes())
    .use(documentFileRoutes({ noun: 'card', path: file, addressOf, documents, live, markdownBytes }).routes())
