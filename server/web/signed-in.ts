import type { Caller } from '../../core/access/member.ts'
import { mayListProject } from '../../core/access/permissions.ts'
import { WorkspaceError } from '../../core/errors/workspace-error.ts'
import { projectPagePath } from '../../core/paths.ts'
import type { OpenSession } from '../../core/sessions/sessions.ts'
import type { Workspace } from '../../core/workspace/index.ts'
import type { BrowserSessions } from '../browser-sessions.ts'
import type { RouteContext } from '../context.ts'
import { HttpError } from '../error-response.ts'
import { readForm } from '../middleware/body.ts'
import { acceptsHtml } from './accepts-html.ts'
import { signinPagePath } from './local-path.ts'
import { type Page, type Pages, redirect } from './pages.ts'

type Handler = (ctx: RouteContext) => unknown

type PageHandler = (
  ctx: RouteContext,
  reader: { caller: Caller; session: OpenSession },
) => Page | undefined | Promise<Page | undefined>

/** A page for members. Others sign in first, and then return to it. */
export type ShowPage = (showing: PageHandler) => Handler

export const pageFor =
  (workspace: Pick<Workspace, 'directory'>, pages: Pages, browserSessions: BrowserSessions): ShowPage =>
  (showing) =>
  async (ctx) => {
    const session = browserSessions.find(ctx)
    if (!session) return redirectToSignIn(ctx)
    ctx.state.caller = session.caller
    const moved = pathUnderNewSlug(workspace, session.caller, ctx)
    if (moved !== null) return redirect(ctx, moved)
    const moment = pages.liveState()
    const page = await showing(ctx, { caller: session.caller, session })
    if (page) pages.show(ctx, session, moment, page)
  }

/** Replaces a project's former slug in the path. */
function pathUnderNewSlug(
  { directory: { projects } }: Pick<Workspace, 'directory'>,
  { member }: Caller,
  { params, path, search }: RouteContext,
): string | null {
  const renamed = path.startsWith('/projects/') ? projects.renamedFrom(params.slug ?? '') : null
  if (!renamed || !mayListProject(member, projects.roleOf(renamed, member))) return null
  return projectPagePath(renamed) + path.replace(/^\/projects\/[^/]+/, '') + search
}

/** @throws WorkspaceError `unauthorized` for a program, which has no use for a form */
function redirectToSignIn(ctx: RouteContext): void {
  if (acceptsHtml(ctx)) {
    redirect(ctx, signinPagePath(ctx.path + ctx.search))
    return
  }
  throw new HttpError(
    'unauthorized',
    'This page requires a browser session. Programs use /v1/fs with a key.',
    { 'WWW-Authenticate': 'Bearer' },
  )
}

/** @throws WorkspaceError `unauthorized` with the message `whatFor`; `forbidden` for another site's script */
export function requireCaller(browserSessions: BrowserSessions, ctx: RouteContext, whatFor: string): Caller {
  const session = browserSessions.find(ctx)
  if (!session) throw new WorkspaceError('unauthorized', whatFor)
  browserSessions.requireCsrfToken(ctx, session, ctx.get('x-csrf-token'))
  ctx.state.caller = session.caller
  return session.caller
}

/** Handles a member's form. @throws WorkspaceError `forbidden` unless a page of this session sent it */
export const formHandler =
  (
    browserSessions: BrowserSessions,
    change: (ctx: RouteContext, session: OpenSession, form: URLSearchParams) => unknown,
  ): Handler =>
  async (ctx) => {
    const session = browserSessions.find(ctx)
    if (!session) return redirect(ctx, '/signin')
    ctx.state.caller = session.caller
    const form = await readForm(ctx)
    browserSessions.requireCsrfToken(ctx, session, form.get('csrf'))
    return change(ctx, session, form)
  }
