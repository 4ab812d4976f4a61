import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { postList } from '../schemas/documents.ts'
import { linkRoutes } from './backlinks.ts'
import { documentFileRoutes } from './document-routes.ts'
import { presenceRoutes } from './presence.ts'

const folder = '/projects/:project/posts'
const file = `${folder}/:name`

const addressOf = ({ project, name }: Record<string, string>): Address => ({
  project: project!,
  folder: 'posts',
  name: name!,
})

export const postRoutes = (
  { documents, links, live }: Pick<Workspace, 'documents' | 'links' | 'live'>,
  markdownBytes: number,
): Routes =>
  newRoutes()
    .purpose('List posts, most recent activity first; ?limit=, ?cursor=')
    .answers(postList)
    .refuses('forbidden', 'not_found')
    .get(folder, accepts({ query: pageParameters }), async (ctx) => {
      ctx.body = await documents.lists.posts(ctx.state.caller, ctx.params.project!, requestedPage(ctx))
    })
    .use(presenceRoutes({ noun: 'post', path: file, addressOf, presence: documents.presence, live }).routes())
    .use(linkRoutes({ noun: 'post', path: file, addressOf, links: links.documents }).routes())
    .use(documentFileRoutes({ noun: 'post', path: file, addressOf, documents, live, markdownBytes }).routes())
