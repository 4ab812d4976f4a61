import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { unreachedField } from '../../core/inbox/unreached.ts'
import type { Messages } from '../../core/rooms/messages.ts'
import { accepts } from '../accepted-input.ts'
import { type Context, newRoutes, type Routes } from '../context.ts'
import { optional, queryText, readFields, text, withAliases } from '../request-fields.ts'
import { normalizeClientName } from './client-name.ts'

const messages = '/api/rooms/:roomId/messages'
const message = `${messages}/:messageId`

const defaultLimit = 50

export const messageRoutes = (service: Messages): Routes =>
  newRoutes()
    .purpose('Read a page of messages, newest first; ?thread= reads replies')
    .get(messages, accepts({ query: ['limit', 'cursor', 'thread'] }), (ctx) => {
      const cursor = queryText(ctx, 'cursor')
      const threadId = queryText(ctx, 'thread')
      ctx.body = service.page(ctx.state.caller, ctx.params.roomId!, {
        limit: pageLimit(ctx),
        ...(cursor && { cursor }),
        ...(threadId !== undefined && { threadId }),
      })
    })
    .purpose('Post a message')
    .post(messages, accepts({ body: 'json' }), async (ctx) => {
      const fields = await readFields(ctx, {
        body: withAliases(text, 'text', 'message', 'content'),
        threadId: withAliases(optional(text), 'parentId', 'replyTo', 'replyToId', 'parentMessageId'),
      })
      const sentVia = normalizeClientName(ctx.req.headers['x-service-client'])
      const idempotencyKey = ctx.req.headers['idempotency-key']
      const { messageId, unreached } = await service.post(ctx.state.caller, ctx.params.roomId!, {
        ...fields,
        ...(sentVia !== undefined && { sentVia }),
        ...(typeof idempotencyKey === 'string' && { idempotencyKey }),
      })
      ctx.status = 201
      ctx.body = { messageId, ...unreachedField(unreached) }
    })
    .purpose('Edit your own message, for five minutes')
    .put(message, accepts({ body: 'json' }), async (ctx) => {
      const { roomId, messageId } = ctx.params
      const { body } = await readFields(ctx, { body: text })
      const unreached = await service.edit(ctx.state.caller, roomId!, messageId!, body)
      ctx.body = { ok: true, ...unreachedField(unreached) }
    })
    .purpose('Delete a message')
    .delete(message, async (ctx) => {
      const { roomId, messageId } = ctx.params
      await service.remove(ctx.state.caller, roomId!, messageId!)
      ctx.body = { ok: true }
    })

export function pageLimit(ctx: Context, byDefault = defaultLimit): number {
  const limit = queryText(ctx, 'limit')
  if (limit === undefined) return byDefault
  if (/^\d+$/.test(limit) && Number(limit) > 0) return Number(limit)
  throw new WorkspaceError('bad_request', '?limit= must be a whole number from 1 to 100.')
}
