import { z } from 'zod'
import type { Pins } from '../../core/rooms/pins.ts'
import { newRoutes, type Routes } from '../context.ts'
import { pin } from '../schemas/rooms.ts'

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
