import type { Address } from '../../core/documents/index.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { postList, written } from '../schemas/documents.ts'
import { linkRoutes } from './backlinks.ts'
import { documentFileRoutes } from './document-routes.ts'
import { presenceRoutes } from './presence.ts'
import { sendWriteResult } from './responses.ts'

const folder = '/projects/:project/drafts'
const file = `${folder}/:name`

const addressOf = ({ project, name }: Record<string, string>): Address => ({
  project: project!,
  folder: 'drafts',
  name: name!,
})

export const draftRoutes = (
  { documents, links, live }: Pick<Workspace, 'documents' | 'links' | 'live'>,
  markdownBytes: number,
): Routes =>
  newRoutes()
    .purpose('List your drafts; ?limit=, ?cursor=')
    .answers(postList)
    .refuses('forbidden', 'not_found')
    .get(folder, accepts({ query: pageParameters }), async (ctx) => {
      ctx.body = await documents.lists.drafts(ctx.state.caller, ctx.params.project!, requestedPage(ctx))
    })
    .purpose('Publish a draft, keeping its id')
    .answers(written, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${file}/_publish`, async (ctx) => {
      sendWriteResult(ctx, await documents.writes.publish(ctx.state.caller, addressOf(ctx.params)))
    })
    .use(
      presenceRoutes({ noun: 'draft', path: file, addressOf, presence: documents.presence, live }).routes(),
    )
    .use(linkRoutes({ noun: 'draft', path: file, addressOf, links: links.documents }).routes())
    .use(
      documentFileRoutes({ noun: 'draft', path: file, addressOf, documents, live, markdownBytes }).routes(),
    )
