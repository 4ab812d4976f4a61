import type { Folder } from '../../../core/documents/model/types.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { PageDeps } from '../signed-in.ts'
import { documentPage } from './document.ts'
import { documentListPage, draftListPage, postListPage } from './lists.ts'

export function documentPageRoutes({ workspace, page }: PageDeps): Routes {
  const reading = (folder: Folder) =>
    page((ctx, { caller }) => {
      const { slug, name } = ctx.params
      return documentPage(workspace, ctx, caller, { project: slug!, folder, name: name! })
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
    .purpose('Page: the documents, in their folders')
    .get(
      '/projects/:slug/docs',
      page((ctx, { caller }) => documentListPage(workspace, ctx, caller)),
    )
    .purpose('Page: a post and its comments')
    .get('/projects/:slug/posts/:name', reading('posts'))
    .purpose('Page: one of your drafts')
    .get('/projects/:slug/drafts/:name', reading('drafts'))
    .purpose('Page: a document; ?history, ?revision=, ?diff=')
    .get('/projects/:slug/docs/*name', reading('documents'))
}
