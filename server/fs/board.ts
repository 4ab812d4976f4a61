import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { integer, optional, readFields, text, withAliases } from '../request-fields.ts'
import { linkRoutes } from './backlinks.ts'
import { documentFileRoutes } from './document-routes.ts'
import { presenceRoutes } from './presence.ts'

const board = '/projects/:project/board'
const file = `${board}/:column/:name`

const addressOf = ({ project, column, name }: Record<string, string>): Address => ({
  project: project!,
  folder: 'board',
  column: column!,
  name: name!,
})

export const boardRoutes = (
  { documents, links }: Pick<Workspace, 'documents' | 'links'>,
  markdownBytes: number,
): Routes =>
  newRoutes()
    .purpose('List the four columns')
    .get(board, async (ctx) => {
      ctx.body = await documents.lists.board(ctx.state.caller, ctx.params.project!)
    })
    .purpose('List the cards in a column; ?limit=, ?cursor=')
    .get(`${board}/:column`, accepts({ query: pageParameters }), async (ctx) => {
      const { project, column } = ctx.params
      ctx.body = await documents.lists.column(ctx.state.caller, project!, column!, requestedPage(ctx))
    })
    .purpose('Move a card to a column, or to a place in it')
    .post(`${file}/_move`, accepts({ body: 'json' }), async (ctx) => {
      const move = await readFields(ctx, {
        toColumn: withAliases(text, 'column', 'to'),
        before: optional(integer),
        after: optional(integer),
      })
      ctx.body = await documents.cards.move(ctx.state.caller, addressOf(ctx.params), move)
    })
    .use(presenceRoutes({ noun: 'card', path: file, addressOf, presence: documents.presence }).routes())
    .use(linkRoutes({ noun: 'card', path: file, addressOf, links: links.documents }).routes())
    .use(documentFileRoutes({ noun: 'card', path: file, addressOf, documents, markdownBytes }).routes())
