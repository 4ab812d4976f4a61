import { z } from 'zod'
import type { Address } from '../../core/documents/index.ts'
import { documentsTreePath } from '../../core/paths.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { methodNotAllowed } from '../error-response.ts'
import { withAliases } from '../input-types.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { documentList, moved } from '../schemas/tree.ts'
import { linkRoutes } from './backlinks.ts'
import { documentFileRoutes } from './document-routes.ts'
import { methodHint } from './hints.ts'
import { presenceRoutes } from './presence.ts'

/** A document's name takes in whatever follows, also the calls that another method would make on it. */
const methodsOfCalls = new Map([
  ['_revisions', 'GET, HEAD'],
  ['_links', 'GET, HEAD'],
  ['_backlinks', 'GET, HEAD'],
  ['_restore', 'POST'],
  ['_presence', 'DELETE, POST'],
  ['_move', 'POST'],
])

const moveDocument = accepts({ body: { toFolder: withAliases(z.string(), 'folder', 'to') } })

function addressOf({ project, name }: Record<string, string>): Address {
  const names = name!.replace(/\/$/, '')
  const allow = names.includes('/') && methodsOfCalls.get(names.slice(names.lastIndexOf('/') + 1))
  if (allow) {
    const hint = methodHint('GET', `${documentsTreePath({ slug: project! })}/${names}`)
    throw methodNotAllowed(`Only ${allow} is possible here.${hint}`, allow)
  }
  return { project: project!, folder: 'documents', name: names }
}

/** The documents, also in sub-folders: one folder that is reached under two paths. */
export function documentRoutes(
  at: 'docs' | 'library/documents',
  { documents, links }: Pick<Workspace, 'documents' | 'links'>,
  markdownBytes: number,
): Routes {
  const folder = `/projects/:project/${at}`
  const below = (ctx: RouteContext) => {
    const { params, state } = ctx
    const { project, name } = addressOf(params)
    return documents.lists.documentsBelow(state.caller, project, name, requestedPage(ctx))
  }
  return newRoutes()
    .purpose('List documents, most recently edited first; ?limit=, ?cursor=')
    .answers(documentList)
    .get(folder, accepts({ query: pageParameters }), async (ctx) => {
      ctx.body = await documents.lists.documents(ctx.state.caller, ctx.params.project!, requestedPage(ctx))
    })
    .purpose('Move a document to another folder')
    .answers(moved)
    .post(`${folder}/*name/_move`, moveDocument, async (ctx) => {
      const { toFolder } = await moveDocument.fields(ctx)
      ctx.body = await documents.moves.move(ctx.state.caller, addressOf(ctx.params), toFolder)
    })
    .use(
      presenceRoutes({
        noun: 'document',
        path: `${folder}/*name`,
        addressOf,
        presence: documents.presence,
      }).routes(),
    )
    .use(
      linkRoutes({ noun: 'document', path: `${folder}/*name`, addressOf, links: links.documents }).routes(),
    )
    .use(
      documentFileRoutes({
        noun: 'document',
        path: `${folder}/*name`,
        addressOf,
        documents,
        markdownBytes,
        folder: below,
      }).routes(),
    )
}
