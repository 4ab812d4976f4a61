import { z } from 'zod'
import type { Reactions } from '../../core/rooms/reactions.ts'
import { newRoutes, type Routes } from '../context.ts'
import { reactions } from '../schemas/rooms.ts'

const reaction = '/api/rooms/:roomId/messages/:messageId/reactions/:emoji'

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
