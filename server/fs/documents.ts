import { z } from 'zod'
import type { Address } from '../../core/documents/index.ts'
import { documentsTreePath, libraryTreePath, treeRoot } from '../../core/paths.ts'
import { percentDecode } from '../../core/text/percent-decode.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type RouteRefusal, type Routes } from '../context.ts'
import { methodNotAllowed } from '../error-response.ts'
import { invalidInput } from '../input-refusals.ts'
import { withAliases } from '../input-types.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { documentList, moved } from '../schemas/documents.ts'
import { bodyModel } from '../schemas/model.ts'
import { linkRoutes } from './document-links.ts'
import { documentFileRoutes, fileRefusals } from './document-routes.ts'
import { methodHint } from './hints.ts'
import { presenceRoutes } from './presence.ts'

/** A document's name matches any path, so it may end in one of these calls, of another method. */
const methodsOfCalls = new Map([
  ['_revisions', 'GET, HEAD'],
  ['_links', 'GET, HEAD'],
  ['_backlinks', 'GET, HEAD'],
  ['_restore', 'POST'],
  ['_presence', 'DELETE, POST'],
  ['_move', 'POST'],
])

const moveDocument = accepts({
  body: bodyModel('DocumentMove', {
    toFolder: withAliases(z.string().optional(), 'folder'),
    to: z.string().optional(),
  }),
})

const refuses: readonly RouteRefusal[] = [...fileRefusals, 'method_not_allowed']

function addressOf({ project, name }: Record<string, string>): Address {
  const names = name!.replace(/\/$/, '')
  const allow = names.includes('/') && methodsOfCalls.get(names.slice(names.lastIndexOf('/') + 1))
  if (allow) {
    const hint = methodHint('GET', `${documentsTreePath({ slug: project! })}/${names}`)
    throw methodNotAllowed(`Only ${allow} is possible here.${hint}`, allow)
  }
  return { project: project!, folder: 'documents', name: names }
}

/** Accepts a path below the documents folder, or a whole path of the tree, as answers contain it. */
function pathBelow(project: string, to: string): string {
  if (!to.startsWith(`${treeRoot}/`)) return to
  const folders = [documentsTreePath({ slug: project }), `${libraryTreePath({ slug: project })}/documents`]
  const folder = folders.find((one) => to.startsWith(`${one}/`))
  const path = folder === undefined ? null : percentDecode(to.slice(folder.length + 1))
  if (path !== null) return path
  throw invalidInput(`${to} is not in the documents of this project: documents move within a project.`)
}

/** The same documents are reachable at both paths. */
export function documentRoutes(
  at: 'docs' | 'library/documents',
  { documents, links, live }: Pick<Workspace, 'documents' | 'links' | 'live'>,
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
    .refuses('forbidden', 'not_found')
    .get(folder, accepts({ query: pageParameters }), async (ctx) => {
      ctx.body = await documents.lists.documents(ctx.state.caller, ctx.params.project!, requestedPage(ctx))
    })
    .purpose('Move or rename a document')
    .answers(moved)
    .refuses(...refuses, 'conflict')
    .post(`${folder}/*name/_move`, moveDocument, async (ctx) => {
      const address = addressOf(ctx.params)
      const { toFolder, to } = await moveDocument.fields(ctx)
      if ((toFolder === undefined) === (to === undefined)) {
        throw invalidInput(
          'Send either toFolder, a folder to move to, or to, a path such as guides/setup.md.',
        )
      }
      const path = toFolder ?? pathBelow(address.project, to!)
      const isFolder = toFolder !== undefined || /(?:^|\/)$/.test(path)
      ctx.body = isFolder
        ? await documents.moves.move(ctx.state.caller, address, path)
        : await documents.moves.rename(ctx.state.caller, address, path)
    })
    .use(
      presenceRoutes({
        noun: 'document',
        path: `${folder}/*name`,
        addressOf,
        refuses,
        presence: documents.presence,
        live,
      }).routes(),
    )
    .use(
      linkRoutes({
        noun: 'document',
        path: `${folder}/*name`,
        addressOf,
        refuses,
        links: links.documents,
      }).routes(),
    )
    .use(
      documentFileRoutes({
        noun: 'document',
        path: `${folder}/*name`,
        addressOf,
        refuses,
        documents,
        live,
        markdownBytes,
        folder: below,
      }).routes(),
    )
}
