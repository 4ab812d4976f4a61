import type { Folder } from '../../../core/documents/model/types.ts'
import { newRoutes, type Routes } from '../../context.ts'
import type { WebParts } from '../signed-in.ts'
import { documentPage } from './document.ts'
import { documentListPage, draftListPage, postListPage } from './lists.ts'

/** The files of a project as people read them: posts, drafts and documents, and the lists of them. */
export function documentPageRoutes({ workspace, page }: WebParts): Routes {
  const reading = (folder: Folder) =>
    page((ctx, { caller }) => {
      const { slug, name } = ctx.params
      return documentPage(workspace, ctx, caller, { project: slug!, folder, name: name! })
    })
  return newRoutes()
    .get(
      '/projects/:slug/posts',
      page((ctx, { caller }) => postListPage(workspace, ctx, caller)),
    )
    .get(
      '/projects/:slug/drafts',
      page((ctx, { caller }) => draftListPage(workspace, ctx, caller)),
    )
    .get(
      '/projects/:slug/docs',
      page((ctx, { caller }) => documentListPage(workspace, ctx, caller)),
    )
    .get('/projects/:slug/posts/:name', reading('posts'))
    .get('/projects/:slug/drafts/:name', reading('drafts'))
    .get('/projects/:slug/docs/*name', reading('documents'))
}
