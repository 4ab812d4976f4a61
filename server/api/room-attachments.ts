import { z } from 'zod'
import type { RoomAttachments } from '../../core/room-attachments/room-attachments.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { fileHeaders, rangeConditions } from '../described-headers.ts'
import { receiveUpload, type UploadOptions, uploadParameters } from '../middleware/upload.ts'
import { roomAttachment } from '../schemas/rooms.ts'
import { sendFile } from '../send-file.ts'

const attachments = '/api/rooms/:roomId/attachments'
const attachment = `${attachments}/:id`

export const roomAttachmentRoutes = (service: RoomAttachments, uploads: UploadOptions): Routes =>
  newRoutes()
    .purpose('Upload a file to a room, for a message to link to')
    .answers(roomAttachment, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(attachments, accepts({ query: uploadParameters, body: 'file' }), async (ctx) => {
      const { caller } = ctx.state
      const uploaded = await receiveUpload(ctx, uploads, (begin) =>
        service.add(caller, ctx.params.roomId!, begin),
      )
      ctx.status = 201
      ctx.body = uploaded
    })
    .purpose('Read a file of a room')
    .answers('application/octet-stream')
    .answersHeaders(fileHeaders)
    .refuses('forbidden', 'not_found', 'too_large')
    .get(attachment, accepts({ headers: rangeConditions }), (ctx) => {
      sendFile(ctx, service.open(ctx.state.caller, ctx.params.roomId!, ctx.params.id!))
    })
    .purpose('Delete a file of a room')
    .answers(z.object({ id: z.string(), deleted: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(attachment, async (ctx) => {
      ctx.body = await service.remove(ctx.state.caller, ctx.params.roomId!, ctx.params.id!)
    })
