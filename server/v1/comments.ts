import { z } from 'zod'
import type { Comments } from '../../core/comments/comments.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { sentOnce } from '../described-headers.ts'
import { count, withAliases } from '../input-types.ts'
import { cursor } from '../page-request.ts'
import { bodyModel, done, unreached } from '../schemas/model.ts'
import { comment as commentModel } from '../schemas/projects.ts'

const commentText = withAliases(z.string(), 'text', 'comment', 'content')

const listComments = accepts({ query: { limit: count(1000).optional(), cursor } })

const addComment = accepts({
  body: bodyModel('NewComment', {
    body: commentText,
    parentId: withAliases(z.string().nullable().optional(), 'replyTo', 'replyToId', 'threadId', 'commentId'),
    block: withAliases(z.string().nullable().optional(), 'blockId'),
  }),
  headers: sentOnce,
})

const editComment = accepts({ body: bodyModel('CommentText', { body: commentText }) })

/** @param path without the document's id */
export function commentRoutes(service: Comments, { path, noun }: { path: string; noun: string }): Routes {
  const comments = `${path}/:postId/comments`
  return newRoutes()
    .purpose(`List the comments on ${noun}, oldest first`)
    .answers(z.object({ comments: z.array(commentModel), nextCursor: z.string().nullable() }))
    .refuses('forbidden', 'not_found')
    .get(comments, listComments, async (ctx) => {
      const { limit, cursor } = listComments.query(ctx)
      ctx.body = await service.page(ctx.state.caller, ctx.params.postId!, {
        ...(limit !== undefined && { limit }),
        ...(cursor && { cursor }),
      })
    })
    .purpose(`Comment on ${noun}, or reply to a comment`)
    .answers(z.object({ comment: commentModel, ...unreached }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(comments, addComment, async (ctx) => {
      const { body, parentId, block } = await addComment.fields(ctx)
      const idempotencyKey = ctx.req.headers['idempotency-key']
      const { comment, unreached } = await service.post(ctx.state.caller, ctx.params.postId!, {
        body,
        ...(typeof parentId === 'string' && { parentId }),
        ...(typeof block === 'string' && { block }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      })
      ctx.status = 201
      ctx.body = { comment, ...unreachedField(unreached) }
    })
    .purpose('Edit your own comment')
    .answers(z.object({ comment: commentModel, ...unreached }))
    .refuses('forbidden', 'not_found', 'conflict')
    .patch(`${comments}/:commentId`, editComment, async (ctx) => {
      const { postId, commentId } = ctx.params
      const { body } = await editComment.fields(ctx)
      const { comment, unreached } = await service.edit(ctx.state.caller, postId!, commentId!, body)
      ctx.body = { comment, ...unreachedField(unreached) }
    })
    .purpose('Delete a comment')
    .answers(done)
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(`${comments}/:commentId`, async (ctx) => {
      const { postId, commentId } = ctx.params
      await service.remove(ctx.state.caller, postId!, commentId!)
      ctx.body = { ok: true }
    })
}
