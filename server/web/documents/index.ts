import type { Folder } from '../../../core/documents/model/types.ts'
import type { Workspace } from '../../../core/workspace/index.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { ServerParts } from '../../parts.ts'
import { queryText } from '../../request-fields.ts'
import { formHandler } from '../signed-in.ts'
import { commentByForm, commentFormPath } from './comment-form.ts'
import { asideOf, documentPage, fragmentOf, redirectToElement } from './document.ts'
import type { DocumentServices } from './document-context.ts'
import { documentListChanges, documentListPage } from './document-list.ts'
import { draftListPage, postListPage } from './lists.ts'

export function documentPageRoutes(
  workspace: DocumentServices & Pick<Workspace, 'events'>,
  { page, pages, browserSessions }: Pick<ServerParts, 'page' | 'pages' | 'browserSessions'>,
): Routes {
  const reading = (folder: Folder) =>
    page(async (ctx, reader) => {
      const { caller } = reader
      const { slug, name } = ctx.params
      const address = { project: slug!, folder, name: name! }
      const fragment = queryText(ctx, 'fragment')
      if (fragment === 'here' || fragment === 'related') {
        pages.showPart(ctx, await asideOf(workspace, ctx, caller, { address, fragment }))
        return undefined
      }
      if (fragment !== undefined) {
        pages.showPart(ctx, await fragmentOf(workspace, ctx, caller, address))
        return undefined
      }
      if (ctx.query.find === undefined) return documentPage(workspace, ctx, reader, address)
      await redirectToElement(workspace, ctx, caller, address)
      return undefined
    })
  return newRoutes()
    .purpose('Page: the posts')
    .get(
      '/projects/:slug/posts',
      page((ctx, { caller }) => postListPage(workspace, ctx, caller)),
    )
    .purpose('Page: your drafts')
    .get(
      '/projects/:slug/drafts',
      page((ctx, { caller }) => draftListPage(workspace, ctx, caller)),
    )
    .purpose(
      'Page: the documents, in their folders; ?folder= shows one of them, ?part=changes for its script',
    )
    .get(
      '/projects/:slug/docs',
      page(async (ctx, { caller }) => {
        if (queryText(ctx, 'part') !== 'changes') return documentListPage(workspace, ctx, caller)
        pages.showPart(ctx, await documentListChanges(workspace, ctx, caller))
        return undefined
      }),
    )
    .purpose('Page: a post and its comments')
    .get('/projects/:slug/posts/:name', reading('posts'))
    .purpose('Page: one of your drafts')
    .get('/projects/:slug/drafts/:name', reading('drafts'))
    .purpose(
      'Page: a document; ?history, ?activity, ?revision=, ?diff=, of a long one ?part=, ?find=<id>; ?fragment= for its script',
    )
    .get('/projects/:slug/docs/*name', reading('documents'))
    .purpose('Comment on a post, document or card, without script')
    .post(commentFormPath, formHandler(browserSessions, commentByForm(workspace)))
}
