import type { ProjectLinks } from '../../core/projects/links.ts'
import type { RouteContext, Routes } from '../context.ts'
import { readConditions, revisionHeaders } from '../described-headers.ts'
import { readMarkdown } from '../middleware/body.ts'
import { generatedFile } from './generated.ts'
import { preconditionOf } from './preconditions.ts'
import { sendDocument } from './responses.ts'

export const linkRoutes = (links: ProjectLinks, markdownBytes: number): Routes => {
  const page = (ctx: RouteContext) => sendDocument(ctx, links.read(ctx.state.caller, ctx.params.project!))
  const put = async (ctx: RouteContext, { expectedRevision }: { expectedRevision?: string }) => {
    const precondition = preconditionOf(ctx.req.headers, expectedRevision)
    const body = await readMarkdown(ctx, markdownBytes)
    const { caller } = ctx.state
    const { revision, ...written } = await links.replace(caller, ctx.params.project!, body, precondition)
    ctx.set('ETag', `"${revision}"`)
    ctx.set('X-Service-Revision', revision)
    ctx.set('X-Service-Url', written.url)
    ctx.status = 201
    ctx.body = written
  }
  return generatedFile('/projects/:project/links.md', 'Read the project’s links', page, {
    headers: readConditions,
    answersHeaders: revisionHeaders,
    refuses: ['forbidden', 'not_found'],
    put: { purpose: 'Replace the project’s links', answersHeaders: revisionHeaders, handler: put },
  })
}
