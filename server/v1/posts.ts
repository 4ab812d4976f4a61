import { z } from 'zod'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import type { Posts } from '../../core/posts/posts.ts'
import type { NewPost } from '../../core/posts/types.ts'
import type { ProjectStore } from '../../core/projects/project-store.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { count, mustBe } from '../input-types.ts'
import { cursor } from '../page-request.ts'
import { optionalProject, projectFields, requireProjectField } from '../project-fields.ts'
import { bodyModel, unreached } from '../schemas/model.ts'
import { post as postModel } from '../schemas/projects.ts'

const posts = '/v1/posts'
const post = `${posts}/:postId`
const ofProject = '/v1/projects/:project/posts'

const time = mustBe(z.union([z.string(), z.number()]), 'a time, ISO 8601 or epoch milliseconds')

const listPosts = accepts({
  query: { limit: count(100).default(20), cursor },
})

const createPost = accepts({
  body: bodyModel('NewPost', {
    ...projectFields,
    title: z.string(),
    body: z.string(),
    isDraft: z.boolean().optional(),
    scheduledFor: time.nullable().optional(),
  }),
})

/** Posts are changed and deleted through their files, in the tree. */
export function postRoutes(
  service: Posts,
  projects: Pick<ProjectStore, 'find'>,
  markdownBytes: number,
): Routes {
  const create = async (ctx: RouteContext, project: string, request: NewPost) => {
    if (Buffer.byteLength(request.body) > markdownBytes) {
      throw new WorkspaceError(
        'too_large',
        `The body of a post may be at most ${markdownBytes} bytes long.`,
        {
          fields: { limitBytes: markdownBytes },
        },
      )
    }
    const { post, unreached } = await service.create(ctx.state.caller, project, request)
    ctx.status = 201
    ctx.body = { post, ...unreachedField(unreached) }
  }
  return newRoutes()
    .purpose('Read a page of a project’s posts')
    .answers(z.object({ posts: z.array(postModel), nextCursor: z.string().nullable() }))
    .refuses('forbidden', 'not_found')
    .get(ofProject, listPosts, async (ctx) => {
      ctx.body = await service.page(ctx.state.caller, ctx.params.project!, listPosts.query(ctx))
    })
    .purpose('Publish a post, or keep a draft')
    .answers(z.object({ post: postModel, ...unreached }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(ofProject, createPost, async (ctx) => {
      const { project, projectId, ...request } = await createPost.fields(ctx)
      const inBody = optionalProject({ project, projectId }, projects) ?? null
      await create(
        ctx,
        requireProjectField({ project: ctx.params.project!, projectId: inBody }, projects),
        request,
      )
    })
    .purpose('Publish a post, or keep a draft')
    .answers(z.object({ post: postModel, ...unreached }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(posts, createPost, async (ctx) => {
      const { project, projectId, ...request } = await createPost.fields(ctx)
      await create(ctx, requireProjectField({ project, projectId }, projects), request)
    })
    .purpose('Read a post')
    .answers(z.object({ post: postModel }))
    .refuses('forbidden', 'not_found')
    .get(post, async (ctx) => {
      ctx.body = { post: await service.get(ctx.state.caller, ctx.params.postId!) }
    })
    .purpose('Pin a post')
    .answers(z.object({ post: postModel }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${post}/pin`, async (ctx) => {
      ctx.body = { post: await service.setPinned(ctx.state.caller, ctx.params.postId!, true) }
    })
    .purpose('Unpin a post')
    .answers(z.object({ post: postModel }))
    .refuses('forbidden', 'not_found', 'conflict')
    .post(`${post}/unpin`, async (ctx) => {
      ctx.body = { post: await service.setPinned(ctx.state.caller, ctx.params.postId!, false) }
    })
}
