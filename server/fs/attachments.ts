import { z } from 'zod'
import type { Attachments, PostOrDraftAddress } from '../../core/attachments/attachments.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { fileHeaders, rangeConditions } from '../described-headers.ts'
import { receiveUpload, type UploadOptions, uploadParameters } from '../middleware/upload.ts'
import { attachment, attachmentList } from '../schemas/files.ts'
import { sendFile } from '../send-file.ts'

export function attachmentRoutes(
  folder: PostOrDraftAddress['folder'],
  attachments: Attachments,
  uploads: UploadOptions,
): Routes {
  const path = `/projects/:project/${folder}/:name/attachments`
  const noun = folder === 'posts' ? 'post' : 'draft'
  const addressOf = ({ project, name }: Record<string, string>): PostOrDraftAddress => ({
    project: project!,
    folder,
    name: name!,
  })
  return newRoutes()
    .purpose(`List the attachments of a ${noun}`)
    .answers(attachmentList)
    .refuses('forbidden', 'not_found')
    .get(path, async (ctx) => {
      ctx.body = await attachments.list(ctx.state.caller, addressOf(ctx.params))
    })
    .purpose(`Attach a file to a ${noun}`)
    .answers(attachment, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(path, accepts({ query: uploadParameters, body: 'file' }), async (ctx) => {
      const address = addressOf(ctx.params)
      const attached = await receiveUpload(ctx, uploads, (begin) =>
        attachments.add(ctx.state.caller, address, begin),
      )
      ctx.status = 201
      ctx.body = attached
    })
    .purpose(`Read a file attached to a ${noun}`)
    .answers('application/octet-stream')
    .answersHeaders(fileHeaders)
    .refuses('forbidden', 'not_found', 'too_large')
    .get(`${path}/:id`, accepts({ headers: rangeConditions }), async (ctx) => {
      sendFile(ctx, await attachments.open(ctx.state.caller, addressOf(ctx.params), ctx.params.id!))
    })
    .purpose(`Remove a file attached to a ${noun}`)
    .answers(z.object({ id: z.string(), deleted: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(`${path}/:id`, async (ctx) => {
      ctx.body = await attachments.remove(ctx.state.caller, addressOf(ctx.params), ctx.params.id!)
    })
}
