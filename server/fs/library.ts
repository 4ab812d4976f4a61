import { z } from 'zod'
import type { Documents } from '../../core/documents/index.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import type { LibraryFiles } from '../../core/files/library-files.ts'
import type { BeginUpload, LibraryFileRead } from '../../core/files/types.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type RouteContext, type Routes } from '../context.ts'
import { eTag, readConditions, revision, writeConditions } from '../described-headers.ts'
import { methodNotAllowed } from '../error-response.ts'
import { receiveUpload, type UploadOptions, uploadParameters } from '../middleware/upload.ts'
import { library, libraryFile, libraryFileLink, libraryFileList, libraryFolder } from '../schemas/files.ts'
import { sendFile, setContentHeaders } from '../send-file.ts'
import { withRevisionOfConflict } from './edits.ts'
import { sendFileOrFolder } from './file-or-folder.ts'
import { expectedRevision, isNotModified, preconditionOf } from './preconditions.ts'

export const libraryRoutes = ({ lists }: Pick<Documents, 'lists'>): Routes =>
  newRoutes()
    .purpose('List the folders of the library')
    .answers(library)
    .refuses('forbidden', 'not_found')
    .get('/projects/:project/library', async (ctx) => {
      ctx.body = await lists.library(ctx.state.caller, ctx.params.project!)
    })

const putFile = accepts({ query: expectedRevision, body: 'file', headers: writeConditions })

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
    .refuses('forbidden', 'not_found')
    .get(folder, async (ctx) => {
      ctx.body = await files.list(ctx.state.caller, ctx.params.project!)
    })
    .purpose('Upload a file')
    .answers(libraryFile, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post(folder, accepts({ query: uploadParameters, body: 'file' }), async (ctx) => {
      const added = await receiveUpload(ctx, uploads, (begin) =>
        files.add(ctx.state.caller, ctx.params.project!, begin),
      )
      ctx.status = 201
      ctx.body = added
    })
    .purpose('Read a text file or get a download link; list a folder')
    .answers('text/plain')
    .answers('text/markdown')
    .answers(z.union([libraryFileLink, libraryFolder]))
    .answersHeaders({ ...eTag, ...revision })
    .refuses('forbidden', 'not_found')
    .get(file, accepts({ headers: readConditions }), (ctx) => {
      const respondWithFile = () => {
        const reading = files.read(ctx.state.caller, ctx.params.project!, nameOf(ctx))
        if (reading.kind === 'text') return sendText(ctx, reading)
        setRevision(ctx, reading.revision)
        ctx.body = reading.link
      }
      return sendFileOrFolder(ctx, respondWithFile, below)
    })
    .purpose('Replace an uploaded file, with If-Match')
    .answers(libraryFile, 201)
    .answersHeaders({ ...eTag, ...revision })
    .refuses('forbidden', 'not_found', 'conflict', 'method_not_allowed')
    .put(file, putFile, async (ctx) => {
      const precondition = preconditionOf(ctx.req.headers, putFile.query(ctx).expectedRevision)
      const { caller } = ctx.state
      const name = nameOf(ctx)
      const replace = (begin: BeginUpload) =>
        files.replace(caller, ctx.params.project!, name, begin, precondition).catch(refuseNewFile)
      const written = await withRevisionOfConflict(ctx, () => receiveUpload(ctx, uploads, replace, name))
      setRevision(ctx, written.revision)
      ctx.status = 201
      ctx.body = written.file
    })
    .purpose('Delete an uploaded file')
    .answers(z.object({ id: z.string(), name: z.string(), deleted: z.literal(true) }))
    .refuses('forbidden', 'not_found', 'conflict')
    .delete(file, async (ctx) => {
      ctx.body = await files.remove(ctx.state.caller, ctx.params.project!, nameOf(ctx))
    })
}

export const downloadRoutes = ({ files: { downloads } }: Pick<Workspace, 'files'>): Routes =>
  newRoutes()
    .purpose('Download a file by a signed link, without a key, for an hour')
    .get('/download/:token/:name', (ctx) => {
      sendFile(ctx, downloads.open(ctx.params.token!))
    })

function refuseNewFile(error: unknown): never {
  const isRefused = error instanceof WorkspaceError && error.code === 'method_not_allowed'
  throw isRefused ? methodNotAllowed(error.message, 'DELETE, GET, HEAD, PUT') : error
}

function setRevision(ctx: RouteContext, revision: string): void {
  ctx.set('ETag', `"${revision}"`)
  ctx.set('X-Service-Revision', revision)
}

/** Always shown as text, even if it is a page or a program. */
function sendText(ctx: RouteContext, { bytes, type, revision }: LibraryFileRead & { kind: 'text' }): void {
  setContentHeaders(ctx)
  setRevision(ctx, revision)
  if (isNotModified(ctx.req.headers['if-none-match'], revision)) {
    ctx.status = 304
    return
  }
  ctx.set('Content-Type', `${type}; charset=utf-8`)
  ctx.body = bytes
}

const nameOf = (ctx: RouteContext): string => ctx.params.name!.replace(/\/$/, '')
