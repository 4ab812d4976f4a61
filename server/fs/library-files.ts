import { z } from 'zod'
import type { LibraryFiles } from '../../core/files/library-files.ts'
import type { LibraryFileRead } from '../../core/files/types.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { receiveUpload, type UploadOptions, uploadParameters } from '../middleware/upload.ts'
import { libraryFile, libraryFileLink, libraryFileList, libraryFolder } from '../schemas/tree.ts'
import { setContentHeaders } from '../send-file.ts'
import { sendFileOrFolder } from './file-or-folder.ts'
import { isNotModified } from './preconditions.ts'

export function libraryFileRoutes(
  at: 'library/files' | 'artifacts',
  files: LibraryFiles,
  uploads: UploadOptions,
): Routes {
  const folder = `/projects/:project/${at}`
  const file = `${folder}/*name`
  const below = (ctx: RouteContext) => files.listBelow(ctx.state.caller, ctx.params.project!, nameOf(ctx))
  return newRoutes()
    .purpose('List uploaded files, with download links')
    .answers(libraryFileList)
    .get(folder, async (ctx) => {
      ctx.body = await files.list(ctx.state.caller, ctx.params.project!)
    })
    .purpose('Upload a file')
    .answers(libraryFile, 201)
    .post(folder, accepts({ query: uploadParameters, body: 'file' }), async (ctx) => {
      const added = await receiveUpload(ctx, uploads, (begin) =>
        files.add(ctx.state.caller, ctx.params.project!, begin),
      )
      ctx.status = 201
      ctx.body = added
    })
    .purpose('Read a text file or get a download link; list a folder')
    .answers('text/plain')
    .answers(z.union([libraryFileLink, libraryFolder]))
    .get(file, (ctx) => {
      const answerFile = () => {
        const reading = files.read(ctx.state.caller, ctx.params.project!, nameOf(ctx))
        if (reading.kind === 'link') ctx.body = reading.link
        else sendText(ctx, reading)
      }
      return sendFileOrFolder(ctx, answerFile, below)
    })
    .purpose('Delete an uploaded file')
    .answers(z.object({ name: z.string(), deleted: z.literal(true) }))
    .delete(file, async (ctx) => {
      ctx.body = await files.remove(ctx.state.caller, ctx.params.project!, nameOf(ctx))
    })
}

/** Whatever the text is, a page or a program, it is shown as text and nothing else. */
function sendText(ctx: RouteContext, { bytes, type, revision }: LibraryFileRead & { kind: 'text' }): void {
  setContentHeaders(ctx)
  ctx.set('ETag', `"${revision}"`)
  if (isNotModified(ctx.req.headers['if-none-match'], revision)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', `${type}; charset=utf-8`)
  ctx.body = bytes
}

const nameOf = (ctx: RouteContext): string => ctx.params.name!.replace(/\/$/, '')
