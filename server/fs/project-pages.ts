import type { AskPages } from '../../core/asks/ask-pages.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { ProjectLinks } from '../../core/projects/links.ts'
import type { RouteContext, Routes } from '../context.ts'
import { pageUrl, readConditions, revision, revisionHeaders } from '../described-headers.ts'
import { readMarkdown } from '../middleware/body.ts'
import { generatedFile } from './generated.ts'
import { preconditionOf } from './preconditions.ts'
import { sendDocument, sendGenerated } from './responses.ts'

/** A PUT may send the whole page; only the goal is stored. */
const maxPageBytes = 512 * 1024

export const planRoutes = (plan: Plan): Routes => {
  const page = async (ctx: RouteContext) => {
    const { text, url, revision } = await plan.page(ctx.state.caller, ctx.params.project!)
    ctx.set('X-Service-Url', url)
    // No ETag: the bytes change with every card.
    ctx.set('X-Service-Revision', revision)
    sendGenerated(ctx, text, 'text/markdown')
  }
  const put = async (ctx: RouteContext, { expectedRevision }: { expectedRevision?: string }) => {
    const precondition = preconditionOf(ctx.req.headers, expectedRevision)
    const body = await readMarkdown(ctx, maxPageBytes)
    const { caller } = ctx.state
    const { revision, ...written } = await plan.setGoal(caller, ctx.params.project!, body, precondition)
    ctx.set('X-Service-Url', written.url)
    ctx.set('X-Service-Revision', revision)
    ctx.status = 201
    ctx.body = written
  }
  return generatedFile(
    '/projects/:project/plan.md',
    'Read the goal, and what is decided, open and in flight',
    page,
    {
      answersHeaders: { ...pageUrl, ...revision },
      refuses: ['forbidden', 'not_found'],
      put: { purpose: 'Set the goal', answersHeaders: { ...pageUrl, ...revision }, handler: put },
    },
  )
}

export const mapRoutes = (plan: Plan): Routes =>
  generatedFile(
    '/projects/:project/map.md',
    'Read the questions as a map',
    async (ctx) => {
      const { text, url } = await plan.map(ctx.state.caller, ctx.params.project!)
      ctx.set('X-Service-Url', url)
      sendGenerated(ctx, text, 'text/markdown')
    },
    { answersHeaders: pageUrl, refuses: ['forbidden', 'not_found'] },
  )

export const askRoutes = (askPages: AskPages): Routes =>
  generatedFile(
    '/projects/:project/asks.md',
    'Read the open and claimed asks',
    (ctx) => {
      const { text, url } = askPages.page(ctx.state.caller, ctx.params.project!)
      ctx.set('X-Service-Url', url)
      sendGenerated(ctx, text, 'text/markdown')
    },
    { answersHeaders: pageUrl, refuses: ['forbidden', 'not_found'] },
  )

export const projectLinkRoutes = (links: ProjectLinks, markdownBytes: number): Routes => {
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
