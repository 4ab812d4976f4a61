import { z } from 'zod'
import { unreachedField } from '../../core/inbox/unreached.ts'
import type { Messages } from '../../core/rooms/messages.ts'
import type { Pins } from '../../core/rooms/pins.ts'
import type { Reactions } from '../../core/rooms/reactions.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { sentOnce, sentWith } from '../described-headers.ts'
import { count, withAliases } from '../input-types.ts'
import { cursor } from '../page-request.ts'
import { done, unreached } from '../schemas/model.ts'
import { messagePage, pin, reactions } from '../schemas/rooms.ts'
import { normalizeClientName } from './client-name.ts'

const messages = '/api/rooms/:roomId/messages'
const message = `${messages}/:messageId`

const listMessages = accepts({
  query: {
    limit: count(100).default(50),
    cursor,
    thread: z.string().describe('The message that a thread is on: its replies are read').optional(),
  },
})

const postMessage = accepts({
  body: {
    body: withAliases(z.string(), 'text', 'message', 'content'),
    threadId: withAliases(z.string().optional(), 'parentId', 'replyTo', 'replyToId', 'parentMessageId'),
  },
  headers: { ...sentOnce, ...sentWith },
})

const editMessage = accepts({ body: { body: z.string() } })

export const messageRoutes = (service: Messages): Routes =>
  newRoutes()
    .purpose('Read a page of messages, newest first; ?thread= reads replies')
    .answers(messagePage)
    .refuses('forbidden', 'not_found')
    .get(messages, listMessages, (ctx) => {
      const { limit, cursor, thread: threadId } = listMessages.query(ctx)
      ctx.body = service.page(ctx.state.caller, ctx.params.roomId!, {
        limit,
        ...(cursor && { cursor }),
        ...(threadId !== undefined && { threadId }),
      })
    })
    .purpose('Post a message')
    .answers(z.object({ messageId: z.string(), ...unreached }), 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(messages, postMessage, async (ctx) => {
      const fields = await postMessage.fields(ctx)
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
    .answers(done.extend(unreached))
    .refuses('forbidden', 'not_found', 'conflict')
    .put(message, editMessage, async (ctx) => {
      const { roomId, messageId } = ctx.params
      const { body } = await editMessage.fields(ctx)
      const unreached = await service.edit(ctx.state.caller, roomId!, messageId!, body)
      ctx.body = { ok: true, ...unreachedField(unreached) }
    })
    .purpose('Delete a message')
    .answers(done)
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(message, async (ctx) => {
      const { roomId, messageId } = ctx.params
      await service.remove(ctx.state.caller, roomId!, messageId!)
      ctx.body = { ok: true }
    })

const pins = '/api/rooms/:roomId/pins'

export const pinRoutes = (service: Pins): Routes =>
  newRoutes()
    .purpose('List the pinned messages of a room, last pinned first')
    .answers(z.object({ pins: z.array(pin) }))
    .refuses('forbidden', 'not_found')
    .get(pins, (ctx) => {
      ctx.body = { pins: service.list(ctx.state.caller, ctx.params.roomId!) }
    })
    .purpose('Pin a message in its room')
    .answers(z.object({ pinned: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .put(`${pins}/:messageId`, async (ctx) => {
      await service.add(ctx.state.caller, ctx.params.roomId!, ctx.params.messageId!)
      ctx.body = { pinned: true }
    })
    .purpose('Unpin a message')
    .answers(z.object({ pinned: z.literal(false) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(`${pins}/:messageId`, async (ctx) => {
      await service.remove(ctx.state.caller, ctx.params.roomId!, ctx.params.messageId!)
      ctx.body = { pinned: false }
    })

const reaction = `${message}/reactions/:emoji`

export const reactionRoutes = (service: Reactions): Routes =>
  newRoutes()
    .purpose('React to a message with an emoji, or its :name:')
    .answers(z.object({ reactions }))
    .refuses('forbidden', 'not_found', 'conflict')
    .put(reaction, async (ctx) => {
      const { roomId, messageId, emoji } = ctx.params
      ctx.body = { reactions: await service.add(ctx.state.caller, roomId!, messageId!, emoji!) }
    })
    .purpose('Remove your reaction')
    .answers(z.object({ reactions }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(reaction, async (ctx) => {
      const { roomId, messageId, emoji } = ctx.params
      ctx.body = { reactions: await service.remove(ctx.state.caller, roomId!, messageId!, emoji!) }
    })
