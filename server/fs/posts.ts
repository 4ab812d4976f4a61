import { z } from 'zod'
import type { Attachments, PostOrDraftAddress } from '../../core/attachments/attachments.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import { accepts } from '../accepted-input.ts'
import { newRoutes, type Routes } from '../context.ts'
import { fileHeaders, rangeConditions } from '../described-headers.ts'
import { receiveUpload, type UploadOptions, uploadParameters } from '../middleware/upload.ts'
import { pageParameters, requestedPage } from '../page-request.ts'
import { postList, written } from '../schemas/documents.ts'
import { attachment, attachmentList } from '../schemas/files.ts'
import { sendFile } from '../send-file.ts'
import { linkRoutes } from './document-links.ts'
import { documentFileRoutes } from './document-routes.ts'
import { presenceRoutes } from './presence.ts'
import { sendWriteResult } from './responses.ts'

type PostWorkspace = Pick<Workspace, 'documents' | 'links' | 'live'>
type PostFolder = PostOrDraftAddress['folder']

export const postRoutes = (workspace: PostWorkspace, markdownBytes: number): Routes =>
  newRoutes()
    .purpose('List posts, most recent activity first; ?limit=, ?cursor=')
    .answers(postList)
    .refuses('forbidden', 'not_found')
    .get('/projects/:project/posts', accepts({ query: pageParameters }), async (ctx) => {
      const { caller } = ctx.state
      ctx.body = await workspace.documents.lists.posts(caller, ctx.params.project!, requestedPage(ctx))
    })
    .use(fileRoutes('posts', workspace, markdownBytes).routes())

export const draftRoutes = (workspace: PostWorkspace, markdownBytes: number): Routes =>
  newRoutes()
    .purpose('List your drafts; ?limit=, ?cursor=')
    .answers(postList)
    .refuses('forbidden', 'not_found')
    .get('/projects/:project/drafts', accepts({ query: pageParameters }), async (ctx) => {
      const { caller } = ctx.state
      ctx.body = await workspace.documents.lists.drafts(caller, ctx.params.project!, requestedPage(ctx))
    })
    .purpose('Publish a draft, keeping its id')
    .answers(written, 201)
    .refuses('forbidden', 'not_found', 'conflict')
    .post('/projects/:project/drafts/:name/_publish', async (ctx) => {
      const address = addressIn('drafts')(ctx.params)
      sendWriteResult(ctx, await workspace.documents.writes.publish(ctx.state.caller, address))
    })
    .use(fileRoutes('drafts', workspace, markdownBytes).routes())

export function attachmentRoutes(
  folder: PostFolder,
  attachments: Attachments,
  uploads: UploadOptions,
): Routes {
  const path = `/projects/:project/${folder}/:name/attachments`
  const noun = nouns[folder]
  const addressOf = addressIn(folder)
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

function fileRoutes(
  folder: PostFolder,
  { documents, links, live }: PostWorkspace,
  markdownBytes: number,
): Routes {
  const file = {
    noun: nouns[folder],
    path: `/projects/:project/${folder}/:name`,
    addressOf: addressIn(folder),
  }
  return newRoutes()
    .use(presenceRoutes({ ...file, presence: documents.presence, live }).routes())
    .use(linkRoutes({ ...file, links: links.documents }).routes())
    .use(documentFileRoutes({ ...file, documents, live, markdownBytes }).routes())
}

const nouns = { posts: 'post', drafts: 'draft' } as const

const addressIn =
  (folder: PostFolder) =>
  ({ project, name }: Record<string, string>): PostOrDraftAddress => ({
    project: project!,
    folder,
    name: name!,
  })
