import type { Documents } from '../../core/documents/types.ts'
import { newRoutes, type Routes } from '../context.ts'
import { fileRoutes } from './files.ts'

const folder = '/projects/:project/posts'

/** `posts/`: what is published. A PUT publishes. */
export const postRoutes = (documents: Documents, markdownBytes: number): Routes =>
  newRoutes()
    .get(folder, async (ctx) => {
      ctx.body = await documents.posts(ctx.state.caller, ctx.params.project!)
    })
    .use(
      fileRoutes({
        path: `${folder}/:name`,
        addressOf: ({ project, name }) => ({ project: project!, folder: 'posts', name: name! }),
        documents,
        markdownBytes,
      }).routes(),
    )
