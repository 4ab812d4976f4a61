import type { Comments } from '../../core/comments/comments.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { limitOf } from '../page-request.ts'
import { nullable, optional, queryText, readFields, text, withAliases } from '../request-fields.ts'

/** @param path above the id */
export function commentRoutes(service: Comments, { path, noun }: { path: string; noun: string }): Routes {
  const comments = `${path}/:postId/comments`
  return newRoutes()
    .purpose(`List the comments on ${noun}, oldest first`)
    .get(comments, accepts({ query: ['limit', 'cursor'] }), async (ctx) => {
      const limit = limitOf(ctx)
      const cursor = queryText(ctx, 'cursor')
      ctx.body = await service.page(ctx.state.caller, ctx.params.postId!, {
        ...(limit !== undefined && { limit }),
        ...(cursor && { cursor }),
      })
    })
    .purpose(`Comment on ${noun}, or reply to a comment`)
    .post(comments, accepts({ body: 'json' }), async (ctx) => {
      const { body, parentId } = await readFields(ctx, {
        body: withAliases(text, 'text', 'comment', 'content'),
        parentId: withAliases(optional(nullable(text)), 'replyTo', 'replyToId', 'threadId', 'commentId'),
      })
      const idempotencyKey = ctx.req.headers['idempotency-key']
      const { comment, unreached } = await service.post(ctx.state.caller, ctx.params.postId!, {
        body,
        ...(typeof parentId === 'string' && { parentId }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      })
      ctx.status = 201
      ctx.body = { comment, ...unreachedField(unreached) }
    })
    .purpose('Change a comment of one’s own')
    .patch(`${comments}/:commentId`, accepts({ body: 'json' }), async (ctx) => {
      const { postId, commentId } = ctx.params
      const { body } = await readFields(ctx, { body: withAliases(text, 'text', 'comment', 'content') })
      const { comment, unreached } = await service.edit(ctx.state.caller, postId!, commentId!, body)
      ctx.body = { comment, ...unreachedField(unreached) }
    })
    .purpose('Delete a comment')
    .delete(`${comments}/:commentId`, async (ctx) => {
      const { postId, commentId } = ctx.params
      await service.remove(ctx.state.caller, postId!, commentId!)
      ctx.body = { ok: true }
    })
}
